// The page: live play when a server is behind it, a replay when a record is inside it.
import './style.css'
import { Gizmo } from './hand/gizmo'
import { type Axis, Hand } from './hand/drag'
import { keyCommands } from './hand/keys'
import { Pusher } from './hand/pusher'
import { SpaceMouse } from './hand/spacemouse'
import { Link } from './net/link'
import { countContacts, type Frame, FRAME, kindOf, readFrame, readScene, SCENE, type SceneInfo } from './net/messages'
import { Chips } from './panels/chips'
import { Compass } from './panels/compass'
import { CutPanel } from './panels/cut'
import { make } from './panels/dom'
import { DropZone } from './panels/drop'
import { helpDialog } from './panels/help'
import { Hints } from './panels/hints'
import { Inspector } from './panels/inspector'
import { Measure } from './panels/measure'
import { Opener } from './panels/opener'
import { Plots } from './panels/plots'
import { Toolbar } from './panels/toolbar'
import { Tree } from './panels/tree'
import { savePicture, Video } from './panels/take'
import { embedded, type Record as Recorded } from './replay/record'
import { Timeline } from './replay/timeline'
import type { Part } from './scene/part'
import { type Hit, Picture } from './scene/picture'
import { Regions } from './scene/regions'
import { SoftPart } from './scene/soft'
import { Stage, type ViewName } from './scene/stage'

const VIEWS: ViewName[] = ['iso', 'front', 'right', 'top', 'back', 'left', 'bottom']

class App {
  readonly stage: Stage
  readonly picture: Picture
  private readonly bar = make('header')
  private readonly view = make('main', { class: 'view' })
  private readonly foot = make('footer', { class: 'foot' })
  private plots = new Plots()
  private readonly chips = new Chips({
    take: () => this.send({ do: 'take' }),
    part: () => this.send({ do: 'part' }),
    byHand: () => this.takeApart(),
    fit: () => this.picture.fitAll(),
  })
  private readonly opener = new Opener({
    choose: (number, name) => {
      this.chips.say(`Opening ${name} ...`)
      this.send({ do: 'open', number })
    },
    files: (files) => void this.drops?.take(files),
  })
  private drops: DropZone | null = null
  private help = helpDialog(true)
  private readonly inspector: Inspector
  private readonly tree: Tree
  private readonly cut: CutPanel
  private readonly video: Video
  private readonly compass: Compass
  private readonly measure: Measure
  private readonly regions: Regions
  private readonly device: SpaceMouse
  private readonly pusher: Pusher
  private toolbar: Toolbar | null = null
  private hints: Hints | null = null
  private link: Link | null = null
  private hand: Hand | null = null
  private gizmo: Gizmo | null = null
  private timeline: Timeline | null = null
  private latest: Frame | null = null
  private came = 0
  private unread = 0
  private before = performance.now()
  private lonely: Part | null = null
  private seen = 0
  /** [ms] when it last saw whether parts are in sight. */
  private looked = 0
  private title: string | null = null

