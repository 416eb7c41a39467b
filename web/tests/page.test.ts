import { describe, expect, it } from 'vitest'
import * as THREE from 'three'
import { nearestOnAxis } from '../src/hand/drag'
import { nearestAxis, nudgeLength, nudges } from '../src/hand/keys'
import { answerOf, MOST, refusal } from '../src/net/files'
import { readFrame } from '../src/net/messages'
import { capital, paceText } from '../src/panels/chips'
import { fixed, touches } from '../src/panels/inspector'
import { heights } from '../src/panels/plots'
import { fileName } from '../src/panels/take'
import { seconds } from '../src/panels/toolbar'
import { groupsOf, stemOf } from '../src/panels/tree'
import { unpack } from '../src/replay/record'
import { bunches, frameAt } from '../src/replay/timeline'
import { arrowLength, metres, newtons, zoomed } from '../src/scene/arrows'
import { insideOf } from '../src/scene/picture'
import { wordsOf } from '../src/scene/regions'

function frameOf(time: number, contacts: number): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify({ paused: false }))
  const buffer = new ArrayBuffer(40 + 56 + 112 * contacts + text.length + 2)
  const view = new DataView(buffer)
  view.setUint32(0, 0xab07, true)
  view.setUint32(4, 1, true)
  view.setUint32(8, contacts, true)
  view.setUint32(12, 5, true)
  view.setFloat64(16, time, true)
  view.setUint32(24, text.length, true)
  view.setFloat64(40, 0.25, true)
  for (let k = 0; k < contacts; k++) {
    const row = 96 + 112 * k
    view.setFloat64(row + 48, 3, true)
    view.setFloat64(row + 72, 1e-6, true)
    view.setFloat64(row + 88, 1, true)
  }
  new Uint8Array(buffer).set(text, 96 + 112 * contacts)
  new Uint8Array(buffer).set([0, 2], 96 + 112 * contacts + text.length)
  return buffer
}

function frameSaying(status: object, number: number): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(status))
  const buffer = new ArrayBuffer(40 + text.length)
  const view = new DataView(buffer)
  view.setUint32(0, 0xab07, true)
  view.setUint32(12, number, true)
  view.setUint32(24, text.length, true)
  new Uint8Array(buffer).set(text, 40)
  return buffer
}

describe('net', () => {
  it('reads frames', () => {
    const frame = readFrame(frameOf(1.5, 2))
    expect([frame.number, frame.time, frame.poses[0], frame.contacts.length]).toEqual([5, 1.5, 0.25, 28])
    expect([frame.driving, frame.watchers, frame.status.paused]).toEqual([false, 2, false])
  })
})

describe('panels', () => {
  it('sums up what a body touches', () => {
    const [touch] = touches(readFrame(frameOf(0, 2)).contacts, 1)
    expect(touch.other).toBe(0)
    expect(touch.force).toBeCloseTo(6)
    expect(touch.gap).toBe(1e-6)
  })
  it('says how fast time passes', () => {
    const status = { paused: false, pace: 1, speed: 1, phase: 'check', givenUp: 0, stuck: [] }
    expect(paceText({ ...status, paused: true })).toBe('paused')
    expect(paceText(status)).toBe('real time')
    expect(paceText({ ...status, pace: 0.31 })).toBe('0.31 x real time, as fast as this computer can; most of it goes into checking motions for overlap')
  })
  it('says how much time is given up, and for whom', () => {
    const status = { paused: false, pace: 1, speed: 1, phase: 'check', givenUp: 0.42, stuck: ['peg', 'plate'] }
    expect(paceText(status)).toBe('real time · 42 % of the time given up: peg, plate had no way without overlap')
    expect(paceText({ ...status, givenUp: 0.002, stuck: [] })).toBe('real time · 1 % of the time given up: some parts had no way without overlap')
  })
  it('begins sentences with a capital letter, but not names of files', () => {
    expect(capital('bodies overlap')).toBe('Bodies overlap')
    expect(['block.stl: is empty', 'method: expected'].map(capital)).toEqual(['block.stl: is empty', 'method: expected'])
  })
  it('writes no zero with a sign', () => expect([fixed(-0.001, 2), fixed(-1.5, 1), fixed(0.25, 2)]).toEqual(['0.00', '\u22121.5', '0.25']))
  it('lists equal parts as one', () => {
    const parts = ['housing', 'bolt 1', 'bolt 2', 'bolt 3', 'pin_1', 'pin_2', 'bolt 4'].map((name) => ({ name, shape: name.startsWith('bolt') ? 1 : name.startsWith('pin') ? 2 : 0 }))
    const groups = groupsOf(parts, (part) => part.name, (part) => part.shape)
    expect(groups.map((group) => [group.name, group.parts.length])).toEqual([['housing', 1], ['bolt', 4], ['pin_1', 1], ['pin_2', 1]])
    expect(['M6', 'bolt-12', '42', 'part (3)'].map(stemOf)).toEqual(['M', 'bolt', '42', 'part'])
  })
  it('leaves room in plots, so that their numbers differ', () => {
    const [low, high] = heights(-3.11001, -3.11)
    expect(high - low).toBeGreaterThan(1e-2)
    expect(heights(null, null)).toEqual([0, 1])
    expect(heights(1, 3)[0]).toBeLessThan(1)
  })
  it('writes short times', () => expect([seconds(1e-3), seconds(5e-4), seconds(0.02)]).toEqual(['1 ms', '500 µs', '20 ms']))
  it('names files', () => expect(fileName('abut: peg / hole')).toBe('abut-peg-hole'))
})

