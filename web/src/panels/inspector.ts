// What is known of the selected part: mass, pose, and what it touches with which gap and force.
import { CONTACT, CONTACT_WIDTH, type Frame } from '../net/messages'
import { kilograms, metres, newtons } from '../scene/arrows'
import type { Part } from '../scene/part'
import type { Picture } from '../scene/picture'
import { pascals, SoftPart } from '../scene/soft'
import { make } from './dom'

export interface Touch {
  other: number
  force: number
  gap: number
}

/** What a body touches: for each other body the sum of forces and the smallest gap. */
export function touches(contacts: Float64Array, body: number): Touch[] {
  const found = new Map<number, { force: number[]; gap: number }>()
  for (let row = 0; row < contacts.length; row += CONTACT_WIDTH) {
    const [a, b] = [contacts[row + CONTACT.bodyA], contacts[row + CONTACT.bodyB]]
    if (a !== body && b !== body) continue
    const other = a === body ? b : a
    const sign = b === body ? 1 : -1
    const sum = found.get(other) ?? { force: [0, 0, 0], gap: Infinity }
    for (let k = 0; k < 3; k++) sum.force[k] += sign * contacts[row + CONTACT.force + k]
    sum.gap = Math.min(sum.gap, contacts[row + CONTACT.gap])
    found.set(other, sum)
  }
  return [...found].map(([other, { force, gap }]) => ({ other, force: Math.hypot(...force), gap })).sort((x, y) => y.force - x.force)
}

/** A number with so many digits after the point; nothing is less than zero by less than one of them. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits)
  return Number(text) === 0 ? (0).toFixed(digits) : text.replace('-', '\u2212')
}

export class Inspector {
  readonly element = make('aside', { class: 'inspector', 'aria-label': 'selected part' })
  private last = 0

  constructor(private readonly picture: Picture) {
    this.element.append(make('p', { class: 'quiet' }, 'Click a part to see what it touches.'))
  }

  show(frame: Frame, force = false): void {
    const now = performance.now()
    if (!force && now - this.last < 100) return
    this.last = now
    const part = this.picture.selected
    if (!part) {
      if (this.element.dataset['part'] !== '') this.element.replaceChildren(make('p', { class: 'quiet' }, 'Click a part to see what it touches.'))
      this.element.dataset['part'] = ''
      return
    }
    this.element.dataset['part'] = part.info.name
    this.element.replaceChildren(make('h2', {}, part.info.name), this.facts(part), make('h3', {}, 'touches'), this.touching(frame, part))
  }

  private facts(part: Part): HTMLElement {
    const list = make('dl')
    const add = (key: string, value: string): void => list.append(make('dt', {}, key), make('dd', {}, value))
    add('state', part.soft ? 'soft' : part.fixed ? 'fixed' : 'free')
    if (part.info.mass !== null) add('mass', kilograms(part.info.mass))
    add('size [mm]', part.shape.extents.map((x) => (1e3 * x).toPrecision(3)).join(' × '))
    const p = part.pose
    add('at [mm]', [p[0], p[1], p[2]].map((x) => fixed(1e3 * x, 3)).join(', '))
    if (part instanceof SoftPart) add('stress', `${pascals(part.largest)} at most`)
    else this.turned(part, add)
    add('triangles', part.shape.triangles.toLocaleString('en') + (part.shape.coarse ? ', shown coarser' : ''))
    return list
  }

  private turned({ pose: p }: Part, add: (key: string, value: string) => void): void {
    const angle = 2 * Math.acos(Math.min(1, Math.abs(p[3])))
    const s = Math.sin(angle / 2) * (p[3] < 0 ? -1 : 1)
    const turn = fixed((180 / Math.PI) * angle, 2)
    add('turned', Number(turn) === 0 ? 'not' : `${turn}°`)
    if (Number(turn) !== 0) add('about', [p[4] / s, p[5] / s, p[6] / s].map((x) => fixed(x, 2)).join(', '))
  }

  private touching(frame: Frame, part: Part): HTMLElement {
    const found = touches(frame.contacts, part.index)
    if (!found.length) return make('p', { class: 'quiet' }, 'nothing')
    const table = make('table', {}, make('tr', {}, make('th', { scope: 'col' }, 'part'), make('th', { scope: 'col' }, 'force'), make('th', { scope: 'col' }, 'gap')))
    for (const touch of found) {
      const name = this.picture.info?.bodies[touch.other]?.name ?? ''
      table.append(make('tr', {}, make('td', {}, name), make('td', {}, newtons(touch.force)), make('td', {}, metres(touch.gap))))
    }
    return table
  }
}
