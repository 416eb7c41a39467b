// Pictures and videos of the view, saved by the browser.
import type { Stage } from '../scene/stage'
import { make } from './dom'

export function savePicture(stage: Stage, title: string): void {
  stage.drawFull()
  stage.renderer.domElement.toBlob((blob) => blob && save(blob, `${fileName(title)}.png`))
}

export function fileName(title: string): string {
  return title.replace(/[^\w]+/g, '-').slice(0, 60) || 'abut'
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  make('a', { href: address, download: name }).click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

export class Video {
  private recorder: MediaRecorder | null = null

  constructor(private readonly stage: Stage) {}

  /** Begin or end; returns whether a video is being recorded. */
  toggle(): boolean {
    if (this.recorder) {
      this.recorder.stop()
      this.recorder = null
      this.stage.full = false
      return false
    }
    const recorder = new MediaRecorder(this.stage.renderer.domElement.captureStream(30), { mimeType: 'video/webm' })
    const pieces: Blob[] = []
    recorder.ondataavailable = (event) => pieces.push(event.data)
    recorder.onstop = () => save(new Blob(pieces, { type: 'video/webm' }), `${fileName(document.title)}.webm`)
    this.stage.full = true // a film has one size
    this.stage.drawFull()
    recorder.start(500)
    this.recorder = recorder
    return true
  }
}
