// A record inside the page: gzipped, base64; a scene message, then frames, each with its length before it.
import { type Frame, readFrame, readScene, type SceneInfo } from '../net/messages'

export interface Record {
  scene: SceneInfo
  frames: Frame[]
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
  while (at < buffer.byteLength) {
    const frame = readFrame(next())
    if (frame.status.regions === true) frame.status.regions = frames.at(-1)?.status.regions ?? null
    frames.push(frame)
  }
  return { scene, frames }
}
