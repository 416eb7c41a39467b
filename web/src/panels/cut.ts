// Where the section is: axis, place, side.
import type { Picture } from '../scene/picture'
import type { Axis } from '../scene/section'
import { make } from './dom'

export class CutPanel {
  readonly element = make('div', { class: 'cut', hidden: true, role: 'group', 'aria-label': 'section' })

  private readonly every: HTMLElement

  constructor(private readonly picture: Picture) {
    const axis = make('select', { 'aria-label': 'axis of the section' })
    for (const name of ['x', 'y', 'z']) axis.append(make('option', { value: name, selected: name === 'y' }, name))
    const place = make('input', { type: 'range', min: '-0.5', max: '0.5', step: '0.002', value: '0', 'aria-label': 'place of the section', class: 'slider' })
    const side = make('button', { type: 'button', click: () => this.change(() => (this.picture.section.flipped = !this.picture.section.flipped)) }, 'other side')
    axis.addEventListener('change', () => this.change(() => (this.picture.section.axis = axis.value as Axis)))
    place.addEventListener('input', () => this.change(() => (this.picture.section.offset = Number(place.value))))
    const all = make('input', { type: 'checkbox' })
    all.addEventListener('change', () => this.change(() => (this.picture.section.all = all.checked)))
    this.every = make('label', { class: 'labelled' }, all, 'all parts')
    this.element.append('section', axis, place, side, this.every)
  }

  /** Another scene: some want that only some of their parts are cut. */
  load(): void {
    const { section, parts } = this.picture
    this.every.hidden = section.chosen.size === 0 || parts.every((part) => section.chosen.has(part.info.name))
  }

  toggle(): boolean {
    this.change(() => (this.picture.section.on = !this.picture.section.on))
    this.element.hidden = !this.picture.section.on
    return this.picture.section.on
  }

  private change(act: () => void): void {
    act()
    this.picture.section.apply(this.picture.parts)
    this.picture.stage.shade()
  }
}
