// Contact regions: surfaces as patches, lines, points, each with the force and the moment on it; words when the mouse is over one.
import * as THREE from 'three'
import { make } from '../panels/dom'
import type { RegionInfo } from '../net/messages'
import { arrowLength, zoomed } from './arrows'
import type { Stage } from './stage'

const PATCH = 0xf08a24
const FORCE = 0x9a3fc8
const FLAT = { color: PATCH, transparent: true, depthWrite: false, side: THREE.DoubleSide }
const LINE = 0.0035
const POINT = 0.0075
const UP = new THREE.Vector3(0, 1, 0)
const FORTH = new THREE.Vector3(0, 0, 1)
/** In sizes of the scene: the arm at which the largest force would have the largest ring. */
const LEVER = 0.03
/** [radians] of the ring of a moment. */
const ARC = 1.6 * Math.PI

export class Regions {
  readonly group = new THREE.Group()
  readonly label = make('div', { class: 'region-label', role: 'status' })
  on = false
  shown: RegionInfo[] = []
  /** Of patches: faint through parts in front, so that a large one does not colour what stands before it. */
  private readonly faint = new THREE.MeshBasicMaterial({ ...FLAT, opacity: 0.3, depthTest: false })
  private readonly open = new THREE.MeshBasicMaterial({ ...FLAT, opacity: 0.45, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 })
  /** Of lines and points, and of the patch under the mouse. */
  private readonly full = new THREE.MeshBasicMaterial({ ...FLAT, opacity: 0.75, depthTest: false })
  private readonly push = new THREE.MeshBasicMaterial({ color: FORCE, transparent: true, opacity: 0.9, depthTest: false })
  private origin: number[] = [0, 0, 0]
  private size = 1
  /** Of arrows, rings, lines and points, over what they are where the whole scene is seen. */
  private scale = 1
  /** What is drawn now; a world at rest is not drawn anew. */
  private text = '[]'
  private mouse: { x: number; y: number } | null = null

  constructor(private readonly stage: Stage) {
    this.group.renderOrder = 9000
    stage.scene.add(this.group)
    stage.holder.append(this.label)
    this.label.hidden = true
    stage.renderer.domElement.addEventListener('pointermove', (event) => this.point(event.clientX, event.clientY))
    stage.renderer.domElement.addEventListener('pointerleave', () => this.point(-1, -1))
  }

  /** The regions of a frame, null where none are told; `origin` [m] and `size` [m] are those of the scene. */
  show(regions: RegionInfo[] | true | null | undefined, origin: number[], size: number): void {
    const told = this.on && regions !== true ? (regions ?? []) : []
    const text = JSON.stringify(told)
    const scale = zoomed(this.stage.pixel * this.stage.height)
    if (text === this.text && Math.abs(scale / this.scale - 1) < 0.05) return
    this.scale = scale
    this.shown = told
    this.text = text
    this.origin = origin
    this.size = size
    this.clear()
    const largest = Math.max(0, ...told.map((region) => length(region.force)))
    const twist = Math.max(LEVER * size * largest, ...told.map((region) => length(region.moment)))
    for (const region of told) {
      const [mesh, ...more] = this.shape(region)
      mesh.userData['region'] = region
      this.group.add(mesh, ...more, ...this.arrow(region, largest), ...this.twist(region, twist))
    }
    for (const child of this.group.children) child.renderOrder = 9000
    if (this.mouse) this.point(this.mouse.x, this.mouse.y)
    this.stage.touch()
  }

  /** For tests and scripts: words, dimension, force and moment of each, and where in the window its middle is. */
  seen(): unknown[] {
    const rect = this.stage.renderer.domElement.getBoundingClientRect()
    return this.shown.map((region) => {
      const at = this.place(region.at, 0).project(this.stage.camera)
      const screen = [rect.left + ((at.x + 1) / 2) * rect.width, rect.top + ((1 - at.y) / 2) * rect.height]
      return { text: wordsOf(region), dim: region.dim, force: region.force, moment: region.moment, screen }
    })
  }

  /** The region under a point of the window. */
  pick(x: number, y: number): RegionInfo | null {
    const rect = this.stage.renderer.domElement.getBoundingClientRect()
    const at = new THREE.Vector2(((x - rect.left) / rect.width) * 2 - 1, 1 - ((y - rect.top) / rect.height) * 2)
    const ray = new THREE.Raycaster()
    ray.setFromCamera(at, this.stage.camera)
    this.group.updateMatrixWorld(true)
    // Points and lines are small: they come before the surfaces around them.
    const hits = ray.intersectObjects(this.group.children, false).map((hit) => hit.object.userData['region'] as RegionInfo | undefined)
    const found = hits.filter((region): region is RegionInfo => region !== undefined)
    return found.reduce<RegionInfo | null>((best, region) => (best && best.dim <= region.dim ? best : region), null)
  }

