// Short sentences in the corner of the view: time and pace, what is not as asked, who drives.
import type { Frame, SceneInfo } from '../net/messages'
import { make } from './dom'

export class Chips {
  readonly element = make('div', { class: 'chips', role: 'status', 'aria-live': 'polite' })
  private readonly time = make('div', { class: 'chip', 'aria-live': 'off' })
  private readonly told = make('div', { class: 'chip warn', hidden: true })
  private readonly said = make('div', { class: 'chip', hidden: true })
  private readonly lost = make('div', { class: 'chip warn', hidden: true }, 'Connection lost; the picture is frozen. Trying again.')
  private readonly watching: HTMLElement
  private readonly scene = make('div', { class: 'chip', hidden: true })
  private shown = ''

  constructor(take: () => void) {
    this.watching = make('div', { class: 'chip', hidden: true }, 'Another page has the hand. ', make('button', { type: 'button', click: take }, 'take it'))
    this.element.append(this.scene, this.lost, this.told, this.said, this.watching, this.time)
  }

  connected(on: boolean): void {
    this.lost.hidden = on
  }

  note(info: SceneInfo): void {
    const coarse = info.shapes.some((shape) => shape.coarse) ? 'Large parts are shown coarser than they are simulated.' : ''
    this.scene.textContent = [info.note && `${info.note}.`, coarse].filter(Boolean).join(' ')
    this.scene.hidden = !this.scene.textContent
  }

  show(frame: Frame): void {
    const { status } = frame
    const text = `${frame.time.toFixed(2)} s · ${paceText(status.paused, status.pace, status.speed)} · ${contactsText(frame.contacts.length / 14)}`
    if (text !== this.shown) this.time.textContent = this.shown = text
    this.watching.hidden = frame.driving
    this.told.hidden = !status.problem
    this.said.hidden = !status.said
    if (status.said && this.said.textContent !== status.said) this.said.textContent = status.said
    if (status.problem && this.told.textContent !== status.problem) this.told.textContent = status.problem
  }
}

export function paceText(paused: boolean, pace: number, speed: number): string {
  if (paused) return 'paused'
  if (pace < 0.9 * speed) return `${pace.toFixed(2)} x real time, as fast as this computer can`
  return speed === 1 ? 'real time' : `${speed} x real time`
}

function contactsText(n: number): string {
  return n === 1 ? '1 contact' : `${n} contacts`
}
