// A part on the page: its surface, its edges, the faces that are touched, and where it is.
import * as THREE from 'three'
import type { BodyInfo, Shape } from '../net/messages'

const WRONG = new THREE.Color(0xd01818)
const TOUCHED = [255, 150, 40, 210]
/** In sizes of the scene, and for turns: less than this is not seen, however near one looks. */
const STILL = 2e-7

export class Part {
  readonly group = new THREE.Group()
  readonly mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>
  readonly edges: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial>
  /** [x y z qw qx qy qz] in metres, of the newest frame. */
  readonly pose = new Float64Array(7).fill(NaN)
  fixed: boolean
  hidden = false
  private readonly lit: Uint8Array
  private readonly texture: THREE.DataTexture
  private readonly placed = new Float64Array(7).fill(NaN)
  /** Where it was when it was last seen to move. */
  private readonly noticed = new Float64Array(7).fill(NaN)
  private readonly glowing = new Map<number, number>()
  private touched = new Set<number>()
  /** Whether only its outside is ever seen. */
  private readonly solid: boolean

  constructor(
    readonly index: number,
    readonly info: BodyInfo,
    readonly shape: Shape,
    geometry: THREE.BufferGeometry,
    outline: THREE.BufferGeometry,
    clear: boolean,
  ) {
    this.fixed = info.fixed
    this.solid = shape.closed && !shape.coarse && !clear
    const wide = Math.min(shape.faces, 1024)
    const high = Math.ceil(shape.faces / wide)
    this.lit = new Uint8Array(4 * wide * high)
    this.texture = new THREE.DataTexture(this.lit, wide, high)
    this.texture.needsUpdate = true
    const material = new THREE.MeshStandardMaterial({ color: info.colour, roughness: 0.62, metalness: 0.05, shadowSide: THREE.DoubleSide })
    material.polygonOffset = true
    material.polygonOffsetFactor = 1
    material.polygonOffsetUnits = 1
    if (clear) {
      material.transparent = true
      material.opacity = 0.45
    }
    material.customProgramCacheKey = () => `lit ${wide}`
    material.onBeforeCompile = (shader) => {
      shader.uniforms['lit'] = { value: this.texture }
      shader.vertexShader =
        'attribute float face; varying float vFace;\n' +
        shader.vertexShader.replace('#include <begin_vertex>', '#include <begin_vertex>\n vFace = face;')
      shader.fragmentShader =
        'uniform sampler2D lit; varying float vFace;\n' +
        shader.fragmentShader.replace(
          '#include <color_fragment>',
          `#include <color_fragment>
          float f = floor(vFace + .5);
          vec4 l = texelFetch(lit, ivec2(int(mod(f, ${wide}.0)), int(f / ${wide}.0)), 0);
          diffuseColor.rgb = mix(diffuseColor.rgb, l.rgb, l.a);`,
        )
    }
    this.mesh = new THREE.Mesh(geometry, material)
    this.mesh.castShadow = !clear
    this.mesh.receiveShadow = true
    this.mesh.userData['part'] = this
    this.edges = new THREE.LineSegments(outline, new THREE.LineBasicMaterial({ color: 0x20242c, transparent: true, opacity: clear ? 0.4 : 0.75 }))
    this.group.add(this.mesh, this.edges)
  }

  /** Whether it changes its shape, so that it has no pose to be drawn to. */
  get soft(): boolean {
    return false
  }

  /**
   * Draw the part at a pose [x y z qw qx qy qz] in metres; returns whether it stands where it was, trembles, by less
   * than `pixel` in sizes of the scene, or moves.
   */
  put(poses: Float64Array, at: number, origin: readonly number[], size: number, pixel: number): 'stands' | 'trembles' | 'moves' {
    if (!differs(poses, at, this.placed, STILL, size)) return 'stands'
    this.placed.set(poses.subarray(at, at + 7))
    const [x, y, z, qw, qx, qy, qz] = this.placed
    this.group.quaternion.set(qx, qy, qz, qw)
    const middle = new THREE.Vector3(...this.shape.middle).applyQuaternion(this.group.quaternion)
    this.group.position.set((x + middle.x - origin[0]) / size, (y + middle.y - origin[1]) / size, (z + middle.z - origin[2]) / size)
    this.group.updateMatrixWorld()
    if (!differs(poses, at, this.noticed, pixel, size)) return 'trembles'
    this.noticed.set(this.placed)
    return 'moves'
  }

