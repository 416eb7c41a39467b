// Contact points, arrows of force, and the spring of the hand.
import * as THREE from 'three'
import { CONTACT_WIDTH, type Held } from '../net/messages'

const MOST = 2048
const UP = new THREE.Vector3(0, 1, 0)
const LONGEST = 0.16

/** Length of an arrow, in sizes of the scene: the square root, so that small and large forces are both seen. */
export function arrowLength(force: number, largest: number): number {
  if (!(force > 0) || !(largest > 0)) return 0
  return LONGEST * Math.min(1, Math.sqrt(force / largest))
}

export class Arrows {
  readonly group = new THREE.Group()
  private readonly shafts: THREE.InstancedMesh
  private readonly heads: THREE.InstancedMesh
  private readonly dots: THREE.InstancedMesh
  private largest = 0
  count = 0

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

  /** Returns whether anything is to be drawn anew. */
  show(contacts: Float64Array, origin: readonly number[], size: number): boolean {
    const n = Math.min(contacts.length / CONTACT_WIDTH, MOST)
    if (n === 0 && this.dots.count === 0) return false
    this.largest *= 0.995
    const force = new THREE.Vector3()
    for (let i = 0; i < n; i++) {
      force.fromArray(contacts as unknown as number[], CONTACT_WIDTH * i + 6)
      this.largest = Math.max(this.largest, force.length())
    }
    let arrows = 0
    const at = new THREE.Vector3()
    const matrix = new THREE.Matrix4()
    const turn = new THREE.Quaternion()
    const one = new THREE.Vector3(1, 1, 1)
    for (let i = 0; i < n; i++) {
      const row = CONTACT_WIDTH * i
      at.set((contacts[row] - origin[0]) / size, (contacts[row + 1] - origin[1]) / size, (contacts[row + 2] - origin[2]) / size)
      this.dots.setMatrixAt(i, matrix.makeTranslation(at))
      force.fromArray(contacts as unknown as number[], row + 6)
      const length = arrowLength(force.length(), this.largest)
      if (length < 0.012) continue
      turn.setFromUnitVectors(UP, force.normalize())
      this.shafts.setMatrixAt(arrows, matrix.compose(at, turn, new THREE.Vector3(1, length - 0.012, 1)))
      this.heads.setMatrixAt(arrows, matrix.compose(at.addScaledVector(force, length), turn, one))
      arrows++
    }
    this.dots.count = n
    this.shafts.count = this.heads.count = this.count = arrows
    for (const mesh of [this.shafts, this.heads, this.dots]) mesh.instanceMatrix.needsUpdate = true
    return true
  }
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

  show(held: Held | null, origin: readonly number[], size: number, camera: THREE.Camera, holder: HTMLElement): boolean {
    const was = this.group.visible
    this.group.visible = held !== null
    this.label.hidden = held === null
    if (held === null) return was
    const inPage = (p: number[]): THREE.Vector3 =>
      new THREE.Vector3((p[0] - origin[0]) / size, (p[1] - origin[1]) / size, (p[2] - origin[2]) / size)
    const from = inPage(held.place)
    const to = inPage(held.target)
    this.coil(from, to, camera)
    this.ends[0].position.copy(from)
    this.ends[1].position.copy(to)
    const force = Math.hypot(held.force[0], held.force[1], held.force[2])
    const share = Math.min(1, force / held.limit)
    const colour = new THREE.Color(0x8a8f98).lerp(new THREE.Color(0xd81e2c), share)
    this.line.material.color.copy(colour)
    for (const end of this.ends) end.material.color.copy(colour)
    const screen = to.clone().project(camera)
    this.label.textContent = newtons(force)
    this.label.style.left = `${((screen.x + 1) / 2) * holder.clientWidth + 12}px`
    this.label.style.top = `${((1 - screen.y) / 2) * holder.clientHeight + 8}px`
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
