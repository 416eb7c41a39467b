// All that is shown of a world: parts, arrows, the hand's spring, the section; and which part is where on the screen.
import * as THREE from 'three'
import { CONTACT, CONTACT_WIDTH, type Frame, type SceneInfo } from '../net/messages'
import { Arrows, Spring } from './arrows'
import { Glow } from './glow'
import { Motion } from './motion'
import { outlineOf, Part, surfaceOf } from './part'
import { Section } from './section'
import { SoftPart, SoftParts } from './soft'
import type { Stage } from './stage'

/** A part and a point of its surface, in the page's space. */
export interface Hit {
  part: Part
  point: THREE.Vector3
}

export class Picture {
  parts: Part[] = []
  info: SceneInfo | null = null
  frame: Frame | null = null
  readonly arrows = new Arrows()
  readonly spring = new Spring()
  readonly glow = new Glow()
  readonly section = new Section([this.glow.mesh.material as THREE.Material])
  readonly motion = new Motion()
  readonly soft = new SoftParts()
  showArrows = true
  showLit = true
  selected: Part | null = null
  private readonly target = new THREE.WebGLRenderTarget(2, 2)

  constructor(readonly stage: Stage) {
    stage.scene.add(this.arrows.group, this.spring.group, this.section.group, this.glow.mesh)
    stage.holder.append(this.spring.label, this.soft.element)
  }

  /** Begin with the parts of a scene; what was hidden or selected stays so. */
  load(info: SceneInfo): void {
    const hidden = new Set(this.parts.filter((part) => part.hidden).map((part) => part.info.name))
    const chosen = this.selected?.info.name
    const first = this.info === null || this.info.title !== info.title
    for (const part of this.parts) part.dispose()
    this.info = info
    this.selected = null
    const surfaces = info.shapes.map((shape) => (shape.plane || shape.soft ? null : surfaceOf(shape)))
    const outlines = info.shapes.map((shape) => (shape.plane || shape.soft ? null : outlineOf(shape)))
    this.parts = []
    for (const [i, body] of info.bodies.entries()) {
      const shape = info.shapes[body.shape]
      const clear = info.view.clear.includes(body.name)
      const surface = surfaces[body.shape]
      const outline = outlines[body.shape]
      if (!shape.soft && (!surface || !outline)) continue
      const part = shape.soft ? new SoftPart(i, body, shape, clear) : new Part(i, body, shape, surface!, outline!, clear)
      part.show(hidden.has(body.name))
      this.stage.scene.add(part.group)
      this.parts.push(part)
      if (body.name === chosen) this.select(part)
    }
    this.soft.load(this.parts, info.stressTop)
    this.section.chosen = new Set(info.view.cut)
    this.section.apply(this.parts)
    if (this.frame) this.aim(this.frame, performance.now())
    if (first) this.needsFit = true
    this.stage.shade()
  }

  needsFit = false

  part(body: number): Part | null {
    return this.parts.find((part) => part.index === body) ?? null
  }

  /** Show a frame that has come at a time [ms]. */
  show(frame: Frame, came = performance.now()): void {
    this.aim(frame, came)
    this.frame = frame
    this.advance(came, 0)
    if (this.needsFit && this.info) {
      this.needsFit = false
      this.stage.lookFrom(this.info.view.azimuth, this.info.view.elevation)
      this.fitAsAsked()
      this.putFloor()
    }
  }

  /** Forces as they are shown: bodies, point in metres, newtons on the second body. */
  forces(): { bodies: [number, number]; point: number[]; force: number[] }[] {
    const { origin, size } = this.info!
    return this.arrows.alive.map(({ a, b, at, force }) => ({ bodies: [a, b], point: at.toArray().map((x, k) => x * size + origin[k]), force: force.toArray() }))
  }

  fitAll(): void {
    const box = new THREE.Box3()
    for (const part of this.parts) if (!part.hidden) box.union(part.box())
    this.stage.fit(box, 1.35)
  }

