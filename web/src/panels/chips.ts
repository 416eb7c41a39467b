// Short sentences in the corner of the view: time and pace, what is not as asked, who drives.
import { countContacts, type Frame, type SceneInfo, type Status } from '../net/messages'
import { make } from './dom'

export class Chips {
  readonly element = make('div', { class: 'chips', role: 'status', 'aria-live': 'polite' })
  private readonly time = make('div', { class: 'chip', 'aria-live': 'off' })
  private readonly told = make('div', { class: 'chip warn', hidden: true })
  private readonly said = make('div', { class: 'chip', hidden: true })
  private readonly lost = make('div', { class: 'chip warn', hidden: true }, 'Connection lost; the picture is frozen. Trying again; is abut play still running?')
  private readonly own = make('div', { class: 'chip', hidden: true })
  private readonly watching: HTMLElement
  private readonly scene = make('div', { class: 'chip', hidden: true })
  private readonly apart: HTMLElement
  private readonly away = make('div', { class: 'chip', hidden: true })
  private shown = ''

  constructor({ take, part, byHand, fit }: { take(): void; part(): void; byHand(): void; fit(): void }) {
    this.away.append('Nothing that moves is in sight. ', make('button', { type: 'button', title: 'show everything (Home)', click: fit }, 'show all'))
    this.apart = make(
      'div',
      { class: 'chip', hidden: true },
      make('button', { type: 'button', title: 'put the red parts where they overlap nothing, by the shortest way', click: part }, 'move apart'),
      make('button', { type: 'button', title: 'drag the red parts; nothing holds them back', click: byHand }, 'take apart by hand'),
    )
    this.watching = make('div', { class: 'chip', hidden: true }, 'Another page has the hand. ', make('button', { type: 'button', click: take }, 'take it'))
    this.element.append(this.scene, this.lost, this.told, this.apart, this.said, this.own, this.watching, this.away, this.time)
  }

  /** Whether all that moves is out of sight. */
  lose(on: boolean): void {
    if (this.away.hidden === on) this.away.hidden = !on
  }

  connected(on: boolean): void {
    this.lost.hidden = on
  }

  /** A sentence of the page itself, for some seconds. */
  say(sentence: string): void {
    this.own.textContent = sentence
    this.own.hidden = false
    setTimeout(() => (this.own.hidden = this.own.textContent === sentence || this.own.hidden), 6000)
  }

  note(info: SceneInfo): void {
    const coarse = info.shapes.some((shape) => shape.coarse) ? 'Large parts are shown coarser than they are simulated.' : ''
    this.scene.textContent = [info.note && sentence(info.note), coarse].filter(Boolean).join(' ')
    this.scene.hidden = !this.scene.textContent
  }

  /** What a frame says; `live` if time passes by itself, `regions` if these are shown. */
  show(frame: Frame, live: boolean, regions: boolean): void {
    const { status } = frame
    const text = [`${frame.time.toFixed(live ? 2 : 3)} s`, ...(live ? [paceText(status)] : []), contactsText(countContacts(frame)), ...(regions ? regionsText(frame.status.regions) : [])].join(' · ')
    if (text !== this.shown) this.time.textContent = this.shown = text
    this.time.classList.toggle('warn', live && status.givenUp > 0)
    this.apart.hidden = !live || !frame.driving || status.overlapping.length === 0
    this.watching.hidden = frame.driving
    this.told.hidden = !status.problem
    this.said.hidden = !status.said
    if (status.said) write(this.said, capital(status.said))
    if (status.problem) write(this.told, capital(status.problem))
  }
}

const PHASES: { [phase: string]: string } = {
  predict: 'finding what can touch',
  solve: 'solving for forces',
  check: 'checking motions for overlap',
  admit: 'checking motions for overlap',
  advance: 'moving the parts',
}

type Going = Pick<Status, 'paused' | 'pace' | 'speed' | 'phase' | 'givenUp' | 'stuck'>

/** How fast time passes; if slower than asked for, by how much and why; if some of it is given up, how much and for whom. */
export function paceText({ paused, pace, speed, phase, givenUp, stuck }: Going): string {
  if (paused) return 'paused'
  const swift = pace >= 0.9 * speed
  const why = PHASES[phase]
  const asked = speed === 1 ? 'real time' : `${speed} x real time`
  const slow = `${pace.toFixed(2)} x real time, as fast as this computer can${why ? `; most of it goes into ${why}` : ''}`
  return [swift ? asked : slow, givenUpText(givenUp, stuck)].filter(Boolean).join(' · ')
}

function givenUpText(share: number, stuck: string[]): string {
  if (!(share > 0)) return ''
  const who = stuck.length ? stuck.join(', ') : 'some parts'
  return `${Math.max(1, Math.round(100 * share))} % of the time given up: ${who} had no way without overlap`
}

function write(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

/** A text that begins with a capital letter, if it begins with a word and not with the name of a file or an option. */
export function capital(text: string): string {
  return /^[a-z]+ /.test(text) ? `${text[0].toUpperCase()}${text.slice(1)}` : text
}

/** A text with a capital letter and a full stop. */
function sentence(text: string): string {
  return `${text[0].toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
}

/** How many contact regions there are, where they are told. */
function regionsText(regions: Status['regions']): string[] {
  return Array.isArray(regions) ? [regions.length === 1 ? '1 region' : `${regions.length} regions`] : []
}

function contactsText(n: number): string {
  return n === 1 ? '1 contact' : `${n} contacts`
}
