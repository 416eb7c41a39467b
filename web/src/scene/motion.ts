// Motion between frames: where frames come slowly, parts glide from the last one to the newest instead of jumping.

/** [ms] between frames up to which the newest one is shown as it is. */
const SWIFT = 25
/** [ms] that gliding takes at most. */
const LONGEST = 100

export class Motion {
  /** 7 numbers a body, as they are to be drawn. */
  shown = new Float64Array(0)
  /** How much of the way to the newest frame is shown, 0 to 1. */
  share = 1
  private from = new Float64Array(0)
  private to = new Float64Array(0)
  private begin = 0
  private span = 0
  private came = -Infinity

  /** A new frame has come at a time [ms]; `jump` if it does not follow the last one, as after undo. */
  aim(poses: Float64Array, came: number, jump: boolean): void {
    const pause = came - this.came
    this.came = came
    const fresh = poses.length !== this.to.length
    if (fresh) this.shown = Float64Array.from(poses)
    this.from = Float64Array.from(this.shown)
    this.to = Float64Array.from(poses)
    this.begin = came
    this.span = fresh || jump || pause < SWIFT || pause > 5 * LONGEST ? 0 : Math.min(pause, LONGEST)
    this.share = this.span === 0 ? 1 : 0
    if (this.span === 0) this.shown.set(this.to)
  }

  /** Put what is shown where it is to be at a time [ms]; returns whether it is still on its way. */
  at(now: number): boolean {
    if (this.span === 0) return false
    const t = (now - this.begin) / this.span
    this.share = Math.min(Math.max(t, 0), 1)
    if (t >= 1) {
      this.span = 0
      this.shown.set(this.to)
    } else for (let k = 0; k < this.to.length; k += 7) between(this.from, this.to, k, Math.max(t, 0), this.shown)
    return true
  }
}

/** A pose between two others: straight, and turned by the shorter way. */
export function between(from: Float64Array, to: Float64Array, at: number, t: number, out: Float64Array): void {
  for (let k = at; k < at + 3; k++) out[k] = from[k] + t * (to[k] - from[k])
  let dot = 0
  for (let k = at + 3; k < at + 7; k++) dot += from[k] * to[k]
  const sign = dot < 0 ? -1 : 1
  let length = 0
  for (let k = at + 3; k < at + 7; k++) {
    out[k] = (1 - t) * from[k] + t * sign * to[k]
    length += out[k] * out[k]
  }
  length = Math.sqrt(length) || 1
  for (let k = at + 3; k < at + 7; k++) out[k] /= length
}