  /** Whether there are parts to be seen, and none of those that can move is in the view; looked for now and then. */
  get lost(): boolean {
    const free = this.parts.filter((part) => !part.hidden && !part.fixed)
    if (!free.length) return false
    const { camera } = this.stage
    const sight = new THREE.Frustum().setFromProjectionMatrix(new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse))
    return !free.some((part) => sight.intersectsBox(part.box()))
  }

  /** Look at what the scene is about, or at everything. */
  private fitAsAsked(): void {
    const { view, origin, size } = this.info!
    if (!view.around && this.info!.roam) return this.fitRoam(this.info!.roam)
    if (!view.around) return this.fitAll()
    const [x, y, z, high] = view.around
    this.stage.lookAt(new THREE.Vector3(x - origin[0], y - origin[1], z - origin[2]).divideScalar(size), high / size)
  }

  /** Look at all parts and at where they will go. */
  private fitRoam([low, high]: [number[], number[]]): void {
    const { origin, size } = this.info!
    const place = (p: number[]): THREE.Vector3 => new THREE.Vector3(p[0] - origin[0], p[1] - origin[1], p[2] - origin[2]).divideScalar(size)
    const box = new THREE.Box3(place(low), place(high))
    for (const part of this.parts) if (!part.hidden) box.union(part.box())
    this.stage.fit(box, 1.15)
  }

  select(part: Part | null): void {
    this.selected = part
    this.markAll()
  }

  markAll(): void {
    const wrong = new Set(this.frame?.status.overlapping ?? [])
    for (const part of this.parts) part.mark(part === this.selected, wrong.has(part.info.name))
    this.stage.touch()
  }

  /** The part under a point of the window, and the point of its surface there. */
  pick(x: number, y: number): Hit | null {
    const rect = this.stage.renderer.domElement.getBoundingClientRect()
    const at = new THREE.Vector2(((x - rect.left) / rect.width) * 2 - 1, 1 - ((y - rect.top) / rect.height) * 2)
    const ray = new THREE.Raycaster()
    ray.setFromCamera(at, this.stage.camera)
    const meshes = this.parts.filter((part) => !part.hidden).map((part) => part.mesh)
    for (const part of this.parts) part.group.updateMatrixWorld()
    for (const hit of ray.intersectObjects(meshes, false)) {
      const part = hit.object.userData['part'] as Part
      if (!this.section.hides(part, hit.point)) return { part, point: hit.point }
    }
    return null
  }

  /** For each part a point of the window where it is seen, far from its outline; null where it is not. */
  visiblePoints(): ([number, number] | null)[] {
    const { renderer, scene, camera } = this.stage
    const rect = renderer.domElement.getBoundingClientRect()
    const [wide, high] = [Math.max(2, Math.round(rect.width / 3)), Math.max(2, Math.round(rect.height / 3))]
    const ids = this.drawIds(wide, high, () => renderer.render(scene, camera))
    const inner = insideOf(ids, wide, high)
    const best: ([number, number] | null)[] = this.parts.map(() => null)
    const depth = this.parts.map(() => 0)
    for (let y = 0; y < high; y++) {
      for (let x = 0; x < wide; x++) {
        const id = ids[y * wide + x]
        if (id > 0 && inner[y * wide + x] > depth[id - 1]) {
          depth[id - 1] = inner[y * wide + x]
          best[id - 1] = [rect.left + ((x + 0.5) / wide) * rect.width, rect.top + (1 - (y + 0.5) / high) * rect.height]
        }
      }
    }
    return best
  }

  /** Draw each part in a colour that is its number + 1; returns these numbers, bottom row first. */
  private drawIds(wide: number, high: number, draw: () => void): Uint32Array {
    const { renderer, scene } = this.stage
    const kept = this.parts.map((part) => part.mesh.material)
    const flat = this.parts.map((part, i) => {
      const id = i + 1
      const material = new THREE.ShaderMaterial({
        uniforms: { id: { value: new THREE.Vector3((id & 255) / 255, ((id >> 8) & 255) / 255, ((id >> 16) & 255) / 255) } },
        vertexShader: `#include <clipping_planes_pars_vertex>
          void main() { vec4 mvPosition = modelViewMatrix * vec4(position, 1.0); gl_Position = projectionMatrix * mvPosition;
          #include <clipping_planes_vertex>
          }`,
        fragmentShader: `#include <clipping_planes_pars_fragment>
          uniform vec3 id; void main() {
          #include <clipping_planes_fragment>
          gl_FragColor = vec4(id, 1.0); }`,
        side: THREE.DoubleSide,
        clipping: true,
        clippingPlanes: part.mesh.material.clippingPlanes ?? [],
      })
      part.mesh.material = material as unknown as typeof part.mesh.material
      part.edges.visible = false
      return material
    })
    const others = scene.children.filter((child) => child.visible && !this.parts.some((part) => part.group === child))
    for (const other of others) other.visible = false
    const background = scene.background
    scene.background = null
    this.target.setSize(wide, high)
    renderer.setRenderTarget(this.target)
    renderer.setClearColor(0x000000, 0)
    renderer.clear()
    draw()
    const pixels = new Uint8Array(4 * wide * high)
    renderer.readRenderTargetPixels(this.target, 0, 0, wide, high, pixels)
    renderer.setRenderTarget(null)
    scene.background = background
    for (const other of others) other.visible = true
    for (const [i, part] of this.parts.entries()) {
      part.mesh.material = kept[i]
      part.edges.visible = true
      flat[i].dispose()
    }
    const ids = new Uint32Array(wide * high)
    for (let k = 0; k < ids.length; k++) ids[k] = pixels[4 * k] + 256 * pixels[4 * k + 1] + 65536 * pixels[4 * k + 2]
    this.stage.touch()
    return ids
  }

  /** Some milliseconds have passed: go on with what is on its way. */
  advance(now: number, passed: number): void {
    const info = this.info
    if (!info || this.motion.shown.length !== 7 * info.bodies.length) return
    this.motion.at(now)
    const { pixel } = this.stage
    const ways = this.parts.map((part) => part.put(this.motion.shown, 7 * part.index, info.origin, info.size, pixel))
    if (this.soft.glide(this.motion.share)) ways.push('moves')
    if (ways.includes('moves')) this.stage.shade()
    if (this.pulled) this.stage.touch()
    const share = 1 - Math.exp(-passed / 40)
    const faded = this.parts.filter((part) => part.fade(share)).length > 0
    this.arrows.zoom(pixel * this.stage.height)
    const changed = this.arrows.advance(passed)
    if (faded || changed || this.fresh || ways.some((way) => way !== 'stands')) {
      this.glow.follow((body) => this.part(body), info.size)
      this.stage.tremble()
    }
    this.fresh = this.pulled = false
  }

  /** Whether other edges are touched than in the last picture. */
  private fresh = false
  /** Whether the hand's spring is to be drawn anew. */
  private pulled = false

  private aim(frame: Frame, came: number): void {
    const info = this.info
    if (!info || frame.poses.length !== 7 * info.bodies.length) return
    const before = this.frame?.time ?? frame.time
    this.motion.aim(frame.poses, came, frame.time < before || frame.status.paused)
    this.soft.aim(frame)
    for (const part of this.parts) part.pose.set(frame.poses.subarray(7 * part.index, 7 * part.index + 7))
    this.arrows.group.visible = this.showArrows
    this.arrows.aim(frame.contacts, info.origin, info.size)
    this.touchFaces(frame)
    this.fresh = this.glow.aim(this.showLit ? frame.edges : new Float64Array(0)) || this.fresh
    this.pulled = this.spring.show(frame.status.held, info.origin, info.size, this.stage) || this.pulled
  }

  private touchFaces(frame: Frame): void {
    const touched = new Map<number, Set<number>>()
    const add = (body: number, face: number): void => {
      if (face < 0) return
      if (!touched.has(body)) touched.set(body, new Set())
      touched.get(body)!.add(face)
    }
    for (let row = 0; this.showLit && row < frame.contacts.length; row += CONTACT_WIDTH) {
      add(frame.contacts[row + CONTACT.bodyA], frame.contacts[row + CONTACT.faceA])
      add(frame.contacts[row + CONTACT.bodyB], frame.contacts[row + CONTACT.faceB])
    }
    for (const part of this.parts) part.touch(touched.get(part.index) ?? new Set())
  }

  private putFloor(): void {
    const info = this.info!
    const planes = info.shapes.filter((shape) => shape.plane)
    const level = planes.find((shape) => shape.plane![2] > 0.999)
    const box = new THREE.Box3()
    for (const part of this.parts) box.union(part.box())
    this.stage.putFloor(level ? (level.plane![3] - info.origin[2]) / info.size : box.min.z, info.size)
  }
}

/** How far, in pixels, each one is from one of another number; an upper bound that grows inwards. */
export function insideOf(ids: Uint32Array, wide: number, high: number): Uint16Array {
  const far = new Uint16Array(ids.length)
  const same = (k: number, l: number): boolean => ids[k] === ids[l]
  for (let y = 0; y < high; y++) {
    for (let x = 0; x < wide; x++) {
      const k = y * wide + x
      const left = x > 0 && same(k, k - 1) ? far[k - 1] : 0
      const below = y > 0 && same(k, k - wide) ? far[k - wide] : 0
      far[k] = 1 + Math.min(left, below)
    }
  }
  for (let y = high - 1; y >= 0; y--) {
    for (let x = wide - 1; x >= 0; x--) {
      const k = y * wide + x
      const right = x < wide - 1 && same(k, k + 1) ? far[k + 1] : 0
      const above = y < high - 1 && same(k, k + wide) ? far[k + wide] : 0
      far[k] = Math.min(far[k], 1 + Math.min(right, above))
    }
  }
  return far
}