  constructor(root: HTMLElement, soft: boolean) {
    this.stage = new Stage(this.view, soft)
    this.picture = new Picture(this.stage)
    this.inspector = new Inspector(this.picture)
    this.tree = new Tree({
      select: (part) => this.select(part),
      hide: (part, hidden) => this.hide(part, hidden),
      only: (part) => this.isolate(part),
      fix: (part) => this.send({ do: 'fix', body: part.index, on: !part.fixed }),
    })
    this.cut = new CutPanel(this.picture)
    this.video = new Video(this.stage)
    this.compass = new Compass(this.picture)
    this.regions = new Regions(this.stage)
    this.measure = new Measure(this.picture, (command) => this.send(command))
    this.device = new SpaceMouse((sentence) => this.chips.say(sentence))
    this.pusher = new Pusher(this.picture, (command) => this.send(command))
    const tools = make('div', { class: 'tools' }, this.cut.element, this.measure.element)
    this.view.append(this.chips.element, tools, this.compass.element)
    this.foot.append(this.plots.element)
    root.append(this.bar, this.tree.element, this.view, this.inspector.element, this.foot, this.help, this.opener.element)
    this.theme(matchMedia('(prefers-color-scheme: dark)').matches)
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => this.theme(event.matches))
    addEventListener('keydown', (event) => this.key(event))
    addEventListener('keyup', (event) => this.keyUp(event))
    addEventListener('blur', () => this.hand?.letGo())
    this.stage.renderer.domElement.addEventListener('webglcontextlost', () => this.chips.say('The graphics card has stopped drawing; reload the page if the picture does not come back.'))
    this.stage.renderer.setAnimationLoop(() => this.tick())
  }

  live(): void {
    this.link = new Link({
      open: () => this.connected(true),
      lost: () => {
        this.connected(false)
        this.hand?.letGo()
      },
      message: (buffer) => {
        if (kindOf(buffer) === SCENE) this.begin(readScene(buffer), true)
        else if (kindOf(buffer) === FRAME) {
          this.latest = readFrame(buffer)
          this.came = performance.now()
          this.unread++
        }
      },
    })
    const may = (): boolean => this.picture.frame?.driving ?? false
    const send = (command: Record<string, unknown>): void => this.send(command)
    this.hand = new Hand(this.picture, send, may, (hit, twice) => this.clicked(hit, twice))
    this.gizmo = new Gizmo(this.picture, send)
    this.drops = new DropZone(may, (sentence) => this.chips.say(sentence))
    document.body.append(this.drops.element)
    this.stage.renderer.domElement.addEventListener('pointerdown', () => (this.hand!.enabled = !this.overGizmo()), true)
  }

  replay(record: Recorded): void {
    const timeline = new Timeline(record, (at) => this.apply(record.frames[at]))
    this.plots.element.remove()
    this.foot.append(timeline.element)
    timeline.element.hidden = record.frames.length < 2
    // A report has curves of its own around this page.
    if (record.frames.length > 1 && window === window.parent) {
      this.plots = new Plots({ frames: record.frames, goTo: (time) => timeline.goTo(time) })
      this.foot.prepend(this.plots.element)
    }
    this.help.remove()
    this.help = helpDialog(false)
    document.getElementById('app')!.append(this.help)
    this.begin(record.scene, false)
    this.timeline = timeline
    const canvas = this.stage.renderer.domElement
    canvas.addEventListener('click', (event) => this.select(this.picture.pick(event.clientX, event.clientY)?.part ?? null))
  }

  /** For tests and for people who script the page; finding points where parts are seen takes a while. */
  state(seen = true): unknown {
    const points = seen ? this.picture.visiblePoints() : []
    const frame = this.picture.frame
    return {
      time: frame?.time ?? 0,
      frame: frame?.number ?? 0,
      paused: frame?.status.paused ?? true,
      driving: frame?.driving ?? false,
      watchers: frame?.watchers ?? 0,
      held: frame?.status.held ?? null,
      contacts: frame ? countContacts(frame) : 0,
      arrows: this.picture.arrows.group.visible ? this.picture.arrows.count : 0,
      forces: this.picture.info ? this.picture.forces() : [],
      section: this.picture.section.on,
      stressTop: this.picture.soft.top,
      sharp: this.stage.sharp,
      measured: frame?.status.measured ?? null,
      regions: this.regions.seen(),
      camera: { position: this.stage.camera.position.toArray(), target: this.stage.orbit.target.toArray() },
      status: frame?.status ?? null,
      parts: this.picture.parts.map((part, i) => ({
        name: part.info.name,
        pose: [...part.pose],
        drawn: part.drawn(this.picture.info!.origin, this.picture.info!.size),
        fixed: part.fixed,
        hidden: part.hidden,
        lit: part.litFaces,
        stress: part instanceof SoftPart ? part.largest : null,
        wrong: frame?.status.overlapping.includes(part.info.name) ?? false,
        selected: part === this.picture.selected,
        screen: points[i] ?? null,
      })),
    }
  }

  private connected(on: boolean): void {
    this.chips.connected(on)
    this.view.classList.toggle('frozen', !on)
    this.unread = 0
  }

  /** Where the tips of the gizmo's arrows are in the window; for tests and scripts. */
  gizmoHandles(): Record<string, [number, number]> | null {
    return this.gizmo?.on ? this.gizmo.tips() : null
  }

  private clicked(hit: Hit | null, twice: boolean): void {
    this.hints?.next()
    if (this.measure.on && hit) return this.measure.pick(hit.part, hit.point)
    const part = hit?.part ?? null
    this.select(part)
    if (part && !part.soft && twice && this.picture.info?.refittable) this.send({ do: 'fix', body: part.index, on: !part.fixed })
  }

  private begin(info: SceneInfo, live: boolean): void {
    this.picture.load(info)
    document.title = `abut: ${info.title}`
    this.tree.load(info.title, info.sentence, this.picture.parts, live && info.refittable)
    this.tree.mark(this.picture.selected)
    this.chips.note(info)
    this.cut.load()
    if (live) this.opener.load(info)
    if (this.title !== info.title) this.equip(info, live)
    this.gizmo?.show(null)
    this.toolbar?.press('gizmo', false)
  }

  /** Controls and hints for another scene. */
  private equip(info: SceneInfo, live: boolean): void {
    this.title = info.title
    if (this.measure.on) this.measure.toggle()
    this.toolbar = new Toolbar(this.actions(), live, info, this.device.possible)
    this.bar.replaceChildren(this.toolbar.element)
    this.toolbar.press('arrows', this.picture.showArrows)
    this.toolbar.press('section', this.picture.section.on)
    this.toolbar.press('regions', this.regions.on)
    this.hints?.element.remove()
    this.hints = live && info.hint && info.bodies.length ? new Hints(`${info.hint[0].toUpperCase()}${info.hint.slice(1)}.`, this.view) : null
  }

  private tick(): void {
    this.timeline?.tick()
    this.hand?.tell()
    if (this.latest && this.picture.info) {
      const frame = this.latest
      this.latest = null
      this.apply(frame, this.came)
      for (; this.unread > 0; this.unread--) this.send({ do: 'ack', frame: frame.number })
    }
    const now = performance.now()
    this.picture.advance(now, now - this.before)
    if (this.picture.frame?.driving) this.pusher.advance(this.device.read(), now - this.before)
    this.before = now
    this.compass.show()
    this.gizmo?.follow()
    this.stage.draw(now)
  }

  private apply(frame: Frame, came = performance.now()): void {
    const wrong = this.picture.frame?.status.overlapping.join() !== frame.status.overlapping.join()
    this.picture.show(frame, came)
    if (wrong) this.picture.markAll()
    this.toolbar?.show(frame.status, frame.driving)
    this.chips.show(frame, this.timeline === null && this.link !== null, this.regions.on)
    this.view.classList.toggle('unhinted', !frame.driving || frame.status.problem !== '')
    this.inspector.show(frame)
    this.measure.show(frame.status.measured)
    if (this.picture.info) this.regions.show(frame.status.regions, this.picture.info.origin, this.picture.info.size)
    this.plots.add(frame)
    this.look()
  }

  /** See now and then whether there is still something to be seen. */
  private look(): void {
    const now = performance.now()
    if (now - this.looked < 500) return
    this.looked = now
    this.chips.lose(this.picture.lost)
  }

  private actions(): ConstructorParameters<typeof Toolbar>[0] {
    const status = () => this.picture.frame?.status
    return {
      pause: () => (this.timeline ? this.timeline.toggle() : this.send({ do: 'pause', on: !status()?.paused })),
      step: () => this.send({ do: 'step' }),
      reset: () => this.send({ do: 'reset' }),
      undo: () => this.send({ do: 'undo' }),
      redo: () => this.send({ do: 'redo' }),
      keep: () => this.send({ do: 'keep' }),
      speed: (value) => this.send({ do: 'speed', value }),
      hand: (name) => this.send({ do: 'hand', name }),
      section: () => this.toolbar?.press('section', this.cut.toggle()),
      arrows: () => {
        this.picture.showArrows = this.picture.showLit = !this.picture.showArrows
        this.toolbar?.press('arrows', this.picture.showArrows)
        if (this.picture.frame) this.picture.show(this.picture.frame)
        this.stage.touch()
      },
      gizmo: () => this.nextGizmo(),
      gravity: (value) => this.send({ do: 'gravity', value }),
      friction: (value) => this.send({ do: 'friction', value }),
      method: (name) => this.send({ do: 'method', name }),
      way: (way) => {
        if (this.hand) this.hand.way = way
      },
      open: () => this.opener.show(),
      device: () => void this.device.ask().catch(() => this.chips.say('The browser gave no space mouse.')),
      measure: () => this.toolbar?.press('measure', this.measure.toggle()),
      regions: () => {
        this.regions.on = !this.regions.on
        this.toolbar?.press('regions', this.regions.on)
        this.send({ do: 'regions', on: this.regions.on })
        if (this.timeline && this.picture.frame) this.apply(this.picture.frame)
      },
      drive: () => this.send({ do: 'drive', on: !status()?.driven }),
      fit: () => this.picture.fitAll(),
      view: (name) => {
        this.stage.look(name as ViewName)
        this.picture.fitAll()
      },
      picture: () => savePicture(this.stage, document.title),
      video: () => this.toolbar?.press('video', this.video.toggle()),
      theme: () => this.theme(document.documentElement.dataset['theme'] !== 'dark'),
      help: () => this.help.showModal(),
    }
  }

  private key(event: KeyboardEvent): void {
    if (isForControl(event) || this.help.open || this.opener.open) return
    if (event.key === ' ' && event.target instanceof HTMLButtonElement) event.target.blur()
    const axis = event.key.toLowerCase()
    if (this.hand?.grip && (axis === 'x' || axis === 'y' || axis === 'z') && !event.ctrlKey && !event.metaKey) {
      this.hand.axis = axis as Axis
      return
    }
    const part = this.picture.selected
    const actions = this.actions()
    const done = keyCommands(event, {
      ...actions,
      frame: (by) => this.timeline?.jump(by),
      nudge: (shift, turn) => part && !part.fixed && !part.soft && this.send({ do: 'nudge', body: part.index, shift, turn }),
      nextView: () => this.nextView(),
      look: () => part && this.stage.fit(part.box(), 1.6),
      hide: () => part && this.hide(part, true),
      showAll: () => this.picture.parts.forEach((each) => this.hide(each, false)),
      only: () => part && this.isolate(part),
      escape: () => {
        this.send({ do: 'release' })
        this.hand?.letGo()
        this.select(null)
        if (this.measure.on) actions.measure()
      },
      camera: this.stage.camera,
      replaying: this.timeline !== null,
    })
    if (done) event.preventDefault()
  }

  private keyUp(event: KeyboardEvent): void {
    const axis = event.key.toLowerCase()
    if (this.hand && this.hand.axis === axis) this.hand.axis = null
  }

  private select(part: Part | null): void {
    this.picture.select(part)
    this.tree.mark(part)
    if (this.gizmo?.on) this.gizmo.show(part && !part.fixed && !part.soft ? part : null)
    this.toolbar?.press('gizmo', this.gizmo?.on ?? false)
    if (this.picture.frame) this.inspector.show(this.picture.frame, true)
  }

  /** Parts overlap: show which one to drag. */
  private takeApart(): void {
    const wrong = this.picture.frame?.status.overlapping ?? []
    const part = this.picture.parts.find((each) => wrong.includes(each.info.name) && !each.fixed)
    if (part) this.select(part)
    this.chips.say(part ? `Drag ${part.info.name}: it goes through the others until it is free. Then go on (space).` : 'All red parts are fixed; free one of them in the list of parts.')
  }

  private nextGizmo(): void {
    const gizmo = this.gizmo
    if (!gizmo) return
    const part = this.picture.selected ?? this.picture.parts.find((each) => !each.fixed && !each.soft) ?? null
    if (part && part !== this.picture.selected) this.select(part)
    if (!gizmo.on) gizmo.show(part && !part.fixed && !part.soft ? part : null, 'translate')
    else if (gizmo.controls.mode === 'translate') gizmo.show(part, 'rotate')
    else gizmo.show(null)
    this.toolbar?.press('gizmo', gizmo.on)
  }

  private nextView(): void {
    this.seen = (this.seen + 1) % VIEWS.length
    this.stage.look(VIEWS[this.seen])
    this.picture.fitAll()
  }

  private overGizmo(): boolean {
    return (this.gizmo?.on ?? false) && this.gizmo!.controls.axis !== null
  }

  private hide(part: Part, hidden: boolean): void {
    part.show(hidden)
    this.tree.mark(this.picture.selected)
    this.picture.section.apply(this.picture.parts)
    this.stage.shade()
  }

  private isolate(part: Part): void {
    const back = this.lonely === part
    this.lonely = back ? null : part
    for (const each of this.picture.parts) this.hide(each, !back && each !== part)
  }

  private theme(dark: boolean): void {
    document.documentElement.dataset['theme'] = dark ? 'dark' : 'light'
    this.stage.background(dark ? '#2b2f35' : '#eceae5')
    this.plots.restyle()
  }

  private send(command: Record<string, unknown>): void {
    this.link?.send(command)
  }
}

