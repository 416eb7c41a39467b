// The row of buttons over the view.
import type { Status } from '../net/messages'
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
  gravity(): void
  friction(value: number): void
  drive(): void
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
  private readonly friction: HTMLInputElement

  constructor(actions: Actions, live: boolean, drivable: boolean) {
    const button = (name: string, label: string, path: string, act: () => void, text = ''): HTMLButtonElement => {
      const element = make('button', { type: 'button', title: label, 'aria-label': label, 'data-name': name, click: act }, icon(path), text)
      this.buttons.set(name, element)
      return element
    }
    const select = (label: string, options: [string, string][], value: string, act: (value: string) => void): HTMLSelectElement => {
      const element = make('select', { title: label, 'aria-label': label })
      for (const [key, text] of options) element.append(make('option', { value: key, selected: key === value }, text))
      element.addEventListener('change', () => {
        act(element.value)
        element.blur()
      })
      return element
    }
    const gap = (): HTMLElement => make('span', { class: 'gap' })
    this.speed = select(
      'speed of time',
      [['0.01', '1/100 x'], ['0.1', '1/10 x'], ['0.25', '1/4 x'], ['0.5', '1/2 x'], ['1', '1 x'], ['2', '2 x'], ['5', '5 x']],
      '1',
      (value) => actions.speed(Number(value)),
    )
    this.hand = select('strength of the hand', [['gentle', 'gentle hand, 10 N'], ['normal', 'normal hand, 50 N'], ['strong', 'strong hand, 500 N']], 'normal', actions.hand)
    const views = select(
      'view',
      [['', 'view'], ['iso', 'from a corner'], ['front', 'front'], ['back', 'back'], ['left', 'left'], ['right', 'right'], ['top', 'top'], ['bottom', 'bottom']],
      '',
      (value) => {
        if (value) actions.view(value)
        views.value = ''
      },
    )
    this.friction = make('input', { type: 'range', min: '0', max: '1', step: '0.05', title: 'friction', 'aria-label': 'friction coefficient', class: 'slider' })
    this.friction.addEventListener('change', () => {
      actions.friction(Number(this.friction.value))
      this.friction.blur()
    })
    if (live) {
      this.element.append(
        button('pause', 'pause (space)', ICONS.pause, actions.pause),
        button('step', 'one step (.)', ICONS.step, actions.step),
        button('reset', 'begin again (R)', ICONS.reset, actions.reset),
        button('undo', 'undo (Ctrl Z)', ICONS.undo, actions.undo),
        button('redo', 'redo (Ctrl Y)', ICONS.redo, actions.redo),
        button('keep', 'keep what the hand did, to run it again (K)', ICONS.keep, actions.keep),
        this.speed,
        gap(),
        this.hand,
        button('gizmo', 'push and turn with arrows and rings (G)', ICONS.gizmo, actions.gizmo),
        button('gravity', 'weight of parts', ICONS.weight, actions.gravity),
        make('label', { class: 'labelled' }, 'friction', this.friction),
      )
      if (drivable) this.element.append(button('drive', "let the scene's own hands and forces act", ICONS.script, actions.drive))
      this.element.append(gap())
    }
    this.element.append(
      button('section', 'cut the parts open (C)', ICONS.section, actions.section),
      button('arrows', 'arrows of force (A)', ICONS.arrows, actions.arrows),
      button('fit', 'show everything (Home)', ICONS.fit, actions.fit),
      views,
      gap(),
      button('picture', 'save a picture', ICONS.camera, actions.picture),
      button('video', 'record a video', ICONS.video, actions.video),
      button('theme', 'light or dark', ICONS.theme, actions.theme),
      button('help', 'all keys (?)', ICONS.help, actions.help),
    )
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
    this.press('gravity', status.gravity)
    this.press('drive', status.driven)
    const enable = (name: string, on: boolean): void => {
      const element = this.buttons.get(name)
      if (element) element.disabled = !on
    }
    for (const name of ['pause', 'step', 'reset', 'keep', 'gizmo', 'gravity', 'drive']) enable(name, driving)
    enable('undo', driving && status.undo > 0)
    enable('redo', driving && status.redo > 0)
    for (const element of [this.speed, this.hand, this.friction]) element.disabled = !driving
    if (document.activeElement !== this.speed) this.speed.value = String(status.speed)
    if (document.activeElement !== this.hand) this.hand.value = status.hand
    if (document.activeElement !== this.friction) this.friction.value = String(status.friction)
  }
}
