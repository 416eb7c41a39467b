// A soft body on the page: a skin that nodes of a cage carry, coloured by stress; and the scale of these colours.
import * as THREE from 'three'
import type { BodyInfo, Frame, Shape, SoftSkin } from '../net/messages'
import { make } from '../panels/dom'
import { Part } from './part'

/** Whole numbers of a frame's nodes go up to this (app/play/soft_rows.py). */
const MOST = 65535
/** Numbers of a body in a frame before its nodes. */
const HEAD = 8
/** Colours from the least to the largest stress, as in app/draw/stress.py. */
export const RAMP: [number, number, number][] = [
  [0.27, 0.36, 0.66],
  [0.3, 0.62, 0.74],
  [0.52, 0.78, 0.55],
  [0.93, 0.85, 0.38],
  [0.9, 0.52, 0.22],
  [0.7, 0.13, 0.16],
]
/** By which the scale of a live page shrinks from frame to frame, where stress is less than it shows. */
const FORGET = 0.995

/** Nodes of one body in a frame: x y z in sizes of the scene and stress [Pa], four numbers a node. */
export interface Nodes {
  rows: Float32Array
  top: number
}

/** What a frame says of soft bodies with so many nodes each. */
export function readNodes(block: ArrayBuffer, counts: number[]): Nodes[] {
  let at = 0
  const found: Nodes[] = []
  for (const count of counts) {
    if (at + 4 * HEAD + 8 * count > block.byteLength) return []
    const head = new Float32Array(block, at, HEAD)
    const given = new Uint16Array(block, at + 4 * HEAD, 4 * count)
    const rows = new Float32Array(4 * count)
    for (let k = 0; k < rows.length; k += 4) {
      for (let axis = 0; axis < 3; axis++) rows[k + axis] = head[axis] + (given[k + axis] / MOST) * head[3 + axis]
      rows[k + 3] = (given[k + 3] / MOST) * head[6]
    }
    found.push({ rows, top: head[6] })
    at += 4 * HEAD + 8 * count
  }
  return found
}

/** Put vertices and their stress where nodes (4 numbers each) carry them. */
export function carry(skin: SoftSkin, nodes: Float32Array, position: Float32Array, stress: Float32Array): void {
  const { corner, weight } = skin
  for (let v = 0; v < stress.length; v++) {
    let [x, y, z, s] = [0, 0, 0, 0]
    for (let k = 4 * v; k < 4 * v + 4; k++) {
      const [at, w] = [4 * corner[k], weight[k]]
      x += w * nodes[at]
      y += w * nodes[at + 1]
      z += w * nodes[at + 2]
      s += w * nodes[at + 3]
    }
    position[3 * v] = x
    position[3 * v + 1] = y
    position[3 * v + 2] = z
    stress[v] = Math.max(0, s)
  }
}

export class SoftPart extends Part {
  private readonly skin: SoftSkin
  private readonly top = { value: 1 }
  private from: Float32Array
  private to: Float32Array
  private readonly now: Float32Array
  private shown = -1

