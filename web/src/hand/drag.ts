// The hand: press on a part and drag. The point under the pointer is held, and its target moves in the plane that faces
// the camera; Shift along the line of sight, X Y Z along an axis, Alt turns the part about the point.
import * as THREE from 'three'
import type { Part } from '../scene/part'
import type { Hit, Picture } from '../scene/picture'

export type Send = (command: Record<string, unknown>) => void
export type Axis = 'x' | 'y' | 'z' | null
/** How a dragged part moves, where no key says otherwise. */
export type Way = 'plane' | 'depth' | 'x' | 'y' | 'z' | 'turn'

/** [ms] between two targets. */
const SWIFTEST = 4

interface Grip {
  part: Part
  pointer: number
  local: [number, number, number]
  /** How it moves now, and the target when it began to. */
  way: Way
  start: THREE.Vector3
  target: THREE.Vector3
  plane: THREE.Plane
  /** From the target to the point under the pointer, which has gone another way before. */
  off: THREE.Vector3
  last: { x: number; y: number }
  /** How the part is turned, once it was; from then on, it is held by its pose. */
  turn: THREE.Quaternion | null
}

export class Hand {
  grip: Grip | null = null
  axis: Axis = null
  way: Way = 'plane'
  enabled = true
  private again = false
  private due = false
  private told = 0
  private pressed: { x: number; y: number; hit: Hit | null } | null = null
  private last: { part: Part | null; time: number } = { part: null, time: 0 }

  constructor(
    private readonly picture: Picture,
    private readonly send: Send,
    private readonly may: () => boolean,
    private readonly chosen: (hit: Hit | null, twice: boolean) => void,
  ) {
    const canvas = picture.stage.renderer.domElement
    canvas.addEventListener('pointerdown', (event) => this.down(event), true)
    canvas.addEventListener('pointermove', (event) => this.move(event))
    for (const name of ['pointerup', 'pointercancel'] as const) canvas.addEventListener(name, (event) => this.up(event))
    canvas.addEventListener('contextmenu', (event) => event.preventDefault())
  }

  letGo(): void {
    if (!this.grip) return
    this.tell()
    this.send({ do: 'release' })
    this.grip = null
    this.axis = null
    this.picture.stage.orbit.enabled = true
  }

