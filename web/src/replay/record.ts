// A record inside the page: gzipped, base64; a scene message, then frames, each with its length before it.
import { CONTACT_WIDTH, type Frame, readFrame, readScene, type SceneInfo } from '../net/messages'

export interface Mark {
  time: number
  kind: 'touch' | 'let go'
  /** Which bodies. */
  what: string
}

export interface Record {
  scene: SceneInfo
  frames: Frame[]
  marks: Mark[]
}

export async function embedded(): Promise<Record | null> {
  const element = document.getElementById('abut-record')
  if (!element?.textContent) return null
  const bytes = Uint8Array.from(atob(element.textContent.trim()), (letter) => letter.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return unpack(await new Response(stream).arrayBuffer())
}

export function unpack(buffer: ArrayBuffer): Record {
  const view = new DataView(buffer)
  let at = 0
  const next = (): ArrayBuffer => {
    const length = view.getUint32(at, true)
    const piece = buffer.slice(at + 4, at + 4 + length)
    at += 4 + length
    return piece
  }
  const scene = readScene(next())
  const frames: Frame[] = []
  while (at < buffer.byteLength) frames.push(readFrame(next()))
  return { scene, frames, marks: marksOf(frames, scene.bodies.map((body) => body.name)) }
}

/** When pairs of bodies begin and cease to touch. */
export function marksOf(frames: Frame[], names: string[] = []): Mark[] {
  const marks: Mark[] = []
  const name = (body: number): string => names[body] ?? String(body)
  let before = pairsOf(frames[0])
  for (const frame of frames.slice(1)) {
    const now = pairsOf(frame)
    const say = (kind: Mark['kind'], from: Map<number, [number, number]>, than: Map<number, [number, number]>): void => {
      for (const [pair, [a, b]] of from) if (!than.has(pair)) marks.push({ time: frame.time, kind, what: `${name(a)} and ${name(b)}` })
    }
    say('touch', now, before)
    say('let go', before, now)
    before = now
  }
  return marks
}

function pairsOf(frame: Frame): Map<number, [number, number]> {
  const pairs = new Map<number, [number, number]>()
  for (let row = 0; row < frame.contacts.length; row += CONTACT_WIDTH) {
    const [a, b] = [frame.contacts[row + 10], frame.contacts[row + 11]]
    pairs.set(65536 * a + b, [a, b])
  }
  return pairs
}