describe('dropped files', () => {
  it('refuses what the server would not take', () => {
    expect(refusal([{ name: 'A.STEP', size: 10 }])).toBe('')
    expect(refusal([{ name: 'a.stl', size: MOST }, { name: 'b.stl', size: 1 }])).toContain('257 MB together')
    expect(refusal([{ name: 'a.exe', size: 1 }])).toContain('a.exe: expected')
    expect(refusal([])).toContain('Nothing was dropped')
  })
  it('waits for the word to go on, then for the answer', () => {
    expect(answerOf('{"ready": true}')).toBeNull()
    expect(answerOf('{"problem": ""}')).toBe('')
    expect(answerOf('{"problem": "a.stl: is empty"}')).toBe('a.stl: is empty')
    expect(answerOf('nonsense')).toContain('does not understand')
  })
})

describe('replay', () => {
  it('finds frames by time', () => {
    const frames = [{ time: 0 }, { time: 1 }, { time: 2 }]
    expect([-1, 0, 0.5, 1, 5].map((time) => frameAt(frames, time))).toEqual([0, 0, 0, 1, 2])
  })
  it('draws marks together that cannot be told apart', () => {
    const marks: [number, string, string][] = [[0.1, 'touch', 'a and b'], [0.105, 'impact', 'c and d'], [0.3, 'note', 'here']]
    const found = bunches(marks, 0.01)
    expect(found.map(({ time, kind }) => [time, kind])).toEqual([[0.1, 'impact'], [0.3, 'note']])
    expect(found[0].text).toBe('touch: a and b, at 0.100 s\nimpact: c and d, at 0.105 s')
    const many = bunches(Array.from({ length: 11 }, (_, k) => [1e-4 * k, 'slip', 'x'] as [number, string, string]), 0.01)
    expect(many.length).toBe(1)
    expect(many[0].text.split('\n').at(-1)).toBe('and 3 more')
  })
  it('takes regions that are as before from the frame before', () => {
    const said = [[], true, true].map((regions, k) => frameSaying({ paused: false, regions }, k))
    const scene = new TextEncoder().encode(JSON.stringify({ shapes: [], bodies: [] }))
    const head = new Uint8Array(8 + scene.length)
    new DataView(head.buffer).setUint32(0, 0xab06, true)
    new DataView(head.buffer).setUint32(4, scene.length, true)
    head.set(scene, 8)
    const packed = [head, ...said.map((each) => new Uint8Array(each))].flatMap((piece) => [new Uint8Array(Uint32Array.of(piece.length).buffer), piece])
    const whole = new Uint8Array(packed.reduce((sum, piece) => sum + piece.length, 0))
    packed.reduce((at, piece) => (whole.set(piece, at), at + piece.length), 0)
    expect(unpack(whole.buffer).frames.map((each) => each.status.regions)).toEqual([[], [], []])
  })
})

describe('scene', () => {
  it('says what a region is, with its moment', () => {
    expect(wordsOf({ text: 'face 1 of a on face 2 of b, 3 N', moment: [0, 0, 0], slides: false })).toBe('face 1 of a on face 2 of b, 3 N')
    expect(wordsOf({ text: '3 N', moment: [0, 0.003, 0.004], slides: true })).toBe('3 N, 5 mN m, slides')
    expect(wordsOf({ text: '3 N', moment: [0, 3, 4], slides: false })).toBe('3 N, 5 N m')
  })
  it('draws arrows no larger where one looks closer', () => expect([3, 1, 0.2].map(zoomed)).toEqual([1, 1, 0.2]))
  it('scales arrows by the square root', () => {
    expect(arrowLength(25, 100)).toBeCloseTo(0.5 * arrowLength(100, 100))
    expect(arrowLength(0, 100)).toBe(0)
  })
  it('writes numbers with units', () => expect([newtons(0.123), newtons(1500), metres(2e-6)]).toEqual(['0.12 N', '1.50 kN', '2.00 µm']))
  it('finds the inside of a part', () => {
    const ids = new Uint32Array(25).fill(0)
    for (const k of [6, 7, 8, 11, 12, 13, 16, 17, 18]) ids[k] = 1
    expect(insideOf(ids, 5, 5)[12]).toBe(2)
  })
})

describe('hand', () => {
  it('finds the point of an axis under the pointer', () => {
    const ray = new THREE.Ray(new THREE.Vector3(0.3, -1, 0), new THREE.Vector3(0, 1, 0))
    expect(nearestOnAxis(ray, new THREE.Vector3(), 'x').x).toBeCloseTo(0.3)
  })
  it('nudges along the axes of the world', () => {
    const pressed = (key: string, shiftKey = false, ctrlKey = false) => ({ key, shiftKey, ctrlKey, metaKey: false, repeat: false })
    expect([nudgeLength(pressed('')), nudgeLength(pressed('', true)), nudgeLength(pressed('', false, true))]).toEqual([1e-4, 1e-3, 1e-5])
    expect(nearestAxis([0.2, -0.9, 0])).toEqual([0, -1, 0])
    expect(nudges(pressed('PageUp'), new THREE.PerspectiveCamera())?.shift).toEqual([0, 0, 1e-4])
    expect(nudges(pressed('q'), new THREE.PerspectiveCamera())).toBeNull()
  })
})