  private point(x: number, y: number): void {
    this.mouse = x < 0 ? null : { x, y }
    const region = this.on && this.mouse ? this.pick(x, y) : null
    this.mark(region)
    this.label.hidden = region === null
    if (!region) return
    const rect = this.stage.holder.getBoundingClientRect()
    this.label.textContent = wordsOf(region)
    const room = rect.width - this.label.offsetWidth - 8
    this.label.style.left = `${Math.max(0, Math.min(x - rect.left + 14, room))}px`
    this.label.style.top = `${Math.min(y - rect.top + 14, rect.height - this.label.offsetHeight - 4)}px`
  }

  /** Fill the patch of a region more than others. */
  private mark(region: RegionInfo | null): void {
    for (const child of this.group.children as THREE.Mesh[]) {
      const of = child.userData['region'] as RegionInfo | undefined
      if (of?.dim !== 2) continue
      const material = of === region ? this.full : this.faint
      if (child.material === material) continue
      child.material = material
      this.stage.touch()
    }
  }

  private clear(): void {
    for (const child of this.group.children) (child as THREE.Mesh).geometry.dispose()
    this.group.clear()
  }

  private place(points: number[], row: number): THREE.Vector3 {
    const [x, y, z] = [0, 1, 2].map((k) => (points[3 * row + k] - this.origin[k]) / this.size)
    return new THREE.Vector3(x, y, z)
  }

  /** What is drawn of a region, first what the mouse can be over. */
  private shape(region: RegionInfo): [THREE.Mesh, ...THREE.Mesh[]] {
    if (region.dim === 2) {
      const geometry = new THREE.BufferGeometry()
      const places = Array.from({ length: region.points.length / 3 }, (_, row) => this.place(region.points, row).toArray())
      geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(places.flat()), 3))
      return [new THREE.Mesh(geometry, this.faint), new THREE.Mesh(geometry, this.open)]
    }
    if (region.dim === 1) return [this.rod(this.place(region.points, 0), this.place(region.points, 1), LINE * this.scale, this.full)]
    const ball = new THREE.Mesh(new THREE.SphereGeometry(POINT * this.scale, 14, 10), this.full)
    ball.position.copy(this.place(region.points, 0))
    return [ball]
  }

  private arrow(region: RegionInfo, largest: number): THREE.Mesh[] {
    const long = arrowLength(length(region.force), largest)
    if (!(long > 0.012)) return []
    const { scale } = this
    const way = new THREE.Vector3(...region.force).normalize()
    const from = this.place(region.at, 0)
    const head = new THREE.Mesh(new THREE.ConeGeometry(0.009 * scale, 0.024 * scale, 16).translate(0, -0.012 * scale, 0), this.push)
    head.position.copy(from).addScaledVector(way, long * scale)
    head.quaternion.setFromUnitVectors(UP, way)
    return [this.rod(from, from.clone().addScaledVector(way, (long - 0.02) * scale), 0.0032 * scale, this.push), head]
  }

  /** The moment about the place of the force: part of a ring around its axis, with a head, turning as a right-handed screw. */
  private twist(region: RegionInfo, largest: number): THREE.Mesh[] {
    const long = 0.4 * arrowLength(length(region.moment), largest)
    if (!(long > 0.012)) return []
    const [scale, radius] = [this.scale, long * this.scale]
    const turn = new THREE.Quaternion().setFromUnitVectors(FORTH, new THREE.Vector3(...region.moment).normalize())
    const ring = new THREE.Mesh(new THREE.TorusGeometry(radius, 0.0026 * scale, 8, 40, ARC), this.push)
    const head = new THREE.Mesh(new THREE.ConeGeometry(0.008 * scale, 0.022 * scale, 16), this.push)
    head.position.set(radius * Math.cos(ARC), radius * Math.sin(ARC), 0).applyQuaternion(turn)
    head.quaternion.copy(turn).multiply(new THREE.Quaternion().setFromAxisAngle(FORTH, ARC))
    const at = this.place(region.at, 0)
    ring.quaternion.copy(turn)
    ring.position.copy(at)
    head.position.add(at)
    return [ring, head]
  }

  private rod(from: THREE.Vector3, to: THREE.Vector3, radius: number, material: THREE.Material): THREE.Mesh {
    const way = to.clone().sub(from)
    const long = Math.max(way.length(), 1e-9)
    const rod = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, long, 10).translate(0, long / 2, 0), material)
    rod.position.copy(from)
    rod.quaternion.setFromUnitVectors(UP, way.divideScalar(long))
    return rod
  }
}

/** What is said of a region. */
export function wordsOf({ text, moment, slides }: Pick<RegionInfo, 'text' | 'moment' | 'slides'>): string {
  const size = length(moment)
  const twist = size > 0 ? `, ${size < 0.1 ? `${+(1e3 * size).toPrecision(3)} mN m` : `${+size.toPrecision(3)} N m`}` : ''
  return `${text}${twist}${slides ? ', slides' : ''}`
}

function length(force: number[]): number {
  return Math.hypot(...force)
}
