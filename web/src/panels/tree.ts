// The list of parts: select, hide, show alone, fix and free; many of the same are one row that opens.
import type { Part } from '../scene/part'
import { icon, ICONS, make } from './dom'

export interface TreeActions {
  select(part: Part): void
  hide(part: Part, hidden: boolean): void
  only(part: Part): void
  fix(part: Part): void
}

/** Equal parts from which on they are one row. */
const MANY = 3

export interface Group<T> {
  name: string
  parts: T[]
}

/** Parts of one shape whose names differ by a number at most belong together; in the order of their first. */
export function groupsOf<T>(parts: T[], name: (part: T) => string, shape: (part: T) => number): Group<T>[] {
  const found = new Map<string, Group<T>>()
  for (const part of parts) {
    const stem = stemOf(name(part))
    const key = `${shape(part)} ${stem}`
    if (!found.has(key)) found.set(key, { name: stem, parts: [] })
    found.get(key)!.parts.push(part)
  }
  return [...found.values()].flatMap((group) => (group.parts.length < MANY ? group.parts.map((part) => ({ name: name(part), parts: [part] })) : [group]))
}

/** A name without the number at its end. */
export function stemOf(name: string): string {
  return name.replace(/[\s_.:#-]*\(?\d+\)?$/, '') || name
}

interface Many {
  parts: Part[]
  row: HTMLElement
  list: HTMLElement
  button: HTMLElement
}

export class Tree {
  readonly element = make('nav', { class: 'tree', 'aria-label': 'parts' })
  private rows = new Map<Part, HTMLElement>()
  private groups: Many[] = []
  private refittable = false

  constructor(private readonly actions: TreeActions) {}

  load(title: string, sentence: string, parts: Part[], refittable: boolean): void {
    this.rows.clear()
    this.groups = []
    this.refittable = refittable
    const groups = groupsOf(parts, (part) => part.info.name, (part) => part.info.shape)
    const list = make('ul', { class: 'parts' }, ...groups.map((group) => (group.parts.length > 1 ? this.many(group) : this.one(group.parts[0]))))
    this.element.replaceChildren(make('h1', { title }, title), ...(sentence ? [make('p', { class: 'quiet' }, sentence)] : []), list)
  }

  mark(selected: Part | null): void {
    for (const [part, row] of this.rows) {
      row.classList.toggle('selected', part === selected)
      row.classList.toggle('hidden-part', part.hidden)
      row.classList.toggle('fixed-part', part.fixed)
      row.querySelector('.name')!.setAttribute('aria-current', String(part === selected))
    }
    for (const group of this.groups) {
      group.row.classList.toggle('hidden-part', group.parts.every((part) => part.hidden))
      if (selected && group.parts.includes(selected)) this.unfold(group, true)
    }
  }

  private one(part: Part): HTMLElement {
    const { name } = part.info
    const row = make('li', {}, make('button', { type: 'button', class: 'name', title: name, click: () => this.actions.select(part) }, swatch(part), name))
    row.append(small('hide or show', name, ICONS.eye, () => this.actions.hide(part, !part.hidden)), small('show alone', name, ICONS.only, () => this.actions.only(part)))
    if (this.refittable && !part.soft) row.append(small('fix or free', name, ICONS.lock, () => this.actions.fix(part), 'lock'))
    this.rows.set(part, row)
    return row
  }

  private many({ name, parts }: Group<Part>): HTMLElement {
    const list = make('ul', { class: 'parts inner', hidden: true }, ...parts.map((part) => this.one(part)))
    const button = make('button', { type: 'button', class: 'name', 'aria-expanded': 'false' }, swatch(parts[0]), `${name} ×${parts.length}`, icon(ICONS.down))
    const hide = small('hide or show all', name, ICONS.eye, () => {
      const hidden = parts.some((part) => !part.hidden)
      for (const part of parts) this.actions.hide(part, hidden)
    })
    const row = make('div', { class: 'row' }, button, hide)
    const group = { parts, row, list, button }
    button.addEventListener('click', () => this.unfold(group, list.hidden !== false))
    this.groups.push(group)
    return make('li', { class: 'many' }, row, list)
  }

  private unfold({ list, button }: Many, on: boolean): void {
    list.hidden = !on
    button.setAttribute('aria-expanded', String(on))
  }
}

function swatch(part: Part): HTMLElement {
  const element = make('span', { class: 'swatch', 'aria-hidden': 'true' })
  element.style.background = part.info.colour
  return element
}

function small(label: string, name: string, path: string, act: () => void, kind = ''): HTMLButtonElement {
  return make('button', { type: 'button', class: `small ${kind}`, title: label, 'aria-label': `${label}: ${name}`, click: act }, icon(path))
}
