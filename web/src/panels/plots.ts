// Force, smallest gap and energy: over the last seconds of play, or over a whole record.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { CONTACT, CONTACT_WIDTH, type Frame } from '../net/messages'
import { make } from './dom'

const KEPT = 300

interface Curve {
  value: HTMLOutputElement
  read(frame: Frame): number | null
  data: [number[], (number | null)[]]
  plot: uPlot | null
  holder: HTMLElement
}

/** A record whose curves are shown from its start to its end, and what a click on one asks for. */
export interface Whole {
  frames: Frame[]
  goTo(time: number): void
}

export class Plots {
  readonly element = make('section', { class: 'plots', 'aria-label': 'plots' })
  private readonly curves: Curve[]
  private last = -Infinity
  private drawn = 0
  /** [s] of the moment of a record that is shown. */
  private now = 0

  constructor(private readonly whole: Whole | null = null) {
    const curve = (title: string, read: (frame: Frame) => number | null): Curve => {
      const holder = make('div', { class: 'curve', role: 'img', 'aria-label': `${title} over time` })
      const value = make('output', { class: 'value', 'aria-label': title })
      this.element.append(make('div', { class: 'plot' }, make('div', { class: 'head' }, make('span', {}, title), value), holder))
      return { value, read, data: [[], []], plot: null, holder }
    }
    const force = whole ? curve('largest force of a contact [N]', largestForce) : curve('force of the hand [N]', ({ status }) => (status.held ? Math.hypot(...status.held.force) : 0))
    this.curves = [
      force,
      curve('smallest gap [µm]', ({ status }) => (status.gap === null ? null : 1e6 * status.gap)),
      curve('energy [mJ]', ({ status }) => 1e3 * status.energy),
    ]
    for (const { data, read } of this.curves) {
      for (const frame of whole?.frames ?? []) {
        data[0].push(frame.time)
        data[1].push(read(frame))
      }
    }
    new ResizeObserver(() => this.resize()).observe(this.element)
  }

  /** A frame that came, or the one of the record that is shown now. */
  add(frame: Frame): void {
    if (this.whole) this.mark(frame)
    else this.append(frame)
  }

  private mark(frame: Frame): void {
    this.now = frame.time
    for (const curve of this.curves) {
      curve.plot?.redraw(false, false)
      this.tell(curve, curve.read(frame))
    }
  }

  private tell(curve: Curve, value: number | null): void {
    curve.value.textContent = value === null ? 'none' : short(value)
  }

  private append(frame: Frame): void {
    if (frame.time < this.last) this.clear()
    if (frame.time - this.last < 1 / 40) return
    this.last = frame.time
    for (const { data, read } of this.curves) {
      data[0].push(frame.time)
      data[1].push(read(frame))
      if (data[0].length > KEPT) {
        data[0].shift()
        data[1].shift()
      }
    }
    const now = performance.now()
    if (now - this.drawn < 120) return
    this.drawn = now
    for (const curve of this.curves) {
      if (curve.data[0].length > 1) curve.plot?.setData(curve.data)
      this.tell(curve, curve.data[1].at(-1) ?? null)
    }
  }

  /** Begin with empty plots, and in the colours of the page. */
  clear(): void {
    this.last = -Infinity
    for (const curve of this.curves) curve.data = [[], []]
  }

  restyle(): void {
    for (const curve of this.curves) {
      curve.plot?.destroy()
      curve.plot = null
    }
    this.resize()
  }

  private resize(): void {
    for (const curve of this.curves) {
      const { clientWidth: width, clientHeight: height } = curve.holder
      if (width < 60 || height < 40) continue
      if (curve.plot) curve.plot.setSize({ width, height })
      else curve.plot = this.makePlot(curve, width, height)
    }
  }

  /** A line at the moment that is shown. */
  private line(plot: uPlot, colour: string): void {
    const { left, top, width, height } = plot.bbox
    const x = Math.min(Math.max(plot.valToPos(this.now, 'x', true), left), left + width)
    plot.ctx.fillStyle = colour
    plot.ctx.fillRect(Math.round(x), top, devicePixelRatio, height)
  }

  private makePlot(curve: Curve, width: number, height: number): uPlot {
    const style = getComputedStyle(document.documentElement)
    const [ink, line, accent] = ['--quiet', '--line', '--accent'].map((name) => style.getPropertyValue(name).trim())
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 3 }, font: '10px system-ui' }
    const { whole } = this
    const span = (low: number | null, high: number | null): [number, number] =>
      whole ? [whole.frames[0].time, whole.frames.at(-1)!.time] : [low ?? 0, Math.max(high ?? 0, (low ?? 0) + 1)]
    const plot = new uPlot(
      {
        width,
        height,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: (_plot, low, high) => span(low, high) }, y: { range: (_plot, low, high) => heights(low, high) } },
        axes: [{ ...axis, size: 20, values: (_plot, values) => values.map((value) => `${short(value)} s`) }, { ...axis, size: 46, values: (_plot, values) => values.map(short), space: 20 }],
        series: [{}, { stroke: accent, width: 1.5, points: { show: false } }],
        hooks: whole ? { draw: [(each) => this.line(each, ink)] } : {},
      },
      curve.data,
      curve.holder,
    )
    if (whole) plot.over.addEventListener('click', (event) => whole.goTo(plot.posToVal(event.clientX - plot.over.getBoundingClientRect().left, 'x')))
    return plot
  }
}

/** [N] of the contact that presses hardest. */
function largestForce({ contacts }: Frame): number {
  let largest = 0
  for (let row = CONTACT.force; row < contacts.length; row += CONTACT_WIDTH) largest = Math.max(largest, Math.hypot(contacts[row], contacts[row + 1], contacts[row + 2]))
  return largest
}

/** From where to where a plot goes, for values from low to high: so far that its numbers differ in their digits. */
export function heights(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || low === high) return [Math.min(0, low ?? 0), 1.2 * Math.max(0, high ?? 0) || 1]
  const room = Math.max(0.08 * (high - low), 2e-3 * Math.max(Math.abs(low), Math.abs(high)))
  return [low > 0 ? Math.min(0.95 * low, low - room) : low - room, high + room]
}

/** A number in few letters. */
export function short(value: number): string {
  const size = Math.abs(value)
  if (size < 1e-9) return '0'
  if (size < 1e-3 || size >= 1e5) return value.toExponential(1)
  return String(+value.toPrecision(4))
}
