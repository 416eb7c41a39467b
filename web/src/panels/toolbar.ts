// The row of buttons over the view.
import type { Way } from '../hand/drag'
import type { SceneInfo, Status } from '../net/messages'
import { icon, ICONS, make } from './dom'

export interface Actions {
  pause(): void
  step(): void
  reset(): void
  undo(): void
  redo(): void
  keep(): void
  speed(value: number): void
  hand(name: string): void
  section(): void
  arrows(): void
  gizmo(): void
  gravity(value: number): void
  friction(value: number): void
  drive(): void
  method(name: string): void
  way(name: Way): void
  open(): void
  device(): void
  measure(): void
  regions(): void
  fit(): void
  view(name: string): void
  picture(): void
  video(): void
  theme(): void
  help(): void
}

export class Toolbar {
  readonly element = make('div', { class: 'toolbar', role: 'toolbar', 'aria-label': 'controls' })
  private readonly buttons = new Map<string, HTMLButtonElement>()
  private readonly speed: HTMLSelectElement
  private readonly hand: HTMLSelectElement
  private readonly method: HTMLSelectElement
  private readonly sliders: Record<'gravity' | 'friction', Slider>
  private readonly way: HTMLSelectElement

  constructor(actions: Actions, live: boolean, info: SceneInfo, device: boolean) {
    const button = (name: string, label: string, path: string, act: () => void, word = ''): HTMLButtonElement => {
      const element = make('button', { type: 'button', title: label, 'aria-label': label, 'data-name': name, click: act }, icon(path))
      if (word) element.append(make('span', { class: 'word' }, word))
      this.buttons.set(name, element)
      return element
    }
    const group = (...children: HTMLElement[]): HTMLElement => make('div', { class: 'group' }, ...children)
    this.speed = choice('speed of time', [['0.01', '1/100 x'], ['0.1', '1/10 x'], ['0.25', '1/4 x'], ['0.5', '1/2 x'], ['1', '1 x'], ['2', '2 x'], ['5', '5 x']], '1', (value) => actions.speed(Number(value)))
    this.hand = choice('strength of the hand', [['gentle', 'hand 10 N'], ['normal', 'hand 50 N'], ['strong', 'hand 500 N']], 'normal', actions.hand)
    this.way = choice('how a dragged part moves', [['plane', 'drag across'], ['depth', 'drag in depth'], ['x', 'drag along x'], ['y', 'drag along y'], ['z', 'drag along z'], ['turn', 'turn']], 'plane', (value) => actions.way(value as Way))
    this.method = choice('method that finds the forces', info.methods.map((name) => [name, name]), 'ncp', actions.method)
    this.sliders = {
      gravity: new Slider('weight', 'weight of parts', 2, 0.1, actions.gravity),
      friction: new Slider('friction', 'friction coefficient', 1, 0.05, actions.friction),
    }
    const views = choice(
      'view',
      [['', 'view'], ['iso', 'corner'], ['front', 'front'], ['back', 'back'], ['left', 'left'], ['right', 'right'], ['top', 'top'], ['bottom', 'bottom']],
      '',
      (value) => {
        if (value) actions.view(value)
        views.value = ''
      },
    )
    if (live) {
      const laws = group(this.sliders.gravity.element, this.sliders.friction.element, this.method)
      if (info.drivable) laws.append(button('drive', "let the scene's own hands and forces act, from the start", ICONS.script, actions.drive))
      const hand = group(this.hand, this.way, button('gizmo', 'push and turn with arrows and rings (G)', ICONS.gizmo, actions.gizmo))
      if (device) hand.append(button('device', 'use a space mouse', ICONS.device, actions.device))
      this.element.append(
        group(
          button('pause', 'pause (space)', ICONS.pause, actions.pause),
          button('step', `one step of ${seconds(info.dt)} (.)`, ICONS.step, actions.step),
          button('reset', 'begin again (R)', ICONS.reset, actions.reset),
          button('undo', 'undo (Ctrl Z)', ICONS.undo, actions.undo),
          button('redo', 'redo (Ctrl Y)', ICONS.redo, actions.redo),
          this.speed,
        ),
        hand,
        laws,
      )
    }
    const looks = group(button('section', 'cut the parts open (C)', ICONS.section, actions.section, 'section'), button('arrows', 'arrows of force (A)', ICONS.arrows, actions.arrows, 'arrows'))
    if (info.regions) looks.append(button('regions', 'contact regions: what touches what (T)', ICONS.regions, actions.regions, 'regions'))
    if (live) looks.append(button('measure', 'measure between two parts (M)', ICONS.measure, actions.measure, 'measure'))
    looks.append(button('fit', 'show everything (Home)', ICONS.fit, actions.fit), views)
    const rest = group()
    if (live) rest.append(button('open', 'open another scene or files (O)', ICONS.open, actions.open), button('keep', 'keep what the hand did, to run it again (K)', ICONS.keep, actions.keep))
    rest.append(
      button('picture', 'save a picture', ICONS.camera, actions.picture),
      button('video', 'record a video', ICONS.video, actions.video),
      button('theme', 'light or dark', ICONS.theme, actions.theme),
      button('help', 'all keys (?)', ICONS.help, actions.help),
    )
    this.element.append(looks, rest)
  }

