// Files dropped on the page: an invitation while they are held over it, then what came of them.
import { sendFiles } from '../net/files'
import { make } from './dom'

export class DropZone {
  readonly element = make('div', { class: 'drop', hidden: true }, 'Drop a scene with the files that it names, or parts (STEP, STL, ...).')
  private over = 0

  constructor(
    private readonly may: () => boolean,
    private readonly say: (sentence: string) => void,
  ) {
    addEventListener('dragenter', (event) => this.enter(event))
    addEventListener('dragover', (event) => event.preventDefault())
    addEventListener('dragleave', () => this.show(--this.over > 0))
    addEventListener('drop', (event) => void this.drop(event))
  }

  private enter(event: DragEvent): void {
    event.preventDefault()
    this.over++
    if (event.dataTransfer?.types.includes('Files')) this.show(true)
  }

  private async drop(event: DragEvent): Promise<void> {
    event.preventDefault()
    this.over = 0
    this.show(false)
    await this.take([...(event.dataTransfer?.files ?? [])])
  }

  /** Send files to the server, and say what came of them. */
  async take(files: File[]): Promise<void> {
    if (!this.may()) return this.say('Another page has the hand; take it before you open files.')
    this.say(`Reading ${files.length === 1 ? files[0].name : `${files.length} files`} ...`)
    const problem = await sendFiles(files, (share) => this.say(`Sending files: ${Math.round(100 * share)} %`))
    const bare = files.some((file) => /\.(stl|ply|off)$/i.test(file.name)) ? ' Lengths of files that do not say their unit are taken as millimetres, or as --unit says.' : ''
    this.say(problem || `The files are shown now.${bare}`)
  }

  private show(on: boolean): void {
    this.element.hidden = !on
    if (!on) this.over = 0
  }
}