  private down(event: PointerEvent): void {
    const canvas = this.picture.stage.renderer.domElement
    if (this.again) return
    if (this.grip && event.pointerId !== this.grip.pointer) return this.handOver(this.grip)
    if (event.button !== 0 || !this.enabled) return
    canvas.focus({ preventScroll: true })
    const hit = this.picture.pick(event.clientX, event.clientY)
    this.pressed = { x: event.clientX, y: event.clientY, hit }
    if (!hit || !this.may() || hit.part.fixed) return
    this.picture.stage.orbit.enabled = false
    canvas.setPointerCapture(event.pointerId)
    const facing = this.picture.stage.camera.getWorldDirection(new THREE.Vector3()).negate()
    const size = this.picture.info!.size
    this.grip = {
      part: hit.part,
      pointer: event.pointerId,
      local: hit.part.local(hit.point, size, this.picture.info!.origin),
      way: 'plane',
      start: hit.point.clone(),
      target: hit.point.clone(),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point),
      off: new THREE.Vector3(),
      last: { x: event.clientX, y: event.clientY },
      turn: null,
    }
    this.send({ do: 'grab', body: hit.part.index, point: this.grip.local, target: this.metres(hit.point) })
  }

  /** A second finger has come: let go, and let both move the view. */
  private handOver(grip: Grip): void {
    const canvas = this.picture.stage.renderer.domElement
    this.letGo()
    this.pressed = null
    this.again = true
    canvas.dispatchEvent(new PointerEvent('pointerdown', { pointerId: grip.pointer, pointerType: 'touch', clientX: grip.last.x, clientY: grip.last.y, bubbles: true, isPrimary: true, button: 0, buttons: 1 }))
    this.again = false
  }

  private move(event: PointerEvent): void {
    const grip = this.grip
    if (!grip || event.pointerId !== grip.pointer) return
    const asked = event.altKey ? 'turn' : event.shiftKey ? 'depth' : (this.axis ?? this.way)
    const way = asked === 'turn' && grip.part.soft ? 'plane' : asked
    if (way !== grip.way) this.change(grip, way)
    const by = { x: event.clientX - grip.last.x, y: event.clientY - grip.last.y }
    grip.last = { x: event.clientX, y: event.clientY }
    if (way === 'turn') this.turn(grip, by)
    else if (way === 'depth') this.push(grip, by)
    else grip.target.copy(this.under(grip)).sub(grip.off)
    this.due = true
    if (performance.now() - this.told >= SWIFTEST) this.tell()
  }

  /** Send the newest target, if it was not sent yet: mice report up to a thousand times a second. */
  tell(): void {
    if (!this.due || !this.grip) return
    this.due = false
    this.told = performance.now()
    const { part, turn } = this.grip
    this.send(turn ? { do: 'hold', body: part.index, pose: this.pose(this.grip, turn) } : { do: 'move', target: this.metres(this.grip.target) })
  }

  private up(event: PointerEvent): void {
    const pressed = this.pressed
    this.pressed = null
    if (this.grip && event.pointerId === this.grip.pointer) this.letGo()
    if (!pressed || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > (event.pointerType === 'touch' ? 10 : 4)) return
    const now = performance.now()
    const part = pressed.hit?.part ?? null
    const twice = part !== null && this.last.part === part && now - this.last.time < 400
    this.last = { part, time: twice ? 0 : now }
    this.chosen(pressed.hit, twice)
  }

  /** Go on in another way, from where the target is. */
  private change(grip: Grip, way: Way): void {
    const facing = this.picture.stage.camera.getWorldDirection(new THREE.Vector3()).negate()
    grip.way = way
    grip.start.copy(grip.target)
    grip.plane.setFromNormalAndCoplanarPoint(facing, grip.target)
    grip.off.copy(this.under(grip)).sub(grip.target)
  }

  /** The point under the pointer, in the plane that faces the camera or on an axis. */
  private under({ way, start, plane, last, target }: Grip): THREE.Vector3 {
    const ray = this.rayAt(last.x, last.y)
    if (way === 'x' || way === 'y' || way === 'z') return nearestOnAxis(ray, start, way)
    return ray.intersectPlane(plane, new THREE.Vector3()) ?? target.clone()
  }

  /** Along the line of sight. */
  private push(grip: Grip, by: { x: number; y: number }): void {
    const { camera, height } = this.picture.stage
    const away = camera.getWorldDirection(new THREE.Vector3())
    const per = (2 * grip.target.distanceTo(camera.position) * Math.tan((camera.fov * Math.PI) / 360)) / height
    grip.target.addScaledVector(away, -by.y * per)
  }

  /** About the held point, like a ball under the hand. */
  private turn(grip: Grip, by: { x: number; y: number }): void {
    const { camera } = this.picture.stage
    const pose = grip.part.pose
    grip.turn ??= new THREE.Quaternion(pose[4], pose[5], pose[6], pose[3])
    const right = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 0)
    const up = new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, 1)
    const about = right.multiplyScalar(by.y).addScaledVector(up, by.x)
    const angle = about.length() * 0.008
    if (angle > 0) grip.turn.premultiply(new THREE.Quaternion().setFromAxisAngle(about.normalize(), angle))
  }

  /** Of a part whose held point is at its target. */
  private pose(grip: Grip, q: THREE.Quaternion): number[] {
    const at = this.metres(grip.target)
    const arm = new THREE.Vector3(...grip.local).applyQuaternion(q)
    return [at[0] - arm.x, at[1] - arm.y, at[2] - arm.z, q.w, q.x, q.y, q.z]
  }

  private rayAt(x: number, y: number): THREE.Ray {
    const rect = this.picture.stage.renderer.domElement.getBoundingClientRect()
    const caster = new THREE.Raycaster()
    caster.setFromCamera(
      new THREE.Vector2(((x - rect.left) / rect.width) * 2 - 1, 1 - ((y - rect.top) / rect.height) * 2),
      this.picture.stage.camera,
    )
    return caster.ray
  }

  private metres(point: THREE.Vector3): [number, number, number] {
    const { origin, size } = this.picture.info!
    return [point.x * size + origin[0], point.y * size + origin[1], point.z * size + origin[2]]
  }
}

/** The point of the line through `start` along an axis that is nearest to the ray. */
export function nearestOnAxis(ray: THREE.Ray, start: THREE.Vector3, axis: Exclude<Axis, null>): THREE.Vector3 {
  const along = new THREE.Vector3(axis === 'x' ? 1 : 0, axis === 'y' ? 1 : 0, axis === 'z' ? 1 : 0)
  const b = along.dot(ray.direction)
  const between = start.clone().sub(ray.origin)
  const denominator = 1 - b * b
  if (denominator < 1e-6) return start.clone()
  const t = (b * between.dot(ray.direction) - between.dot(along)) / denominator
  return start.clone().addScaledVector(along, t)
}
