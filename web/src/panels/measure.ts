// How far apart two parts are: two are picked, a line joins their nearest points, the server says the distance.
import * as THREE from 'three'
import type { Measured } from '../net/messages'
import { metres } from '../scene/arrows'
import type { Part } from '../scene/part'
import type { Picture } from '../scene/picture'
import { make } from './dom'

interface Picked {
  part: Part
  /** In the part's frame, in metres. */
  local: [number, number, number]
}

export class Measure {
  readonly element = make('div', { class: 'measure', hidden: true, role: 'group', 'aria-label': 'measure' })
  on = false
  private picked: Picked[] = []
  private readonly text = make('output')
  private readonly line: THREE.Line<THREE.BufferGeometry, THREE.LineDashedMaterial>
  private readonly ends: THREE.Mesh[]
  private readonly group = new THREE.Group()

  constructor(
    private readonly picture: Picture,
    private readonly send: (command: Record<string, unknown>) => void,
  ) {
    const colour = 0x1670c8
    this.line = new THREE.Line(new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3)), new THREE.LineDashedMaterial({ color: colour, depthTest: false, dashSize: 0.012, gapSize: 0.008, transparent: true }))
    this.ends = [0, 1].map(() => new THREE.Mesh(new THREE.SphereGeometry(0.005, 12, 10), new THREE.MeshBasicMaterial({ color: colour, depthTest: false, transparent: true })))
    for (const object of [this.line, ...this.ends]) {
      object.renderOrder = 10_003
      object.frustumCulled = false
      this.group.add(object)
    }
    this.group.visible = false
    picture.stage.scene.add(this.group)
    this.element.append(this.text)
  }

  /** Begin or end; returns whether parts can be picked now. */
  toggle(): boolean {
    this.on = !this.on
    this.element.hidden = !this.on
    this.begin()
    return this.on
  }

  /** A part was clicked at a point of the page's space. */
  pick(part: Part, point: THREE.Vector3): void {
    if (this.picked.length === 2) this.begin()
    if (this.picked[0]?.part === part) return
    this.picked.push({ part, local: part.local(point, this.picture.info!.size) })
    if (this.picked.length === 1) this.text.textContent = `${part.info.name}, and which other part?`
    else {
      this.text.textContent = '...'
      this.send({ do: 'measure', body: this.picked[0].part.index, other: part.index })
    }
  }

  /** What the server has found. */
  show(measured: Measured | null): void {
    this.group.visible = this.on && measured !== null
    if (!this.on || !measured) return
    const { origin, size, bodies } = this.picture.info!
    const ends = [measured.from, measured.to].map((p) => new THREE.Vector3().fromArray(p.map((x, k) => (x - origin[k]) / size)))
    const positions = this.line.geometry.getAttribute('position')
    ends.forEach((end, k) => {
      positions.setXYZ(k, end.x, end.y, end.z)
      this.ends[k].position.copy(end)
    })
    positions.needsUpdate = true
    this.line.computeLineDistances()
    const text = [`${bodies[measured.body].name} to ${bodies[measured.other].name}: ${distanceText(measured)}`, this.betweenPicks()].filter(Boolean).join(' · ')
    if (this.text.textContent !== text) this.text.textContent = text
    this.picture.stage.tremble()
  }

  private betweenPicks(): string {
    if (this.picked.length < 2) return ''
    const { size } = this.picture.info!
    const [a, b] = this.picked.map(({ part, local }) => part.space(local, 0, size, new THREE.Vector3()))
    return `points clicked: ${metres(a.distanceTo(b) * size)}`
  }

  private begin(): void {
    this.picked = []
    this.group.visible = false
    this.text.textContent = 'Click two parts.'
    this.send({ do: 'unmeasure' })
    this.picture.stage.touch()
  }
}

/** A distance, with its bounds where they are apart. */
export function distanceText({ lower, upper }: { lower: number; upper: number }): string {
  if (upper === 0) return 'they meet'
  if (upper - lower <= 1e-3 * upper) return metres(upper)
  return `${metres(lower)} to ${metres(upper)}`
}
