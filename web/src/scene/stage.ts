// Renderer, camera, light and floor. Lengths are in sizes of the scene, with its middle at the origin and z up.
import * as THREE from 'three'
import { OrbitControls } from 'three/addons/controls/OrbitControls.js'
import { drawing, Pace, SLOW } from './pace'

export type ViewName = 'iso' | 'front' | 'back' | 'left' | 'right' | 'top' | 'bottom'

const DIRECTIONS: Record<ViewName, [number, number, number]> = {
  iso: [0.6, -1, 0.6],
  front: [0, -1, 0],
  back: [0, 1, 0],
  left: [-1, 0, 0],
  right: [1, 0, 0],
  top: [0, -1e-4, 1],
  bottom: [0, -1e-4, -1],
}

/** From the camera, in sizes of the scene: what is nearer is not seen; so far it goes away from what it looks at. */
const NEAREST = 0.002
const FARTHEST = 20
/** Pixels for one of the screen, in pictures at rest of computers without a graphics card. */
const SMOOTH = 1.5
/** Width of the floor on which shadows fall: as far as the sun's light is followed. */
const FLOOR = 3.6

export class Stage {
  readonly renderer: THREE.WebGLRenderer
  readonly scene = new THREE.Scene()
  readonly camera = new THREE.PerspectiveCamera(32, 1, NEAREST, 3 * FARTHEST)
  readonly orbit: OrbitControls
  readonly floor: THREE.Mesh
  readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>
  /** Of the view, in pixels of the page. */
  width = 1
  height = 1
  /** Whether every picture is drawn in full, however long that takes. */
  full = false
  readonly pace = new Pace()
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.1)
  private dirty = true
  private trembled = false
  private unshaded = true
  /** [ms] when it was last drawn. */
  private drawn = 0
  private ratio = 1
  private watching = false

  /** `soft` if there is no graphics card: edges are then smoothed at rest, by a finer picture, and not in motion. */
  constructor(
    readonly holder: HTMLElement,
    private readonly soft: boolean,
  ) {
    this.renderer = new THREE.WebGLRenderer({ antialias: !soft, stencil: true })
    this.renderer.localClippingEnabled = true
    this.renderer.shadowMap.enabled = true
    this.renderer.shadowMap.type = THREE.PCFShadowMap
    this.renderer.shadowMap.autoUpdate = false
    this.renderer.domElement.setAttribute('aria-label', 'parts in space; use the list of parts and the arrow keys to move them')
    this.renderer.domElement.setAttribute('role', 'img')
    this.renderer.domElement.tabIndex = 0
    holder.append(this.renderer.domElement)
    this.camera.up.set(0, 0, 1)
    this.orbit = new OrbitControls(this.camera, this.renderer.domElement)
    this.orbit.enableDamping = false
    this.orbit.minDistance = 0.01
    this.orbit.maxDistance = FARTHEST
    this.orbit.addEventListener('change', () => this.touch())
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8d939c, 1.6))
    this.sun.position.set(0.9, -1.4, 2.4)
    this.sun.castShadow = true
    this.sun.shadow.mapSize.set(1024, 1024)
    this.sun.shadow.radius = 4
    this.sun.shadow.bias = -0.0006
    this.sun.shadow.normalBias = 0.012
    const box = this.sun.shadow.camera
    box.left = box.bottom = -1.1
    box.right = box.top = 1.1
    box.near = 0.5
    box.far = 6
    const fill = new THREE.DirectionalLight(0xffffff, 0.5)
    fill.position.set(-1.5, 1, 0.6)
    this.scene.add(this.sun, fill)
    this.floor = new THREE.Mesh(new THREE.PlaneGeometry(FLOOR, FLOOR), new THREE.ShadowMaterial({ opacity: 0.16 }))
    this.floor.receiveShadow = true
    this.grid = new THREE.Mesh(new THREE.PlaneGeometry(6, 6), gridMaterial())
    this.grid.renderOrder = -1
    this.scene.add(this.floor, this.grid)
    new ResizeObserver(() => this.resize()).observe(holder)
    this.resize()
    this.look('iso')
  }

  /** Something has changed: draw again. */
  touch(): void {
    this.dirty = true
  }

  /** Something has changed that is hardly seen: it can wait a little where drawing takes long. */
  tremble(): void {
    this.trembled = true
  }

  /** How long a pixel is in the middle of the view, in sizes of the scene. */
  get pixel(): number {
    return (2 * Math.tan((this.camera.fov * Math.PI) / 360) * this.camera.position.distanceTo(this.orbit.target)) / this.height
  }

  /** Parts have moved, come or gone: their shadows, too. */
  shade(): void {
    this.unshaded = true
    this.touch()
  }

  background(colour: string): void {
    this.scene.background = new THREE.Color(colour)
    this.touch()
  }

  /** Lay the floor at a height, with lines that are a round length apart; `size` is that of the scene in metres. */
  putFloor(height: number, size: number): void {
    this.floor.position.z = height - 2e-4
    this.grid.position.z = height - 4e-4
    this.grid.material.uniforms['apart'].value = roundLength(0.1 * size) / size
    this.shade()
  }

  /** Draw at a time [ms] if anything has changed, or if it was drawn coarsely and nothing changes any more. */
  draw(now = performance.now()): void {
    const coarse = this.ratio < this.finest || this.unshaded
    const what = drawing({ moved: this.dirty, trembled: this.trembled, coarse, since: now - this.drawn }, this.pace.level)
    if (what === 'motion') {
      this.render(now, Math.min(devicePixelRatio, 2) * (this.full ? 1 : this.pace.share), this.pace.shades())
      this.watch()
    } else if (what === 'rest') this.drawFull(now)
  }

  /** See how long the graphics card takes for the picture that was just drawn; one at a time. */
  private watch(): void {
    if (this.watching) return
    const drawing = this.renderer.getContext() as WebGL2RenderingContext
    const done = drawing.fenceSync(drawing.SYNC_GPU_COMMANDS_COMPLETE, 0)
    if (!done) return
    this.watching = true
    drawing.flush()
    setTimeout(() => {
      this.watching = false
      this.pace.drawn(drawing.getSyncParameter(done, drawing.SYNC_STATUS) !== drawing.SIGNALED, performance.now())
      drawing.deleteSync(done)
    }, SLOW)
  }

  /** Draw now, in full. */
  drawFull(now = performance.now()): void {
    this.render(now, this.finest, true)
  }

  /** Whether what is seen is drawn in full. */
  get sharp(): boolean {
    return !this.dirty && !this.unshaded && this.ratio >= this.finest
  }

  /** Pixels of a picture at rest for one of the page. */
  private get finest(): number {
    return Math.min(this.soft && !this.full ? SMOOTH * devicePixelRatio : devicePixelRatio, 2)
  }

  /** Draw with so many pixels for one of the page, with new shadows if these are wanted. */
  private render(now: number, ratio: number, shadows: boolean): void {
    if (ratio !== this.ratio) this.renderer.setPixelRatio(ratio)
    this.ratio = ratio
    if (this.unshaded && shadows) {
      this.renderer.shadowMap.needsUpdate = true
      this.unshaded = false
    }
    this.dirty = this.trembled = false
    this.drawn = now
    this.renderer.render(this.scene, this.camera)
  }

  look(name: ViewName): void {
    const direction = new THREE.Vector3(...DIRECTIONS[name]).normalize()
    const distance = this.camera.position.distanceTo(this.orbit.target) || 2
    this.camera.position.copy(this.orbit.target).addScaledVector(direction, distance)
    this.orbit.update()
    this.touch()
  }

  /** Look from an azimuth and an elevation in degrees. */
  lookFrom(azimuth: number, elevation: number): void {
    const [a, e] = [(azimuth * Math.PI) / 180, (elevation * Math.PI) / 180]
    const direction = new THREE.Vector3(Math.sin(a) * Math.cos(e), -Math.cos(a) * Math.cos(e), Math.sin(e))
    const distance = this.camera.position.distanceTo(this.orbit.target) || 2
    this.camera.position.copy(this.orbit.target).addScaledVector(direction, distance)
    this.orbit.update()
    this.touch()
  }

  /** Show a box: its middle becomes what the camera turns about. */
  fit(box: THREE.Box3, room = 1.15): void {
    if (box.isEmpty()) return
    const middle = box.getCenter(new THREE.Vector3())
    const direction = this.camera.position.clone().sub(this.orbit.target).normalize()
    const tall = Math.tan((this.camera.fov * Math.PI) / 360)
    const distance = Math.max(0.02, fitDistance(box, direction, tall, tall * this.camera.aspect, room))
    this.reach(distance)
    this.orbit.target.copy(middle)
    this.camera.position.copy(middle).addScaledVector(direction, distance)
    this.orbit.update()
    this.touch()
  }

  /** Let things so far away be seen: parts may have flown far. */
  private reach(distance: number): void {
    this.orbit.maxDistance = Math.max(FARTHEST, 2 * distance)
    this.camera.far = 3 * this.orbit.maxDistance
    this.camera.near = Math.max(NEAREST, 1e-5 * this.camera.far)
    this.camera.updateProjectionMatrix()
  }

  /** Look at a point so that a height around it is seen. */
  lookAt(middle: THREE.Vector3, high: number): void {
    const direction = this.camera.position.clone().sub(this.orbit.target).normalize()
    const distance = high / (2 * Math.tan((this.camera.fov * Math.PI) / 360) * Math.min(1, this.camera.aspect))
    this.orbit.target.copy(middle)
    this.camera.position.copy(middle).addScaledVector(direction, distance)
    this.orbit.update()
    this.touch()
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.holder
    if (!width || !height) return
    this.width = width
    this.height = height
    this.renderer.setSize(width, height)
    this.camera.aspect = width / height
    this.camera.updateProjectionMatrix()
    this.touch()
  }
}

