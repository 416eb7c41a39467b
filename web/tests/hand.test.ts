import { describe, expect, it } from 'vitest'
import * as THREE from 'three'
import { isIdle, type Push, readGamepad, readReport } from '../src/hand/spacemouse'
import { Arrows } from '../src/scene/arrows'
import { between, Motion } from '../src/scene/motion'
import { fitDistance, roundLength } from '../src/scene/stage'
import { distanceText } from '../src/panels/measure'
import { lengthText } from '../src/panels/compass'
import { short } from '../src/panels/plots'

const REST: Push = [0, 0, 0, 0, 0, 0]

function words(...values: number[]): DataView {
  const view = new DataView(new ArrayBuffer(2 * values.length))
  values.forEach((value, k) => view.setInt16(2 * k, value, true))
  return view
}

describe('space mouse', () => {
  it('reads devices that tell all six at once', () => {
    expect(readReport(1, words(350, 0, -175, 0, 70, 0), REST)).toEqual([1, 0.5, 0, 0, 0, 0.2])
  })
  it('reads devices that tell pushes and turns apart', () => {
    const pushed = readReport(1, words(0, 350, 0), REST)!
    expect(pushed).toEqual([0, 0, 1, 0, 0, 0])
    expect(readReport(2, words(0, 0, 350), pushed)).toEqual([0, 0, 1, 0, -1, 0])
  })
  it('knows rest, buttons and short reports', () => {
    expect(readReport(1, words(5, -5, 3, 0, 0, 0), REST)).toEqual(REST)
    expect(isIdle(REST)).toBe(true)
    expect(readReport(3, words(1), REST)).toBeNull()
    expect(readReport(1, words(1, 2), REST)).toBeNull()
  })
  it('reads no more than full deflection', () => expect(readReport(1, words(32767, 0, 0), REST)![0]).toBe(1))
  it('reads gamepads', () => {
    const buttons = Array.from({ length: 8 }, (_, k) => ({ value: k === 7 ? 0.5 : 0 }))
    expect(readGamepad({ id: 'pad', axes: [0.5, -1, 0.25, 0.01], buttons })).toEqual([0.5, 0.5, -1, 0, 0.25, 0])
    expect(readGamepad({ id: '3Dconnexion SpaceMouse', axes: [1, 0, -1, 0, 0, 0.5], buttons: [] })).toEqual([1, 1, 0, 0, -0.5, 0])
  })
})

describe('motion', () => {
  const at = (x: number): Float64Array => new Float64Array([x, 0, 0, 1, 0, 0, 0])
  it('shows swift frames as they are', () => {
    const motion = new Motion()
    motion.aim(at(0), 0, false)
    motion.aim(at(1), 16, false)
    expect([motion.shown[0], motion.at(17)]).toEqual([1, false])
  })
  it('glides between slow ones and arrives', () => {
    const motion = new Motion()
    motion.aim(at(0), 0, false)
    motion.aim(at(1), 80, false)
    motion.at(120)
    expect(motion.shown[0]).toBeCloseTo(0.5)
    motion.at(161)
    expect([motion.shown[0], motion.at(162)]).toEqual([1, false])
  })
  it('jumps where time does', () => {
    const motion = new Motion()
    motion.aim(at(0), 0, false)
    motion.aim(at(1), 80, true)
    expect(motion.shown[0]).toBe(1)
  })
  it('turns by the shorter way', () => {
    const out = new Float64Array(7)
    between(at(0), new Float64Array([0, 0, 0, -1, 0, 0, 0]), 0, 0.5, out)
    expect(Array.from(out.subarray(3))).toEqual([1, 0, 0, 0])
  })
})

function contact(x: number, force: number): Float64Array {
  return new Float64Array([x, 0, 0, 0, 0, 1, 0, 0, force, 1e-6, 0, 1, -1, -1])
}

describe('arrows', () => {
  const origin = [0, 0, 0]
  it('come in and go within a tenth of a second', () => {
    const arrows = new Arrows()
    arrows.aim(contact(0, 2), origin, 1)
    arrows.advance(16)
    expect(arrows.shown[0].force.z).toBeGreaterThan(0.3)
    expect(arrows.shown[0].force.z).toBeLessThan(1.2)
    for (let k = 0; k < 20; k++) arrows.advance(16)
    expect([arrows.shown[0].force.z, arrows.count]).toEqual([2, 1])
    expect(arrows.advance(16)).toBe(false)
    arrows.aim(new Float64Array(0), origin, 1)
    expect(arrows.count).toBe(0)
    expect(arrows.advance(0)).toBe(true)
    for (let k = 0; k < 20; k++) arrows.advance(16)
    expect(arrows.shown.length).toBe(0)
  })
  it('show the mean of contacts that chatter', () => {
    const arrows = new Arrows()
    let [low, high] = [Infinity, -Infinity]
    for (let k = 0; k < 60; k++) {
      arrows.aim(contact(0.001 * (k % 2), k % 2 ? 4 : 0), origin, 1)
      arrows.advance(8)
      if (k > 30) [low, high] = [Math.min(low, arrows.shown[0].force.z), Math.max(high, arrows.shown[0].force.z)]
    }
    expect(arrows.shown.length).toBe(1)
    expect([low > 1.6, high < 2.4]).toEqual([true, true])
  })
})

describe('lengths', () => {
  it('are round', () => expect([roundLength(0.034), roundLength(0.99), roundLength(7)].map((x) => +x.toFixed(6))).toEqual([0.02, 0.5, 5]))
  it('have units', () => expect([lengthText(0.02), lengthText(1e-6 * 50), lengthText(1)]).toEqual(['20 mm', '50 µm', '1 m']))
  it('are told with bounds where these are apart', () => {
    expect(distanceText({ lower: 0, upper: 0 })).toBe('they meet')
    expect(distanceText({ lower: 1e-3, upper: 1e-3 })).toBe('1.000 mm')
    expect(distanceText({ lower: 1e-3, upper: 2e-3 })).toBe('1.000 mm to 2.000 mm')
  })
  it('fit the view', () => {
    const box = new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1))
    expect(fitDistance(box, new THREE.Vector3(0, -1, 0), 0.5, 0.5, 1)).toBeCloseTo(3)
  })
  it('are short', () => expect([short(0), short(1e-12), short(2.448123), short(1e-6)]).toEqual(['0', '0', '2.448', '1.0e-6']))
})
