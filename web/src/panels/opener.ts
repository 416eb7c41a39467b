// What can be opened: scenes of the library, and files. The first thing to see where nothing was named, later a dialog.
import type { SceneInfo } from '../net/messages'
import { make } from './dom'
import { KINDS } from '../net/files'

export interface OpenActions {
  /** Show a scene of the library, by its number. */
  choose(number: number, name: string): void
  files(files: File[]): void
}

export class Opener {
  readonly element = make('dialog', { class: 'opener', 'aria-label': 'open' })
  /** Whether there is nothing else to see. */
  private first = false

  constructor(private readonly actions: OpenActions) {
    this.element.addEventListener('cancel', (event) => this.first && event.preventDefault())
    this.element.addEventListener('click', (event) => event.target === this.element && !this.first && this.element.close())
  }

  get open(): boolean {
    return this.element.open
  }

  /** Another scene has come; an empty one is a page on which one is chosen. */
  load(info: SceneInfo): void {
    this.first = info.bodies.length === 0
    this.element.replaceChildren(
      make('h1', {}, this.first ? 'Take parts in the hand' : 'Open'),
      make('p', { class: 'quiet' }, 'Drop a STEP assembly, STL or other parts, or a scene (.toml) on this page, or choose files. Parts slide along what they touch, and never go where they cannot.'),
      this.chooser(),
      make('h2', {}, 'Scenes of the library'),
      make('ul', { class: 'choices' }, ...info.choices.map(([name, sentence], k) => this.choice(k, name, sentence))),
    )
    if (!this.first) this.element.append(make('button', { type: 'button', class: 'close', click: () => this.element.close() }, 'close'))
    if (this.first) this.show()
    else this.element.close()
  }

  show(): void {
    if (this.element.open) return
    // Not modal at first: files can be dropped on it, and there is nothing behind it to be kept from.
    if (this.first) this.element.show()
    else this.element.showModal()
  }

  private chooser(): HTMLElement {
    const input = make('input', { type: 'file', multiple: true, accept: KINDS.join(','), class: 'file', 'aria-label': 'files to open' })
    input.addEventListener('change', () => {
      if (input.files?.length) this.actions.files([...input.files])
      input.value = ''
      if (!this.first) this.element.close()
    })
    const button = make('button', { type: 'button', class: 'main', click: () => input.click() }, 'choose files')
    return make('p', {}, button, input)
  }

  private choice(number: number, name: string, sentence: string): HTMLElement {
    const act = (): void => {
      this.actions.choose(number, words(name))
      if (!this.first) this.element.close()
    }
    return make('li', {}, make('button', { type: 'button', class: 'choice', click: act }, make('b', {}, words(name)), make('span', { class: 'quiet' }, sentence)))
  }
}

/** A name of the library as people write it. */
export function words(name: string): string {
  return name.replaceAll('_', ' ')
}