  /** The pose at which it is drawn. */
  drawn(origin: readonly number[], size: number): number[] {
    const { position: p, quaternion: q } = this.group
    const middle = new THREE.Vector3(...this.shape.middle).applyQuaternion(q)
    return [p.x * size + origin[0] - middle.x, p.y * size + origin[1] - middle.y, p.z * size + origin[2] - middle.z, q.w, q.x, q.y, q.z]
  }

  /** A point of the page's space in the part's own frame, in metres. */
  local(point: THREE.Vector3, size: number, _origin: readonly number[] = []): [number, number, number] {
    this.group.updateMatrixWorld()
    const p = this.group.worldToLocal(point.clone())
    const [x, y, z] = this.shape.middle
    return [p.x * size + x, p.y * size + y, p.z * size + z]
  }

  /** A point of the part's own frame, three numbers in metres, in the page's space. */
  space(points: ArrayLike<number>, at: number, size: number, out: THREE.Vector3): THREE.Vector3 {
    const [x, y, z] = this.shape.middle
    return out.set((points[at] - x) / size, (points[at + 1] - y) / size, (points[at + 2] - z) / size).applyMatrix4(this.group.matrixWorld)
  }

  /** Faces that touch something. */
  touch(faces: Set<number>): void {
    this.touched = faces
    for (const face of faces) if (!this.glowing.has(face)) this.glowing.set(face, 0)
  }

  /** Let faces that are touched light up and others fade, by a share of the way; returns whether any did. */
  fade(share: number): boolean {
    let changed = false
    for (const [face, level] of this.glowing) {
      const goal = this.touched.has(face) ? 1 : 0
      if (level === goal) continue
      const next = Math.abs(goal - level) < 0.02 ? goal : level + share * (goal - level)
      this.lit.set(next > 0 ? [...TOUCHED.slice(0, 3), next * TOUCHED[3]] : [0, 0, 0, 0], 4 * face)
      if (next === 0) this.glowing.delete(face)
      else this.glowing.set(face, next)
      changed = true
    }
    if (changed) this.texture.needsUpdate = true
    return changed
  }

  /** Faces that are lit. */
  get litFaces(): number[] {
    return [...this.touched].sort((a, b) => a - b)
  }

  mark(selected: boolean, wrong: boolean): void {
    this.mesh.material.color.set(this.info.colour)
    if (wrong) this.mesh.material.color.lerp(WRONG, 0.85)
    this.mesh.material.emissive.set(selected ? 0x3a1c00 : 0x000000)
    this.edges.material.color.set(selected ? 0xe8730c : 0x20242c)
  }

  show(hidden: boolean): void {
    this.hidden = hidden
    this.group.visible = !hidden
  }

  clip(planes: THREE.Plane[]): void {
    const { material } = this.mesh
    material.side = this.solid && !planes.length ? THREE.FrontSide : THREE.DoubleSide
    material.needsUpdate = true
    material.clippingPlanes = planes
    material.clipShadows = true
    this.edges.material.clippingPlanes = planes
  }

  box(): THREE.Box3 {
    this.group.updateMatrixWorld()
    return new THREE.Box3().setFromObject(this.mesh)
  }

  dispose(): void {
    this.group.removeFromParent()
    this.texture.dispose()
    this.mesh.material.dispose()
    this.edges.material.dispose()
  }
}

/** Whether a pose differs from another by more than a share of the scene's size, or a turn like that. */
function differs(poses: Float64Array, at: number, from: Float64Array, share: number, size: number): boolean {
  for (let k = 0; k < 7; k++) {
    const by = Math.abs(poses[at + k] - from[k])
    if (!(by <= share * (k < 3 ? size : 1))) return true
  }
  return false
}

export function surfaceOf(shape: Shape): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.BufferAttribute(shape.position, 3))
  geometry.setAttribute('normal', new THREE.BufferAttribute(shape.normal, 3))
  geometry.setAttribute('face', new THREE.BufferAttribute(shape.face, 1))
  return geometry
}

export function outlineOf(shape: Shape): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry()
  geometry.setAttribute('position', new THREE.BufferAttribute(shape.edges, 3))
  return geometry
}
