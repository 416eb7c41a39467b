// Messages of the server (src/abut/app/play/scene_message.py, frame.py): one scene, then frames.

export const SCENE = 0xab06
export const FRAME = 0xab07

/** A skin that the nodes of a cage carry: each vertex is a mean of four of them. */
export interface SoftSkin {
  nodes: number
  corner: Uint32Array
  weight: Float32Array
  index: Uint32Array
  edges: Uint32Array
}

export interface Shape {
  soft?: SoftSkin
  plane?: [number, number, number, number]
  middle: [number, number, number]
  extents: [number, number, number]
  position: Float32Array
  normal: Float32Array
  face: Float32Array
  edges: Float32Array
  faces: number
  triangles: number
  closed: boolean
  coarse: boolean
}

export interface BodyInfo {
  name: string
  shape: number
  colour: string
  fixed: boolean
  mass: number | null
  /** [Pa] of a soft body: less stress than this is none. */
  calm?: number
}

export interface SceneInfo {
  origin: [number, number, number]
  size: number
  dt: number
  shapes: Shape[]
  bodies: BodyInfo[]
  view: View
  title: string
  sentence: string
  hint: string
  note: string
  drivable: boolean
  refittable: boolean
  /** That can find the forces. */
  methods: string[]
  /** Names of the library's scenes, each with a sentence on what it shows. */
  choices: [string, string][]
  /** [Pa] largest stress of a record's soft bodies; null where it is not known yet. */
  stressTop?: number | null
  /** Corners of the box [m] in which all motion of a record is, where it is not too large to be seen at once. */
  roam?: [number[], number[]] | null
  /** Whether contact regions can be shown. */
  regions: boolean
  /** What happened in a record: when [s], which kind of thing, and to whom. */
  marks: [number, string, string][]
}

/** How a scene is best looked at. */
export interface View {
  /** [degrees]. */
  azimuth: number
  elevation: number
  /** Bodies that are cut open, where not all are. */
  cut: string[]
  /** Bodies that are translucent. */
  clear: string[]
  /** Middle and height of the picture [m], where not everything is to be shown. */
  around: [number, number, number, number] | null
}

export interface Held {
  body: number
  place: number[]
  target: number[]
  force: number[]
  limit: number
}

export interface Status {
  paused: boolean
  speed: number
  pace: number
  hand: string
  held: Held | null
  gap: number | null
  energy: number
  undo: number
  redo: number
  /** Over that of the scene or the earth. */
  gravity: number
  friction: number
  method: string
  driven: boolean
  problem: string
  said: string
  overlapping: string[]
  /** Share of the time that bodies in each other's way could not use. */
  givenUp: number
  /** Names of such bodies. */
  stuck: string[]
  /** Of a step, in which most of the time is spent. */
  phase: string
  measured: Measured | null
  /** Null unless the page asked for them; true in a record: those of the frame before. */
  regions?: RegionInfo[] | true | null
}

/** How far two bodies are apart [m], and where they are nearest. */
export interface Measured {
  body: number
  other: number
  lower: number
  upper: number
  from: number[]
  to: number[]
}

/** A contact region: where it is [m], what to call it, force [N] and moment [N m] on the second body, and at which place. */
export interface RegionInfo {
  a: number
  b: number
  /** 0: one point, 1: two ends, 2: corners of triangles. */
  dim: number
  points: number[]
  text: string
  at: number[]
  force: [number, number, number]
  moment: [number, number, number]
  slides: boolean
}

/** Where the numbers of a contact begin in its row: point, normal, force on B, gap, bodies, touched faces or -1; as in frame.py. */
export const CONTACT = { point: 0, normal: 3, force: 6, gap: 9, bodyA: 10, bodyB: 11, faceA: 12, faceB: 13 } as const
export const CONTACT_WIDTH = 14

/** Numbers of one touched edge: body, both ends in the part's frame. */
export const EDGE_WIDTH = 7

/** [bytes] before the poses of a frame. */
const HEAD = 40

export interface Frame {
  number: number
  time: number
  /** 7 numbers a body: x y z qw qx qy qz in metres. */
  poses: Float64Array
  contacts: Float64Array
  edges: Float64Array
  /** Nodes of soft bodies, see scene/soft.ts. */
  soft: ArrayBuffer
  status: Status
  driving: boolean
  watchers: number
}

/** How many contacts a frame has. */
export function countContacts(frame: Frame): number {
  return frame.contacts.length / CONTACT_WIDTH
}

export function kindOf(buffer: ArrayBuffer): number {
  return buffer.byteLength >= 4 ? new DataView(buffer).getUint32(0, true) : 0
}

export function readScene(buffer: ArrayBuffer): SceneInfo {
  const length = new DataView(buffer).getUint32(4, true)
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, length)))
  const base = 8 + length
  const floats = (where: [number, number]): Float32Array => new Float32Array(buffer.slice(base + where[0], base + where[0] + where[1]))
  for (const shape of head.shapes) {
    if (shape.plane) continue
    if (shape.soft) {
      for (const name of ['corner', 'index', 'edges']) shape.soft[name] = new Uint32Array(floats(shape.soft[name]).buffer)
      shape.soft.weight = floats(shape.soft.weight)
      continue
    }
    for (const name of ['position', 'normal', 'face', 'edges']) shape[name] = floats(shape[name])
  }
  return head as SceneInfo
}

export function readFrame(buffer: ArrayBuffer): Frame {
  const view = new DataView(buffer)
  const bodies = view.getUint32(4, true)
  const contacts = view.getUint32(8, true)
  const text = view.getUint32(24, true)
  const first = HEAD + 56 * bodies
  const edges = view.getUint32(28, true)
  const second = first + 8 * CONTACT_WIDTH * contacts
  const third = second + 8 * EDGE_WIDTH * edges
  const after = third + view.getUint32(32, true)
  const role = new Uint8Array(buffer, after + text)
  return {
    number: view.getUint32(12, true),
    time: view.getFloat64(16, true),
    poses: new Float64Array(buffer, HEAD, 7 * bodies),
    contacts: new Float64Array(buffer, first, CONTACT_WIDTH * contacts),
    edges: new Float64Array(buffer, second, EDGE_WIDTH * edges),
    soft: buffer.slice(third, after),
    status: JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, after, text))) as Status,
    driving: role.length < 2 || role[0] === 1,
    watchers: role.length < 2 ? 1 : role[1],
  }
}
