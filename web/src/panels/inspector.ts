// What is known of the selected part: mass, pose, and what it touches with which gap and force.
import { CONTACT, CONTACT_WIDTH, type Frame } from '../net/messages'
import { kilograms, metres, newtons } from '../scene/arrows'
import type { Part } from '../scene/part'
import type { Picture } from '../scene/picture'
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
    add('state', part.fixed ? 'fixed' : 'free')
    if (part.info.mass !== null) add('mass', kilograms(part.info.mass))
    add('size', part.shape.extents.map((x) => (1e3 * x).toPrecision(3)).join(' × ') + ' mm')
    const p = part.pose
    add('place', [p[0], p[1], p[2]].map((x) => (1e3 * x).toFixed(3)).join(', ') + ' mm')
    const angle = 2 * Math.acos(Math.min(1, Math.abs(p[3])))
    const s = Math.sin(angle / 2) * (p[3] < 0 ? -1 : 1)
    const axis = angle > 1e-9 ? [p[4] / s, p[5] / s, p[6] / s] : [0, 0, 0]
    add('turned', `${((180 / Math.PI) * angle).toFixed(2)}° about ${axis.map((x) => x.toFixed(2)).join(', ')}`)
    add('triangles', part.shape.triangles.toLocaleString('en') + (part.shape.coarse ? ', shown coarser' : ''))
    return list
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
