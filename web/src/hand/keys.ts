// Keys, as panels/help lists them.
import * as THREE from 'three'
import type { Actions } from '../panels/toolbar'

export interface KeyActions extends Actions {
  frame(by: number): void
  nextView(): void
  nudge(shift: number[], turn: number[]): void
  look(): void
  hide(): void
  showAll(): void
  only(): void
  escape(): void
  camera: THREE.Camera
  replaying: boolean
}

type Pressed = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'repeat'>

/** Keys that go on as long as they are pressed, besides those that push and turn a part. */
const GO_ON = ['.', ',']

/** How far arrow keys move a part [m]. */
export function nudgeLength(event: Pressed): number {
  return event.shiftKey ? 1e-3 : event.ctrlKey ? 1e-5 : 1e-4
}

/** Do what a key stands for; returns whether it stands for anything. */
export function keyCommands(event: Pressed, actions: KeyActions): boolean {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  const command = event.ctrlKey || event.metaKey
  if (command && (key === 'z' || key === 'y')) {
    if (key === 'y' || event.shiftKey) actions.redo()
    else actions.undo()
    return true
  }
  const nudge = nudges(event, actions.camera)
  if (nudge && !actions.replaying) {
    actions.nudge(nudge.shift, nudge.turn)
    return true
  }
  if (command) return false
  if (event.repeat && !GO_ON.includes(key)) return true
  const simple: { [key: string]: () => void } = {
    ' ': actions.pause,
    '.': actions.replaying ? () => actions.frame(1) : actions.step,
    ',': () => actions.frame(-1),
    r: actions.reset,
    k: actions.keep,
    o: actions.open,
    c: actions.section,
    a: actions.arrows,
    g: actions.gizmo,
    m: actions.measure,
    t: actions.regions,
    v: actions.nextView,
    f: actions.look,
    i: actions.only,
    h: event.shiftKey ? actions.showAll : actions.hide,
    '?': actions.help,
    Home: actions.fit,
    Escape: actions.escape,
  }
  const act = simple[key]
  if (!act) return false
  act()
  return true
}

/** The push or turn of a key: along the axis of the world that is nearest to what is seen as that direction. */
export function nudges(event: Pressed, camera: THREE.Camera): { shift: number[]; turn: number[] } | null {
  const axes = camera.matrixWorld.elements
  const right = [axes[0], axes[1], axes[2]]
  const away = [-axes[8], -axes[9], -axes[10]]
  const length = nudgeLength(event)
  const none = [0, 0, 0]
  const step = (direction: number[], sign: number): { shift: number[]; turn: number[] } => ({
    shift: nearestAxis(direction).map((x) => sign * length * x),
    turn: none,
  })
  const flat = (v: number[]): number[] => [v[0], v[1], 0]
  switch (event.key) {
    case 'ArrowRight':
      return step(flat(right), 1)
    case 'ArrowLeft':
      return step(flat(right), -1)
    case 'ArrowUp':
      return step(flat(away), 1)
    case 'ArrowDown':
      return step(flat(away), -1)
    case 'PageUp':
      return step([0, 0, 1], 1)
    case 'PageDown':
      return step([0, 0, 1], -1)
    case '[':
    case ']':
    case '{':
    case '}': {
      const sign = event.key === '[' || event.key === '{' ? 1 : -1
      const about = event.shiftKey ? nearestAxis(away) : [0, 0, 1]
      return { shift: none, turn: about.map((x) => (sign * x * Math.PI) / 180) }
    }
    default:
      return null
  }
}

export function nearestAxis(direction: number[]): number[] {
  let best = 0
  for (let k = 1; k < 3; k++) if (Math.abs(direction[k]) > Math.abs(direction[best])) best = k
  return [0, 1, 2].map((k) => (k === best ? Math.sign(direction[best]) || 1 : 0))
}
