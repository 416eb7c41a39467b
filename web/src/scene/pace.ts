// How finely to draw: coarser while a picture takes the graphics card long, as finely as the screen is when nothing moves.

/** Shares of the full resolution, from one level to the next. */
export const SHARES = [1, 0.7, 0.5, 0.35]
/** [ms] that drawing a picture may take. */
export const SLOW = 18
/** Pictures from which one knows. */
const ENOUGH = 6
/** Of these, so many that take too long are too many. */
const TOO_MANY = 4
/** [ms] without any that takes long, before finer ones are tried; twice as long after each attempt. */
const PATIENCE = 4000
/** [ms] without change after which the picture is drawn in full. */
export const REST = 200
/** [ms] from one such picture to the next, where nothing moves but forces tremble. */
const CALM = 500
/** Pictures for one update of the shadows, where they are drawn coarser. */
const SHADOWS = 3

/** What has changed since the last picture, which was drawn `since` milliseconds ago. */
export interface Changes {
  moved: boolean
  /** Something that is hardly seen: arrows, faces that light up, parts that stir by less than a pixel. */
  trembled: boolean
  /** Whether the last picture was not drawn in full. */
  coarse: boolean
  since: number
}

/** What to draw now: a picture of motion, as fine as time allows, one of rest, in full, or none. */
export function drawing({ moved, trembled, coarse, since }: Changes, level: number): 'motion' | 'rest' | 'none' {
  if (moved || (trembled && level === 0)) return 'motion'
  const patience = trembled && !coarse ? CALM : REST
  return (trembled || coarse) && since > patience ? 'rest' : 'none'
}

export class Pace {
  level = 0
  private seen: boolean[] = []
  private swiftSince: number | null = null
  private patience = PATIENCE
  private shaded = 0

  /** The share of the full resolution with which pictures of motion are drawn. */
  get share(): number {
    return SHARES[this.level]
  }

  /** A picture of motion was drawn, `late` if it took longer than SLOW; at a time [ms]. */
  drawn(late: boolean, now: number): void {
    this.seen = [...this.seen.slice(1 - ENOUGH), late]
    if (late) this.swiftSince = null
    else this.swiftSince ??= now
    if (this.seen.filter(Boolean).length >= TOO_MANY) this.go(Math.min(this.level + 1, SHARES.length - 1))
    else if (this.level > 0 && this.swiftSince !== null && now - this.swiftSince > this.patience) {
      this.patience *= 2
      this.go(this.level - 1)
    }
  }

  /** Whether shadows that are no longer right should be drawn anew with this picture. */
  shades(): boolean {
    return this.level === 0 || this.shaded++ % SHADOWS === 0
  }

  private go(level: number): void {
    this.level = level
    this.seen = []
    this.swiftSince = null
  }
}
