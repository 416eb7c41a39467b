// A plane that opens the parts; what it cuts is closed by a flat colour where the stencil finds inside of material.
import * as THREE from 'three'
import type { Part } from './part'

export type Axis = 'x' | 'y' | 'z'

export class Section {
  readonly plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), 0)
  readonly group = new THREE.Group()
  on = false
  axis: Axis = 'y'
  offset = 0
  flipped = false
  /** Names of the parts that the scene wants to be cut; empty: all. */
  chosen = new Set<string>()
  /** Whether all are cut, whatever the scene wants. */
  all = false
  private readonly sheet = new THREE.PlaneGeometry(8, 8)
  private masks: THREE.Mesh[] = []

  /** What it cuts besides parts. */
  constructor(private readonly others: THREE.Material[] = []) {}

  /** Set where the plane is and tell the parts. */
  apply(parts: Part[]): void {
    const sign = this.flipped ? -1 : 1
    const normal = new THREE.Vector3(this.axis === 'x' ? sign : 0, this.axis === 'y' ? sign : 0, this.axis === 'z' ? -sign : 0)
    const along = this.axis === 'z' ? -1 : 1
    this.plane.set(normal, -sign * along * this.offset)
    this.group.visible = this.on
    this.clearMasks()
    for (const other of this.others) other.clippingPlanes = this.on ? [this.plane] : []
    for (const [i, part] of parts.entries()) {
      const cut = this.cuts(part)
      part.clip(cut ? [this.plane] : [])
      if (cut && !part.hidden) this.close(part, 1 + 2 * i)
    }
  }

  cuts(part: Part): boolean {
    return this.on && (this.all || this.chosen.size === 0 || this.chosen.has(part.info.name))
  }

  /** Whether a point of a part is cut away. */
  hides(part: Part, point: THREE.Vector3): boolean {
    return this.cuts(part) && this.plane.distanceToPoint(point) < 0
  }

  /** Close the cut through one part, in its colour; parts are closed one after the other. */
  private close(part: Part, order: number): void {
    this.addMasks(part, order)
    const material = new THREE.MeshBasicMaterial({ color: new THREE.Color(part.info.colour).lerp(new THREE.Color(0xffffff), 0.3), side: THREE.DoubleSide })
    material.stencilWrite = true
    material.stencilRef = 0
    material.stencilFunc = THREE.NotEqualStencilFunc
    material.stencilFail = material.stencilZFail = material.stencilZPass = THREE.ReplaceStencilOp
    const cap = new THREE.Mesh(this.sheet, material)
    const point = this.plane.coplanarPoint(new THREE.Vector3())
    cap.position.copy(point)
    cap.lookAt(point.clone().sub(this.plane.normal))
    cap.renderOrder = order + 1
    cap.onAfterRender = (renderer) => renderer.clearStencil()
    this.group.add(cap)
    this.masks.push(cap)
  }

  private addMasks(part: Part, order: number): void {
    for (const [side, operation] of [
      [THREE.BackSide, THREE.IncrementWrapStencilOp],
      [THREE.FrontSide, THREE.DecrementWrapStencilOp],
    ] as const) {
      const material = new THREE.MeshBasicMaterial({ side, depthWrite: false, depthTest: false, colorWrite: false, clippingPlanes: [this.plane] })
      material.stencilWrite = true
      material.stencilFunc = THREE.AlwaysStencilFunc
      material.stencilFail = material.stencilZFail = material.stencilZPass = operation
      const mask = new THREE.Mesh(part.mesh.geometry, material)
      mask.renderOrder = order
      mask.userData['mask'] = true
      part.group.add(mask)
      this.masks.push(mask)
    }
  }

  private clearMasks(): void {
    for (const mask of this.masks) {
      mask.removeFromParent()
      ;(mask.material as THREE.Material).dispose()
    }
    this.masks = []
  }
}
