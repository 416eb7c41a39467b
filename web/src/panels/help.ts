// All keys and gestures, in a dialog.
import { make } from './dom'

/** What can be done, in groups; keys stand in back quotes. */
export const KEYS: { [group: string]: [string, string][] } = {
  'The hand': [
    ['drag a part', 'pull it at the point where it was taken'],
    ['`Shift` while dragging', 'along the line of sight'],
    ['`X` `Y` `Z` while dragging', 'along that axis only'],
    ['`Alt` while dragging', 'turn it about the point where it is held'],
    ['click', 'select a part; twice: fix or free it'],
    ['`←` `→` `↑` `↓` `Page up` `Page down`', 'move the selected part by 0.1 mm; with `Shift` 1 mm, with `Ctrl` 10 µm'],
    ['`[` `]`', 'turn it by 1° about the vertical; with `Shift` about the line of sight'],
    ['`G`', 'arrows and rings at the selected part; once more: turn, once more: off'],
    ['space mouse, gamepad', 'push and turn the selected part'],
    ['`Escape`', 'let go, select nothing'],
  ],
  Time: [
    ['`Space`', 'pause and go on'],
    ['`.`', 'one step; in a replay, one picture, and `,` one back'],
    ['`R`', 'begin again'],
    ['`Ctrl` `Z`, `Ctrl` `Y`', 'undo to before the last drag, and redo (also `Ctrl` `Shift` `Z`)'],
    ['`K`', 'keep what the hand did, as a scene file that abut run repeats'],
  ],
  'The view': [
    ['drag beside the parts', 'turn the view; right button: move it; wheel: zoom'],
    ['one finger', 'drags a part, or turns the view beside them'],
    ['two fingers', 'move and zoom the view'],
    ['`F`, `Home`', 'look at the selected part, at everything'],
    ['`V`', 'look from the next side'],
    ['`C`', 'cut the parts open'],
    ['`A`', 'arrows of force, touched faces and edges'],
    ['`T`', 'contact regions; the mouse over one says what touches what'],
    ['`M`', 'measure the distance of two parts that are clicked'],
    ['`H`', 'hide the selected part; with `Shift`: show all'],
    ['`I`', 'show the selected part alone, or all again'],
    ['`O`', 'open a scene of the library, or files'],
    ['`?`', 'this list'],
  ],
}

/** What a replay has no use for. */
const OF_HAND = ['The hand', '`R`', '`K`', '`Ctrl` `Z`, `Ctrl` `Y`', '`M`', '`O`', 'one finger']

/** The dialog; of a replay without what hands do. */
export function helpDialog(live: boolean): HTMLDialogElement {
  const lists = make('div', { class: 'lists' })
  const used = (what: string): boolean => live || !OF_HAND.includes(what)
  for (const [name, keys] of Object.entries(KEYS)) {
    if (!used(name)) continue
    const table = make('table')
    for (const [key, what] of keys.filter(([each]) => used(each))) table.append(make('tr', {}, make('th', { scope: 'row' }, ...withKeys(key)), make('td', {}, ...withKeys(what))))
    lists.append(make('div', { class: 'list' }, make('h3', {}, name), table))
  }
  const close = make('button', { type: 'button', class: 'close', 'aria-label': 'close' }, 'close')
  const dialog = make('dialog', { class: 'help', 'aria-label': 'keys' }, make('h2', {}, 'Keys and gestures'), lists, close)
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  return dialog
}

/** A text in which what stands in back quotes are keys. */
function withKeys(text: string): (Node | string)[] {
  return text.split('`').map((piece, k) => (k % 2 ? make('kbd', {}, piece) : piece))
}