  press(name: string, on: boolean): void {
    this.buttons.get(name)?.setAttribute('aria-pressed', String(on))
  }

  show(status: Status, driving: boolean): void {
    const pause = this.buttons.get('pause')
    if (pause && pause.dataset['paused'] !== String(status.paused)) {
      pause.dataset['paused'] = String(status.paused)
      pause.replaceChildren(icon(status.paused ? ICONS.play : ICONS.pause, true))
      pause.setAttribute('aria-label', status.paused ? 'go on (space)' : 'pause (space)')
      pause.title = pause.getAttribute('aria-label')!
    }
    this.press('drive', status.driven)
    const enable = (name: string, on: boolean): void => {
      const element = this.buttons.get(name)
      if (element) element.disabled = !on
    }
    for (const name of ['open', 'pause', 'step', 'reset', 'keep', 'gizmo', 'drive', 'measure', 'device']) enable(name, driving)
    enable('undo', driving && status.undo > 0)
    enable('redo', driving && status.redo > 0)
    for (const element of [this.speed, this.hand, this.method, this.way]) element.disabled = !driving
    if (document.activeElement !== this.speed) this.speed.value = String(status.speed)
    if (document.activeElement !== this.hand) this.hand.value = status.hand
    if (document.activeElement !== this.method) this.method.value = status.method
    this.sliders.gravity.show(status.gravity, driving)
    this.sliders.friction.show(status.friction, driving)
  }
}

/** A short time with its unit. */
export function seconds(time: number): string {
  return time >= 1e-3 ? `${+(1e3 * time).toPrecision(3)} ms` : `${+(1e6 * time).toPrecision(3)} µs`
}

function choice(label: string, options: [string, string][], value: string, act: (value: string) => void): HTMLSelectElement {
  const longest = Math.max(...options.map(([, text]) => text.length))
  const element = make('select', { title: label, 'aria-label': label })
  element.style.width = `${Math.min(0.56 * longest + 2.4, 9.2).toFixed(1)}em`
  for (const [key, text] of options) element.append(make('option', { value: key, selected: key === value }, text))
  element.addEventListener('change', () => {
    act(element.value)
    element.blur()
  })
  return element
}

/** A number from 0 upwards, with its value beside it. */
class Slider {
  readonly element: HTMLElement
  private readonly input: HTMLInputElement
  private readonly value = make('output', { class: 'value' })

  constructor(word: string, label: string, most: number, step: number, act: (value: number) => void) {
    this.input = make('input', { type: 'range', min: '0', max: String(most), step: String(step), title: label, 'aria-label': label, class: 'slider' })
    this.input.addEventListener('input', () => (this.value.textContent = (+this.input.value).toFixed(2)))
    this.input.addEventListener('change', () => {
      act(Number(this.input.value))
      this.input.blur()
    })
    this.element = make('label', { class: 'labelled' }, make('span', {}, word), this.input, this.value)
  }

  show(value: number, enabled: boolean): void {
    this.input.disabled = !enabled
    if (document.activeElement === this.input) return
    this.input.value = String(value)
    const text = value.toFixed(2)
    if (this.value.textContent !== text) this.value.textContent = text
  }
}
