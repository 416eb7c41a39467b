import { describe, expect, it } from 'vitest'
import { carry, pascals, readNodes } from '../src/scene/soft'

/** A block as app/play/soft_rows.py writes it. */
function block(low: number[], extents: number[], top: number, rows: number[][]): ArrayBuffer {
  const buffer = new ArrayBuffer(32 + 8 * rows.length)
  new Float32Array(buffer, 0, 8).set([...low, ...extents, top, 0])
  new Uint16Array(buffer, 32).set(rows.flat())
  return buffer
}

describe('nodes of soft bodies', () => {
  it('are where their box and their whole numbers say', () => {
    const [nodes] = readNodes(block([-1, 0, 2], [2, 1, 0.5], 1000, [[0, 65535, 65535, 65535], [65535, 0, 0, 13107]]), [2])
    expect([...nodes.rows].map((x) => +x.toFixed(4))).toEqual([-1, 1, 2.5, 1000, 1, 0, 2, 200])
    expect(nodes.top).toBe(1000)
  })

  it('are none where a block is too short', () => {
    expect(readNodes(block([0, 0, 0], [1, 1, 1], 1, [[0, 0, 0, 0]]), [2])).toEqual([])
  })

  it('carry vertices and stress by their shares', () => {
    const nodes = new Float32Array([0, 0, 0, 0, 1, 0, 0, 8, 0, 1, 0, 16, 0, 0, 1, 32])
    const skin = { nodes: 4, corner: new Uint32Array([0, 1, 2, 3, 3, 2, 1, 0]), weight: new Float32Array([0.25, 0.25, 0.25, 0.25, 1.5, -0.5, 0, 0]), index: new Uint32Array(), edges: new Uint32Array() }
    const [position, stress] = [new Float32Array(6), new Float32Array(2)]
    carry(skin, nodes, position, stress)
    expect([...position]).toEqual([0.25, 0.25, 0.25, 0, -0.5, 1.5])
    expect([...stress]).toEqual([14, 40])
  })

  it('have pressures that people read', () => {
    expect([0.5, 1234, 2.5e6, 3e9].map(pascals)).toEqual(['0.5 Pa', '1.23 kPa', '2.5 MPa', '3 GPa'])
  })
})
