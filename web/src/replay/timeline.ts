// The timeline of a record: play, scrub, loop, speed, and marks where something happened.
import { icon, ICONS, make } from '../panels/dom'
import type { SceneInfo } from '../net/messages'
import type { Record } from './record'

/** How marks look, by what happened, what matters most first; others that a record may know look alike. */
const SIGNS: { [kind: string]: string } = { impact: '◆', 'given up': '■', note: '●', touch: '▲', 'let go': '▽', 'slide off': '◣', slip: '▷', stick: '▪' }
const OTHER = '●'
/** Of the whole time: marks that are nearer to each other are one. */
const APART = 0.014
/** Of a mark. */
const MOST_LINES = 8

/** Of a kind of mark, for the style. */
function classOf(kind: string): string {
  return kind.replaceAll(' ', '-')
}

export class Timeline {
  readonly element = make('div', { class: 'timeline' })
  private readonly slider: HTMLInputElement
  private readonly clock = make('output', { class: 'clock' })
  private readonly button: HTMLButtonElement
  private playing = true
  private loop = true
  private speed = 1
  private time: number
  private before = performance.now()
  private shown = -1

  constructor(
    private readonly record: Record,
    private readonly show: (frame: number) => void,
  ) {
    const { frames, scene } = record
    const [start, end] = [frames[0].time, frames[frames.length - 1].time]
    this.time = start
    // A short record is shown slowly enough to be seen.
    this.speed = Math.min(1, Math.max(0.01, (end - start) / 4))
    this.slider = make('input', { type: 'range', min: String(start), max: String(end), step: 'any', 'aria-label': 'time' })
    this.slider.addEventListener('input', () => {
      this.playing = false
      this.time = Number(this.slider.value)
      this.label()
    })
    this.button = make('button', { type: 'button', 'aria-label': 'play or pause (space)', click: () => this.toggle() })
    const speed = make('select', { 'aria-label': 'speed' })
    for (const [value, text] of [[this.speed, `${+this.speed.toPrecision(2)} x`], [1, '1 x'], [0.25, '1/4 x'], [0.1, '1/10 x'], [0.01, '1/100 x'], [4, '4 x']] as const)
      speed.append(make('option', { value: String(value) }, text))
    speed.addEventListener('change', () => (this.speed = Number(speed.value)))
    const loop = make('input', { type: 'checkbox', checked: true })
    loop.addEventListener('change', () => (this.loop = loop.checked))
    const track = make('div', { class: 'track' }, this.slider)
    const whole = Math.max(end - start, 1e-9)
    for (const { time, kind, text } of bunches(scene.marks, APART * whole)) {
      const share = (time - start) / whole
      const dot = make('span', { class: `mark ${classOf(kind)}`, title: text, click: () => this.goTo(time) }, SIGNS[kind] ?? OTHER)
      // The button of a slider does not go to its very ends.
      dot.style.left = `calc(${100 * share}% + ${8 - 16 * share}px)`
      track.append(dot)
    }
    const kinds = [...new Set(scene.marks.map(([, kind]) => kind))]
    const legend = make('span', { class: 'legend quiet' }, ...kinds.map((kind) => make('span', {}, make('span', { class: classOf(kind) }, SIGNS[kind] ?? OTHER), ` ${kind}`)))
    this.element.append(this.button, track, this.clock, speed, make('label', { class: 'labelled' }, loop, 'loop'), legend)
    this.label()
  }

  toggle(): void {
    this.playing = !this.playing
    this.before = performance.now()
    this.label()
  }

  /** Show a moment [s], and stop there. */
  goTo(time: number): void {
    this.playing = false
    this.time = time
    this.label()
  }

  /** Move on by a number of frames, and stop there. */
  jump(by: number): void {
    this.playing = false
    const at = Math.min(this.record.frames.length - 1, Math.max(0, this.shown + by))
    this.time = this.record.frames[at].time
    this.label()
  }

  tick(): void {
    const now = performance.now()
    const { frames } = this.record
    const end = frames[frames.length - 1].time
    if (this.playing) {
      this.time += ((now - this.before) / 1000) * this.speed
      if (this.time > end) {
        this.time = this.loop ? frames[0].time : end
        if (!this.loop) this.toggle()
      }
      this.slider.value = String(this.time)
      this.clock.textContent = `${this.time.toFixed(3)} s`
    }
    this.before = now
    const at = frameAt(frames, this.time)
    if (at !== this.shown) {
      this.shown = at
      this.show(at)
    }
  }

  private label(): void {
    this.button.replaceChildren(icon(this.playing ? ICONS.pause : ICONS.play, true))
    this.slider.value = String(this.time)
    this.clock.textContent = `${this.time.toFixed(3)} s`
  }
}

/** One mark, or several that are too near to each other to be told apart: the first moment, and the kind that matters most. */
export interface Bunch {
  time: number
  kind: string
  text: string
}

/** Marks, in the order of time, of which those within a time [s] of the first of them are one. */
export function bunches(marks: SceneInfo['marks'], apart: number): Bunch[] {
  const found: SceneInfo['marks'][] = []
  for (const mark of marks) {
    const last = found.at(-1)
    if (last && mark[0] - last[0][0] < apart) last.push(mark)
    else found.push([mark])
  }
  const order = Object.keys(SIGNS)
  const rank = (kind: string): number => (order.includes(kind) ? order.indexOf(kind) : order.length)
  return found.map((some) => {
    const kind = some.map((mark) => mark[1]).reduce((best, each) => (rank(each) < rank(best) ? each : best))
    const lines = some.slice(0, MOST_LINES).map(([time, what, text]) => `${what}: ${text}, at ${time.toFixed(3)} s`)
    if (some.length > MOST_LINES) lines.push(`and ${some.length - MOST_LINES} more`)
    return { time: some[0][0], kind, text: lines.join('\n') }
  })
}

/** The last frame that is not after a time. */
export function frameAt(frames: { time: number }[], time: number): number {
  let [low, high] = [0, frames.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (frames[middle].time <= time) low = middle
    else high = middle - 1
  }
  return low
}
