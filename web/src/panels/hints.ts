// Three hints on a first visit, one at a time, and never again.
import { make } from './dom'

const SEEN = 'abut-hints'

export class Hints {
  readonly element = make('div', { class: 'hint', role: 'status', hidden: true })
  private left: string[]

  constructor(first: string) {
    let seen = true
    try {
      seen = localStorage.getItem(SEEN) !== null
    } catch {
      seen = true
    }
    this.left = seen ? [] : [first, 'Space pauses.', '? shows all keys.']
    this.next()
  }

  /** Something was done: on to the next hint. */
  next(): void {
    const text = this.left.shift()
    this.element.hidden = text === undefined
    this.element.textContent = text ?? ''
    if (text !== undefined) {
      setTimeout(() => this.element.textContent === text && this.next(), 9000)
      try {
        localStorage.setItem(SEEN, '1')
      } catch {
        // A page without storage shows them again.
      }
    }
  }
}
