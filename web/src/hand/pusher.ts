// What a space mouse or gamepad pushes: the selected part is drawn to a target that runs ahead of it.
import * as THREE from 'three'
import type { Part } from '../scene/part'
import type { Picture } from '../scene/picture'
import type { Send } from './drag'
import { isIdle, type Push } from './spacemouse'

/** [1/s] sizes of the scene at full deflection. */
const SPEED = 0.4
/** [rad/s] at full deflection. */
const TURNING = 1.5
/** Sizes of the scene by which the target may run ahead of a part that cannot follow. */
const AHEAD = 0.08
/** [rad] the same for turns. */
const AHEAD_TURN = 0.5

export class Pusher {
  private target: { part: Part; at: THREE.Vector3; turn: THREE.Quaternion } | null = null

  constructor(
    private readonly picture: Picture,
    private readonly send: Send,
  ) {}

  /** Some milliseconds have passed with these deflections. */
  advance(push: Push, passed: number): void {
    const part = this.picture.selected
    if (isIdle(push) || !part || part.fixed) return this.rest()
    if (this.target?.part !== part) this.target = { part, at: new THREE.Vector3(part.pose[0], part.pose[1], part.pose[2]), turn: turnOf(part) }
    const { at, turn } = this.target
    const { size } = this.picture.info!
    const seconds = Math.min(passed, 100) / 1000
    const [right, up, near] = this.axes()
    const along = (k: number): THREE.Vector3 =>
      new THREE.Vector3().addScaledVector(right, push[k]).addScaledVector(up, push[k + 1]).addScaledVector(near, push[k + 2])
    at.addScaledVector(along(0), SPEED * size * seconds)
    const about = along(3)
    const angle = about.length() * TURNING * seconds
    if (angle > 0) turn.premultiply(new THREE.Quaternion().setFromAxisAngle(about.normalize(), angle))
    this.stayNear(part, at, turn, size)
    this.send({ do: 'hold', body: part.index, pose: [at.x, at.y, at.z, turn.w, turn.x, turn.y, turn.z] })
  }

  private rest(): void {
    if (!this.target) return
    this.target = null
    this.send({ do: 'release' })
  }

  private stayNear(part: Part, at: THREE.Vector3, turn: THREE.Quaternion, size: number): void {
    const here = new THREE.Vector3(part.pose[0], part.pose[1], part.pose[2])
    const way = at.clone().sub(here)
    if (way.length() > AHEAD * size) at.copy(here).addScaledVector(way.normalize(), AHEAD * size)
    const now = turnOf(part)
    const angle = now.angleTo(turn)
    if (angle > AHEAD_TURN) turn.copy(now.slerp(turn.clone(), AHEAD_TURN / angle))
  }

  private axes(): THREE.Vector3[] {
    const { camera } = this.picture.stage
    return [0, 1, 2].map((k) => new THREE.Vector3().setFromMatrixColumn(camera.matrixWorld, k))
  }
}

function turnOf(part: Part): THREE.Quaternion {
  return new THREE.Quaternion(part.pose[4], part.pose[5], part.pose[6], part.pose[3])
}