/** Whether the control that has the focus uses a key by itself: a list all of them, a slider those that move it. */
function isForControl({ target, key }: KeyboardEvent): boolean {
  if (target instanceof HTMLInputElement && target.type === 'range') return /^(Arrow|Page|Home|End)/.test(key)
  return target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.type !== 'checkbox')
}

function refuse(root: HTMLElement): void {
  root.replaceChildren(
    make('div', { class: 'fatal', role: 'alert' }, 'This browser gives the page no WebGL, so it cannot draw the parts. Turn on hardware acceleration, or open the page in another browser.'),
  )
}

/** Whether the processor draws, for want of a graphics card. */
function isSoft(drawing: WebGL2RenderingContext): boolean {
  const known = drawing.getExtension('WEBGL_debug_renderer_info')
  const name = String(drawing.getParameter(known ? known.UNMASKED_RENDERER_WEBGL : drawing.RENDERER))
  drawing.getExtension('WEBGL_lose_context')?.loseContext()
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name)
}

async function start(): Promise<void> {
  const root = document.getElementById('app')!
  const drawing = document.createElement('canvas').getContext('webgl2')
  if (!drawing) return refuse(root)
  const app = new App(root, isSoft(drawing))
  Object.assign(window, { abut: { state: (seen?: boolean) => app.state(seen), gizmo: () => app.gizmoHandles() } })
  const record = await embedded()
  if (record) app.replay(record)
  else app.live()
}

void start()
