// Force on the hand, smallest gap and energy over the last seconds.
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Frame } from '../net/messages'
import { make } from './dom'

const KEPT = 300

interface Curve {
  title: string
  read(frame: Frame): number | null
  data: [number[], (number | null)[]]
  plot: uPlot | null
  holder: HTMLElement
}

export class Plots {
  readonly element = make('section', { class: 'plots', 'aria-label': 'plots' })
  private readonly curves: Curve[]
  private last = -Infinity
  private drawn = 0

  constructor() {
    const curve = (title: string, read: (frame: Frame) => number | null): Curve => {
      const holder = make('div', { class: 'plot', role: 'img', 'aria-label': title })
      this.element.append(holder)
      return { title, read, data: [[], []], plot: null, holder }
    }
    this.curves = [
      curve('force of the hand [N]', ({ status }) => (status.held ? Math.hypot(...status.held.force) : 0)),
      curve('smallest gap [µm]', ({ status }) => (status.gap === null ? null : 1e6 * status.gap)),
      curve('energy [mJ]', ({ status }) => 1e3 * status.energy),
    ]
    new ResizeObserver(() => this.resize()).observe(this.element)
  }

  add(frame: Frame): void {
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
    for (const curve of this.curves) curve.plot?.setData(curve.data)
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
      if (curve.plot) curve.plot.setSize({ width, height: height - 22 })
      else curve.plot = this.makePlot(curve, width, height - 22)
    }
  }

  private makePlot(curve: Curve, width: number, height: number): uPlot {
    const style = getComputedStyle(document.documentElement)
    const [ink, line, accent] = ['--quiet', '--line', '--accent'].map((name) => style.getPropertyValue(name).trim())
    const axis = { stroke: ink, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 3 }, font: '10px system-ui' }
    return new uPlot(
      {
        width,
        height,
        title: curve.title,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false } },
        axes: [{ ...axis, size: 22 }, { ...axis, size: 44 }],
        series: [{}, { stroke: accent, width: 1.5, points: { show: false } }],
      },
      curve.data,
      curve.holder,
    )
  }
}
