// Contact points, arrows of force, and the spring of the hand.
import * as THREE from 'three'
import { CONTACT, CONTACT_WIDTH, type Held } from '../net/messages'
import type { Stage } from './stage'

const MOST = 2048
const UP = new THREE.Vector3(0, 1, 0)
const LONGEST = 0.16
const SHORTEST = 0.012
/** Changes below this share are not seen. */
const STILL = 1e-4

/** Length of an arrow, in sizes of the scene: the square root, so that small and large forces are both seen. */
export function arrowLength(force: number, largest: number): number {
  if (!(force > 0) || !(largest > 0)) return 0
  return LONGEST * Math.min(1, Math.sqrt(force / largest))
}

/** [ms] in which arrows come and go, and over which forces are averaged: e-fold. */
const FADE = 40
/** In sizes of the scene: contacts of a pair that are nearer to each other than this, frame by frame, are the same one. */
const SAME = 0.03

export interface Arrow {
  a: number
  b: number
  /** In sizes of the scene. */
  at: THREE.Vector3
  /** [N] on B, as it is shown: a mean over the last tenth of a second. */
  force: THREE.Vector3
  goal: THREE.Vector3
  /** 0 to 1: how far it has come in. */
  weight: number
  alive: boolean
}

export class Arrows {
  readonly group = new THREE.Group()
  shown: Arrow[] = []
  private readonly shafts: THREE.InstancedMesh
  private readonly heads: THREE.InstancedMesh
  private readonly dots: THREE.InstancedMesh
  private largest = 0
  private settled = true
  /** Of all arrows and dots, over what they are where the whole scene is seen. */
  private scale = 1

  constructor() {
    const red = new THREE.MeshBasicMaterial({ color: 0xd81e2c, depthTest: false, transparent: true, opacity: 0.92 })
    const orange = new THREE.MeshBasicMaterial({ color: 0xf08a24, depthTest: false, transparent: true })
    this.shafts = new THREE.InstancedMesh(new THREE.CylinderGeometry(0.0022, 0.0022, 1, 8).translate(0, 0.5, 0), red, MOST)
    this.heads = new THREE.InstancedMesh(new THREE.ConeGeometry(0.0065, 0.018, 14).translate(0, -0.009, 0), red, MOST)
    this.dots = new THREE.InstancedMesh(new THREE.SphereGeometry(0.0038, 10, 8), orange, MOST)
    for (const mesh of [this.shafts, this.heads, this.dots]) {
      mesh.count = 0
      mesh.frustumCulled = false
      mesh.renderOrder = 10_000
      this.group.add(mesh)
    }
  }

  /** Contacts that are there now. */
  get alive(): Arrow[] {
    return this.shown.filter((arrow) => arrow.alive)
  }

  /** How many arrows can be seen. */
  get count(): number {
    return this.alive.filter((arrow) => arrowLength(arrow.goal.length(), this.largest) >= SHORTEST).length
  }

  /** A height of so many sizes of the scene is seen: who looks closer sees arrows that are no larger. */
  zoom(high: number): void {
    const scale = zoomed(high)
    if (Math.abs(scale / this.scale - 1) < 0.02) return
    this.scale = scale
    this.settled = false
  }

  /** Let what is shown go towards the contacts of a frame. */
  aim(contacts: Float64Array, origin: readonly number[], size: number): void {
    const before = new Map<number, Arrow[]>()
    const middle = new THREE.Vector3().fromArray(origin)
    for (const arrow of this.shown) {
      arrow.alive = false
      const pair = 65536 * arrow.a + arrow.b
      if (before.has(pair)) before.get(pair)!.push(arrow)
      else before.set(pair, [arrow])
    }
    this.largest *= 0.995
    const n = Math.min(contacts.length / CONTACT_WIDTH, MOST)
    for (let i = 0; i < n; i++) {
      const row = CONTACT_WIDTH * i
      const at = new THREE.Vector3().fromArray(contacts, row + CONTACT.point).sub(middle).divideScalar(size)
      const goal = new THREE.Vector3().fromArray(contacts, row + CONTACT.force)
      const [a, b] = [contacts[row + CONTACT.bodyA], contacts[row + CONTACT.bodyB]]
      this.largest = Math.max(this.largest, goal.length())
      const known = nearest(before.get(65536 * a + b) ?? [], at)
      if (!known) this.shown.push({ a, b, at, goal, force: new THREE.Vector3(), weight: 0, alive: true })
      if (!known || known.at.distanceTo(at) > STILL || known.goal.distanceTo(goal) > STILL * this.largest) this.settled = false
      if (known) Object.assign(known, { at, goal, alive: true })
    }
    for (const arrow of this.shown) {
      if (arrow.alive) continue
      arrow.goal.set(0, 0, 0)
      this.settled = false
    }
  }

  /** Some milliseconds have passed; returns whether anything is to be drawn anew. */
  advance(passed: number): boolean {
    if (this.settled) return false
    const share = 1 - Math.exp(-passed / FADE)
    this.settled = true
    for (const arrow of this.shown) {
      arrow.force.lerp(arrow.goal, share)
      arrow.weight += share * ((arrow.alive ? 1 : 0) - arrow.weight)
      const near = arrow.force.distanceTo(arrow.goal) <= 1e-3 * this.largest
      if (!near || !arrow.alive || arrow.weight < 0.99) this.settled = false
      else {
        arrow.force.copy(arrow.goal)
        arrow.weight = 1
      }
    }
    this.shown = this.shown.filter((arrow) => arrow.alive || arrow.weight > 0.03)
    this.write()
    return true
  }

