// All keys, in a dialog.
import { make } from './dom'

export const KEYS: [string, string][] = [
  ['drag a part', 'pull it at the point where it was taken'],
  ['Shift while dragging', 'along the line of sight'],
  ['X Y Z while dragging', 'along that axis only'],
  ['Alt while dragging', 'turn it about the point where it is held'],
  ['drag beside the parts', 'turn the view; right button or two fingers: move it; wheel: zoom'],
  ['click', 'select a part; twice: fix or free it'],
  ['arrow keys, Page up, Page down', 'move the selected part by 0.1 mm; with Shift 1 mm, with Ctrl 10 µm'],
  ['[ and ]', 'turn it by 1° about the vertical; with Shift about the line of sight'],
  ['G', 'arrows and rings at the selected part; once more: turn, once more: off'],
  ['Escape', 'let go, select nothing'],
  ['Space', 'pause and go on'],
  ['.', 'one step'],
  ['R', 'begin again'],
  ['Ctrl Z, Ctrl Y', 'undo and redo'],
  ['K', 'keep what the hand did, as a scene file that abut run repeats'],
  ['C', 'cut the parts open'],
  ['A', 'arrows of force'],
  ['M', 'measure the distance of two parts that are clicked'],
  ['V', 'look from the next side'],
  ['F', 'look at the selected part'],
  ['Home', 'look at everything'],
  ['H', 'hide the selected part; with Shift: show all'],
  ['I', 'show the selected part alone, or all again'],
  ['?', 'this list'],
]

export function helpDialog(): HTMLDialogElement {
  const table = make('table')
  for (const [key, what] of KEYS) table.append(make('tr', {}, make('th', { scope: 'row' }, key), make('td', {}, what)))
  const close = make('button', { type: 'button', class: 'close', 'aria-label': 'close' }, 'close')
  const dialog = make('dialog', { class: 'help', 'aria-label': 'keys' }, make('h2', {}, 'Keys'), table, close)
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  return dialog
}