  constructor(index: number, info: BodyInfo, shape: Shape, clear: boolean) {
    super(index, info, shape, new THREE.BufferGeometry(), new THREE.BufferGeometry(), clear)
    this.skin = shape.soft!
    const vertices = this.skin.corner.length / 4
    const { geometry, material } = this.mesh
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(THREE.DynamicDrawUsage))
    geometry.setAttribute('stress', new THREE.BufferAttribute(new Float32Array(vertices), 1).setUsage(THREE.DynamicDrawUsage))
    geometry.setIndex(new THREE.BufferAttribute(this.skin.index, 1))
    this.edges.geometry.setAttribute('position', geometry.getAttribute('position'))
    this.edges.geometry.setIndex(new THREE.BufferAttribute(this.skin.edges, 1))
    this.mesh.frustumCulled = this.edges.frustumCulled = false
    this.from = new Float32Array(4 * this.skin.nodes)
    this.to = this.from.slice()
    this.now = this.from.slice()
    material.color.set(0xffffff)
    material.customProgramCacheKey = () => 'stress'
    material.onBeforeCompile = (shader) => {
      shader.uniforms['top'] = this.top
      shader.vertexShader = 'attribute float stress; varying float vStress;\n' + shader.vertexShader.replace('#include <begin_vertex>', '#include <begin_vertex>\n vStress = stress;')
      const colours = RAMP.map((rgb) => `vec3(${rgb.map((c) => c.toFixed(2)).join(', ')})`).join(', ')
      shader.fragmentShader =
        'uniform float top; varying float vStress;\n' +
        shader.fragmentShader.replace(
          '#include <color_fragment>',
          `#include <color_fragment>
          vec3 ramp[${RAMP.length}] = vec3[](${colours});
          float place = clamp(vStress / top, 0.0, 1.0) * ${RAMP.length - 1}.0;
          int low = min(int(place), ${RAMP.length - 2});
          vec3 shade = mix(ramp[low], ramp[low + 1], place - float(low));
          diffuseColor.rgb *= pow(shade, vec3(2.2));`,
        )
    }
  }

  override get soft(): boolean {
    return true
  }

  /** Nodes of a new frame; on the way there it goes evenly. */
  aim(nodes: Nodes): void {
    if (this.shown === 1 && nodes.rows.every((x, k) => x === this.to[k])) return
    this.from.set(this.now)
    this.to.set(nodes.rows)
    this.shown = -1
  }

  /** What has the last colour [Pa]. */
  scale(top: number): void {
    this.top.value = Math.max(top, 1e-9)
  }

  /** Draw it a share of the way from the last frame to the newest; returns whether that changed anything. */
  glide(share: number): boolean {
    if (share === this.shown) return false
    this.shown = share
    for (let k = 0; k < this.now.length; k++) this.now[k] = this.from[k] + share * (this.to[k] - this.from[k])
    const { geometry } = this.mesh
    const [position, stress] = [geometry.getAttribute('position'), geometry.getAttribute('stress')]
    carry(this.skin, this.now, position.array as Float32Array, stress.array as Float32Array)
    position.needsUpdate = stress.needsUpdate = true
    geometry.computeVertexNormals()
    geometry.boundingSphere = geometry.boundingBox = null
    return true
  }

  /** Its vertices are in the page's space already. */
  override put(): 'stands' {
    return 'stands'
  }

  /** The server finds by itself where on the skin a point is that is given in the world. */
  override local(point: THREE.Vector3, size: number, origin: readonly number[]): [number, number, number] {
    return [point.x * size + origin[0], point.y * size + origin[1], point.z * size + origin[2]]
  }

  override drawn(): number[] {
    return [...this.pose]
  }

  override mark(selected: boolean, wrong: boolean): void {
    super.mark(selected, wrong)
    this.mesh.material.color.set(wrong ? 0xd01818 : 0xffffff)
  }

  /** Largest stress among its vertices [Pa]. */
  get largest(): number {
    return (this.mesh.geometry.getAttribute('stress').array as Float32Array).reduce((a, b) => Math.max(a, b), 0)
  }
}

/** All soft bodies of a scene, and the scale of their colours. */
export class SoftParts {
  readonly element = make('div', { class: 'stress-scale', hidden: true, role: 'img' })
  private readonly words = make('span')
  private parts: SoftPart[] = []
  private counts: number[] = []
  private fixed: number | null = null
  top = 0

  constructor() {
    const bar = make('span', { class: 'ramp' })
    bar.style.background = `linear-gradient(to right, ${RAMP.map((rgb) => `rgb(${rgb.map((c) => Math.round(255 * c)).join(' ')})`).join(', ')})`
    this.element.append(bar, this.words)
  }

  /** Begin with those of a scene; `top` [Pa] where the largest stress is known. */
  load(parts: Part[], top: number | null | undefined): void {
    this.parts = parts.filter((part): part is SoftPart => part instanceof SoftPart)
    this.counts = this.parts.map((part) => part.shape.soft!.nodes)
    this.fixed = top ?? null
    this.top = this.fixed ?? 0
    this.element.hidden = this.parts.length === 0
  }

  aim(frame: Frame): void {
    const found = readNodes(frame.soft, this.counts)
    if (!found.length) return
    const largest = Math.max(...found.map((nodes) => nodes.top))
    this.top = this.fixed ?? Math.max(largest, FORGET * this.top)
    const calm = Math.max(...this.parts.map((part) => part.info.calm ?? 0))
    for (const [i, part] of this.parts.entries()) {
      part.aim(found[i])
      part.scale(Math.max(this.top, calm))
    }
    const text = this.top > calm ? `von Mises stress, 0 to ${pascals(this.top)}` : 'von Mises stress: none'
    if (this.words.textContent !== text) this.words.textContent = text
    this.element.setAttribute('aria-label', `colours: ${text}`)
  }

  /** Draw all of them a share of the way; returns whether anything changed. */
  glide(share: number): boolean {
    let moved = false
    for (const part of this.parts) moved = part.glide(share) || moved
    return moved
  }
}

/** A pressure as people write it. */
export function pascals(p: number): string {
  for (const [unit, name] of [[1e9, 'GPa'], [1e6, 'MPa'], [1e3, 'kPa']] as const) if (p >= unit) return `${+(p / unit).toPrecision(3)} ${name}`
  return `${+p.toPrecision(3)} Pa`
}
