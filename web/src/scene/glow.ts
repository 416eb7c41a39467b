// Edges that touch something, lit.
import * as THREE from 'three'
import { EDGE_WIDTH } from '../net/messages'
import type { Part } from './part'

const MOST = 512
const UP = new THREE.Vector3(0, 1, 0)

export class Glow {
  readonly mesh: THREE.InstancedMesh
  private edges: Float64Array = new Float64Array(0)

  constructor() {
    const material = new THREE.MeshBasicMaterial({ color: 0xff9628 })
    this.mesh = new THREE.InstancedMesh(new THREE.CylinderGeometry(0.0024, 0.0024, 1, 6).translate(0, 0.5, 0), material, MOST)
    this.mesh.frustumCulled = false
    this.mesh.count = 0
  }

  /** The edges of a frame: body, and both ends in the part's frame in metres. */
  aim(edges: Float64Array): boolean {
    const changed = edges.length > 0 || this.edges.length > 0
    this.edges = edges
    return changed
  }

  /** Stay with the parts. */
  follow(part: (body: number) => Part | null, size: number): void {
    const [from, way, matrix, turn] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Matrix4(), new THREE.Quaternion()]
    let n = 0
    for (let row = 0; row < this.edges.length && n < MOST; row += EDGE_WIDTH) {
      const touched = part(this.edges[row])
      if (!touched || touched.hidden) continue
      touched.space(this.edges, row + 1, size, from)
      touched.space(this.edges, row + 4, size, way)
      const length = way.sub(from).length()
      if (!(length > 0)) continue
      turn.setFromUnitVectors(UP, way.divideScalar(length))
      this.mesh.setMatrixAt(n++, matrix.compose(from, turn, new THREE.Vector3(1, length, 1)))
    }
    this.mesh.count = n
    this.mesh.instanceMatrix.needsUpdate = true
  }
}
