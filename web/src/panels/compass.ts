// Where the axes point and how long things are: a small cross of axes and a bar of a round length.
import * as THREE from 'three'
import { AXIS_COLOURS } from '../scene/axes'
import { roundLength } from '../scene/stage'
import type { Picture } from '../scene/picture'
import { make } from './dom'

const SVG = 'http://www.w3.org/2000/svg'
const AXES = ['x', 'y', 'z'].map((name, k) => ({ name, colour: AXIS_COLOURS[k] }))
const LONG = 26
const MIDDLE = 36

export class Compass {
  readonly element = make('div', { class: 'compass', 'aria-hidden': 'true' })
  private readonly lines: { line: SVGLineElement; text: SVGTextElement }[]
  private readonly bar = make('div', { class: 'bar' })
  private readonly length = make('span')
  private seen = ''

  constructor(private readonly picture: Picture) {
    const cross = document.createElementNS(SVG, 'svg')
    cross.setAttribute('viewBox', `0 0 ${2 * MIDDLE} ${2 * MIDDLE}`)
    this.lines = AXES.map(({ name, colour }) => {
      const line = document.createElementNS(SVG, 'line')
      const text = document.createElementNS(SVG, 'text')
      line.setAttribute('stroke', colour)
      text.setAttribute('fill', colour)
      text.textContent = name
      cross.append(line, text)
      return { line, text }
    })
    this.element.append(make('div', { class: 'scale' }, this.length, this.bar), cross)
  }

  /** Follow the camera. */
  show(): void {
    const { camera, height, orbit } = this.picture.stage
    const info = this.picture.info
    const key = `${camera.matrixWorld.elements.join()},${height},${info?.size ?? 0}`
    if (!info || key === this.seen) return
    this.seen = key
    const view = camera.matrixWorldInverse.elements
    for (const [k, { line, text }] of this.lines.entries()) {
      const [x, y] = [MIDDLE + LONG * view[4 * k], MIDDLE - LONG * view[4 * k + 1]]
      const ends = { x1: MIDDLE, y1: MIDDLE, x2: x, y2: y }
      for (const [name, value] of Object.entries(ends)) line.setAttribute(name, String(value))
      text.setAttribute('x', String(x + 6 * view[4 * k]))
      text.setAttribute('y', String(y - 6 * view[4 * k + 1] + 3))
    }
    const tall = 2 * camera.position.distanceTo(orbit.target) * Math.tan(THREE.MathUtils.degToRad(camera.fov / 2)) * info.size
    const pixel = tall / height
    const length = roundLength(120 * pixel)
    this.bar.style.width = `${length / pixel}px`
    this.length.textContent = lengthText(length)
  }
}

/** A round length with its unit. */
export function lengthText(length: number): string {
  if (length >= 0.9) return `${+length.toPrecision(1)} m`
  if (length >= 0.9e-3) return `${+(1e3 * length).toPrecision(1)} mm`
  return `${+(1e6 * length).toPrecision(1)} µm`
}