/** How far from the middle of a box, in a direction, all its corners are seen, with some room around them. */
export function fitDistance(box: THREE.Box3, direction: THREE.Vector3, tall: number, wide: number, room: number): number {
  const middle = box.getCenter(new THREE.Vector3())
  const turn = new THREE.Matrix4().lookAt(direction, new THREE.Vector3(), new THREE.Vector3(0, 0, 1)).invert()
  let distance = 0
  for (let k = 0; k < 8; k++) {
    const corner = new THREE.Vector3(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z)
    corner.sub(middle).applyMatrix4(turn)
    distance = Math.max(distance, corner.z + (room * Math.abs(corner.x)) / wide, corner.z + (room * Math.abs(corner.y)) / tall)
  }
  return distance
}

/** The largest of 1, 2 and 5 times a power of ten that is not longer. */
export function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length))
  const times = length / power
  return (times >= 5 ? 5 : times >= 2 ? 2 : 1) * power
}

/** Lines on the floor that get fainter away from the middle, as wide as a pixel. */
function gridMaterial(): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    uniforms: { apart: { value: 0.1 } },
    vertexShader: 'varying vec2 at; void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
    fragmentShader: `varying vec2 at; uniform float apart;
      float lines(vec2 p) { vec2 w = fwidth(p); vec2 d = abs(fract(p - 0.5) - 0.5) / w; return (1.0 - min(min(d.x, d.y), 1.0)) * min(1.0, 0.35 / max(w.x, w.y)); }
      void main() {
        float fade = 1.0 - smoothstep(0.5, 2.2, length(at));
        float a = fade * (0.16 * lines(at / apart) + 0.14 * lines(at / (5.0 * apart)));
        gl_FragColor = vec4(vec3(0.5, 0.52, 0.56), a);
      }`,
  })
}
