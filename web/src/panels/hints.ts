// Three hints on a first visit, one at a time, and never again.
import { make } from './dom'

const SEEN = 'abut-hints'
/** [pixels] from the pointer. */
const BESIDE = 20

export class Hints {
  readonly element = make('div', { class: 'hint', role: 'status', hidden: true })
  private left: string[]

  constructor(
    first: string,
    private readonly view: HTMLElement,
  ) {
    let seen = true
    try {
      seen = localStorage.getItem(SEEN) !== null
    } catch {
      seen = true
    }
    this.left = seen ? [] : [first, 'Space pauses.', '? shows all keys.']
    this.next()
    view.append(this.element)
    view.addEventListener('pointermove', (event) => this.follow(event))
  }

  /** Stay beside the mouse, in the view; a finger would hide it. */
  private follow(event: PointerEvent): void {
    if (this.element.hidden || event.pointerType !== 'mouse') return
    const { left, top, width, height } = this.view.getBoundingClientRect()
    const x = Math.min(event.clientX - left + BESIDE, width - this.element.offsetWidth - BESIDE)
    // Above the pointer: below it stands the force of the hand.
    const y = Math.min(event.clientY - top - BESIDE - this.element.offsetHeight, height - this.element.offsetHeight - BESIDE)
    this.element.classList.add('at-pointer')
    this.element.style.translate = `${Math.max(x, 0)}px ${Math.max(y, 0)}px`
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
