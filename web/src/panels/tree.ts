// The list of parts: select, hide, show alone, fix and free.
import type { Part } from '../scene/part'
import { icon, ICONS, make } from './dom'

export interface TreeActions {
  select(part: Part): void
  hide(part: Part): void
  only(part: Part): void
  fix(part: Part): void
}

export class Tree {
  readonly element = make('nav', { class: 'tree', 'aria-label': 'parts' })
  private rows = new Map<Part, HTMLElement>()

  constructor(private readonly actions: TreeActions) {}

  load(title: string, sentence: string, parts: Part[], refittable: boolean): void {
    this.rows.clear()
    const list = make('ul', { class: 'parts' })
    for (const part of parts) {
      const button = (label: string, path: string, act: () => void, kind = ''): HTMLButtonElement =>
        make('button', { type: 'button', class: `small ${kind}`, title: label, 'aria-label': `${label}: ${part.info.name}`, click: act }, icon(path))
      const swatch = make('span', { class: 'swatch', 'aria-hidden': 'true' })
      swatch.style.background = part.info.colour
      const name = make('button', { type: 'button', class: 'name', click: () => this.actions.select(part) }, swatch, part.info.name)
      const row = make('li', {}, name, button('hide or show', ICONS.eye, () => this.actions.hide(part)), button('show alone', ICONS.only, () => this.actions.only(part)))
      if (refittable) row.append(button('fix or free', ICONS.lock, () => this.actions.fix(part), 'lock'))
      this.rows.set(part, row)
      list.append(row)
    }
    this.element.replaceChildren(make('h1', { title }, title), ...(sentence ? [make('p', { class: 'quiet' }, sentence)] : []), list)
  }

  mark(selected: Part | null): void {
    for (const [part, row] of this.rows) {
      row.classList.toggle('selected', part === selected)
      row.classList.toggle('hidden-part', part.hidden)
      row.classList.toggle('fixed-part', part.fixed)
      row.querySelector('.name')!.setAttribute('aria-current', String(part === selected))
    }
  }
}
