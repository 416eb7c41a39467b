// Arrows and rings at the selected part for exact pushes and turns; the part is drawn to where they are put.
import * as THREE from 'three'
import { TransformControls } from 'three/addons/controls/TransformControls.js'
import { AXIS_COLOURS } from '../scene/axes'
import type { Part } from '../scene/part'
import type { Picture } from '../scene/picture'
import { roundLength } from '../scene/stage'
import type { Send } from './drag'

/** In sizes of the scene: pushes go in round lengths that are not longer than this. */
const FINE = 1e-3

export class Gizmo {
  readonly controls: TransformControls
  on = false
  active = false
  private readonly handle = new THREE.Object3D()
  private readonly ghost: THREE.Mesh
  private part: Part | null = null

  constructor(
    private readonly picture: Picture,
    private readonly send: Send,
  ) {
    const { stage } = picture
    this.controls = new TransformControls(stage.camera, stage.renderer.domElement)
    this.controls.setSize(0.8)
    this.controls.setRotationSnap(Math.PI / 180)
    this.controls.setColors(...AXIS_COLOURS, '#f08a24')
    this.ghost = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: 0xf08a24, transparent: true, opacity: 0.22, depthWrite: false }))
    this.ghost.visible = false
    stage.scene.add(this.handle, this.ghost, this.controls.getHelper())
    this.controls.addEventListener('dragging-changed', (event) => this.dragging(Boolean(event.value)))
    this.controls.addEventListener('objectChange', () => this.moved())
    this.controls.addEventListener('change', () => stage.touch())
  }

  show(part: Part | null, mode: 'translate' | 'rotate' = this.controls.mode as 'translate' | 'rotate'): void {
    this.part = part
    this.on = part !== null
    this.controls.setMode(mode)
    const size = this.picture.info?.size ?? 1
    this.controls.setTranslationSnap(roundLength(FINE * size) / size)
    if (part) {
      this.follow(true)
      this.ghost.geometry = part.mesh.geometry
      this.controls.attach(this.handle)
    } else this.controls.detach()
    this.ghost.visible = false
    this.picture.stage.touch()
  }

  /** Stay with the part while it is not drawn anywhere. */
  follow(force = false): void {
    if (!this.part || (this.active && !force)) return
    if (this.handle.position.equals(this.part.group.position) && this.handle.quaternion.equals(this.part.group.quaternion)) return
    this.handle.position.copy(this.part.group.position)
    this.handle.quaternion.copy(this.part.group.quaternion)
    this.picture.stage.tremble()
  }

  /** Where the ends of its arrows are in the window. */
  tips(): Record<string, [number, number]> {
    const { camera, renderer } = this.picture.stage
    const rect = renderer.domElement.getBoundingClientRect()
    // The controls draw themselves as large as this, wherever they are.
    const unit = (1.9 * Math.tan((camera.fov * Math.PI) / 360) * this.handle.position.distanceTo(camera.position) * this.controls.size) / 4
    const tip = (k: number): [number, number] => {
      const at = this.handle.position.clone().setComponent(k, this.handle.position.getComponent(k) + 0.45 * unit).project(camera)
      return [rect.left + ((at.x + 1) / 2) * rect.width, rect.top + ((1 - at.y) / 2) * rect.height]
    }
    return { x: tip(0), y: tip(1), z: tip(2) }
  }

  private dragging(on: boolean): void {
    this.picture.stage.orbit.enabled = !on
    this.active = on
    this.ghost.visible = on
    if (!on) this.send({ do: 'release' })
  }

  private moved(): void {
    const part = this.part
    const info = this.picture.info
    if (!part || !info || !this.active) return
    this.ghost.position.copy(this.handle.position)
    this.ghost.quaternion.copy(this.handle.quaternion)
    const q = this.handle.quaternion
    const middle = new THREE.Vector3(...part.shape.middle).applyQuaternion(q)
    const p = this.handle.position
    const at = [p.x, p.y, p.z].map((x, k) => x * info.size + info.origin[k] - middle.getComponent(k))
    this.send({ do: 'hold', body: part.index, pose: [...at, q.w, q.x, q.y, q.z] })
  }
}