  private write(): void {
    const [matrix, turn, way, scale] = [new THREE.Matrix4(), new THREE.Quaternion(), new THREE.Vector3(), new THREE.Vector3()]
    let [dots, arrows] = [0, 0]
    for (const { at, force, weight } of this.shown.slice(0, MOST)) {
      const size = weight * this.scale
      this.dots.setMatrixAt(dots++, matrix.compose(at, turn.identity(), scale.setScalar(size)))
      const length = arrowLength(force.length(), this.largest)
      if (length < SHORTEST) continue
      turn.setFromUnitVectors(UP, way.copy(force).normalize())
      this.shafts.setMatrixAt(arrows, matrix.compose(at, turn, scale.set(size, this.scale * (length - SHORTEST), size)))
      this.heads.setMatrixAt(arrows, matrix.compose(way.multiplyScalar(this.scale * length).add(at), turn, scale.setScalar(size)))
      arrows++
    }
    this.dots.count = dots
    this.shafts.count = this.heads.count = arrows
    for (const mesh of [this.shafts, this.heads, this.dots]) mesh.instanceMatrix.needsUpdate = true
  }
}

/** How large arrows are where a height of so many sizes of the scene is seen. */
export function zoomed(high: number): number {
  return Math.min(1, Math.max(0.01, high))
}

function nearest(arrows: Arrow[], at: THREE.Vector3): Arrow | null {
  let [best, distance] = [null as Arrow | null, SAME]
  for (const arrow of arrows) {
    const far = arrow.at.distanceTo(at)
    if (!arrow.alive && far < distance) [best, distance] = [arrow, far]
  }
  return best
}

export class Spring {
  readonly group = new THREE.Group()
  private readonly line: THREE.Line<THREE.BufferGeometry, THREE.LineBasicMaterial>
  private readonly ends: THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial>[]
  private readonly points = new Float32Array(3 * 49)
  readonly label = document.createElement('div')

  constructor() {
    const geometry = new THREE.BufferGeometry()
    geometry.setAttribute('position', new THREE.BufferAttribute(this.points, 3))
    this.line = new THREE.Line(geometry, new THREE.LineBasicMaterial({ depthTest: false, transparent: true }))
    this.line.frustumCulled = false
    this.line.renderOrder = 10_001
    this.ends = [0.005, 0.007].map((radius) => {
      const ball = new THREE.Mesh(new THREE.SphereGeometry(radius, 12, 10), new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }))
      ball.renderOrder = 10_002
      return ball
    })
    this.group.add(this.line, ...this.ends)
    this.group.visible = false
    this.label.className = 'spring-label'
    this.label.hidden = true
  }

  show(held: Held | null, origin: readonly number[], size: number, { camera, width, height, pixel }: Stage): boolean {
    const was = this.group.visible
    this.group.visible = held !== null
    this.label.hidden = held === null
    if (held === null) return was
    const inPage = (p: number[]): THREE.Vector3 =>
      new THREE.Vector3((p[0] - origin[0]) / size, (p[1] - origin[1]) / size, (p[2] - origin[2]) / size)
    const from = inPage(held.place)
    const to = inPage(held.target)
    this.coil(from, to, camera)
    for (const end of this.ends) end.scale.setScalar(zoomed(pixel * height))
    this.ends[0].position.copy(from)
    this.ends[1].position.copy(to)
    const force = Math.hypot(held.force[0], held.force[1], held.force[2])
    const share = Math.min(1, force / held.limit)
    const colour = new THREE.Color(0x8a8f98).lerp(new THREE.Color(0xd81e2c), share)
    this.line.material.color.copy(colour)
    for (const end of this.ends) end.material.color.copy(colour)
    const screen = to.clone().project(camera)
    this.label.textContent = newtons(force)
    this.label.style.transform = `translate(${((screen.x + 1) / 2) * width + 12}px, ${((1 - screen.y) / 2) * height + 8}px)`
    return true
  }

  /** A zigzag between two points, across the line of sight. */
  private coil(from: THREE.Vector3, to: THREE.Vector3, camera: THREE.Camera): void {
    const way = to.clone().sub(from)
    const side = way.clone().cross(camera.getWorldDirection(new THREE.Vector3())).normalize().multiplyScalar(Math.min(0.008, 0.15 * way.length()))
    for (let k = 0; k < 49; k++) {
      const t = k / 48
      const off = k < 4 || k > 44 ? 0 : [0, 1, 0, -1][k % 4]
      this.points[3 * k] = from.x + t * way.x + off * side.x
      this.points[3 * k + 1] = from.y + t * way.y + off * side.y
      this.points[3 * k + 2] = from.z + t * way.z + off * side.z
    }
    this.line.geometry.getAttribute('position').needsUpdate = true
  }
}

export function newtons(force: number): string {
  if (force < 0.0005) return '0 N'
  if (force >= 1000) return `${(force / 1000).toPrecision(3)} kN`
  return `${force.toPrecision(force < 1 ? 2 : 3)} N`
}

export function metres(length: number): string {
  const size = Math.abs(length)
  if (size < 1e-3) return `${(1e6 * length).toPrecision(3)} µm`
  if (size < 1) return `${(1e3 * length).toPrecision(4)} mm`
  return `${length.toPrecision(4)} m`
}

export function kilograms(mass: number): string {
  return mass < 1 ? `${(1e3 * mass).toPrecision(3)} g` : `${mass.toPrecision(3)} kg`
}
