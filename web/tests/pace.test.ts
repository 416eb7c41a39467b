import { describe, expect, it } from 'vitest'
import { drawing, Pace, SHARES, SLOW } from '../src/scene/pace'

/** Draw for some time [ms], where a picture takes as long as it has pixels. */
function drawFor(pace: Pace, from: number, span: number, full: number): number {
  let now = from
  for (; now < from + span; now += 20) pace.drawn(full * pace.share ** 2 > SLOW, now)
  return now
}

describe('how finely pictures are drawn', () => {
  it('stays full where they are drawn swiftly', () => {
    const pace = new Pace()
    drawFor(pace, 0, 5000, 10)
    expect(pace.share).toBe(1)
  })
  it('is coarser where they take long, no more than needed', () => {
    const [slow, slower] = [new Pace(), new Pace()]
    drawFor(slow, 0, 1000, 30)
    drawFor(slower, 0, 1000, 60)
    expect([slow.share, slower.share]).toEqual([SHARES[1], SHARES[2]])
  })
  it('takes no notice of single ones', () => {
    const pace = new Pace()
    for (let k = 0; k < 100; k++) pace.drawn(k % 3 === 0, 20 * k)
    expect(pace.share).toBe(1)
  })
  it('becomes finer where the load goes, and tries that ever more rarely where it does not', () => {
    const pace = new Pace()
    let now = drawFor(pace, 0, 1000, 60)
    now = drawFor(pace, now, 15_000, 5)
    expect(pace.share).toBe(1)
    let changes = 0
    for (let k = 0; k < 3000; k++) {
      const before = pace.level
      now = drawFor(pace, now, 20, 30)
      if (pace.level < before) changes++
    }
    expect(changes).toBeLessThan(4)
  })
  it('draws shadows rarely in coarse pictures', () => {
    const pace = new Pace()
    expect([pace.shades(), pace.shades()]).toEqual([true, true])
    pace.level = 1
    expect([1, 2, 3, 4, 5, 6].filter(() => pace.shades()).length).toBe(2)
  })
})

describe('when pictures are drawn', () => {
  const nothing = { moved: false, trembled: false, coarse: false, since: 1000 }
  it('draws motion at once', () => {
    expect(drawing({ ...nothing, moved: true, trembled: true, since: 0 }, 3)).toBe('motion')
    expect(drawing(nothing, 0)).toBe('none')
  })
  it('draws in full what stands, though forces tremble', () => {
    expect(drawing({ ...nothing, trembled: true, coarse: true, since: 100 }, 3)).toBe('none')
    expect(drawing({ ...nothing, trembled: true, coarse: true, since: 300 }, 3)).toBe('rest')
    expect(drawing({ ...nothing, coarse: true, since: 300 }, 3)).toBe('rest')
  })
  it('draws trembling rarely where a picture takes long, else at once', () => {
    expect(drawing({ ...nothing, trembled: true, since: 300 }, 1)).toBe('none')
    expect(drawing({ ...nothing, trembled: true, since: 600 }, 1)).toBe('rest')
    expect(drawing({ ...nothing, trembled: true, since: 5 }, 0)).toBe('motion')
  })
})
