// Small helpers to build the page.

type Attributes = Record<string, string | boolean | ((event: Event) => void)>

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else if (typeof value === 'boolean') element.toggleAttribute(name, value)
    else element.setAttribute(name, value)
  }
  element.append(...children)
  return element
}

const SVG = 'http://www.w3.org/2000/svg'

/** An icon of 16 x 16 from the data of a path. */
export function icon(path: string, filled = false): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg')
  svg.setAttribute('viewBox', '0 0 16 16')
  svg.setAttribute('aria-hidden', 'true')
  svg.classList.add('icon')
  const line = document.createElementNS(SVG, 'path')
  line.setAttribute('d', path)
  if (filled) line.setAttribute('class', 'filled')
  svg.append(line)
  return svg
}

export const ICONS = {
  play: 'M4 2.5 L13 8 L4 13.5 Z',
  pause: 'M4 3 H6.5 V13 H4 Z M9.5 3 H12 V13 H9.5 Z',
  step: 'M3 3 L9 8 L3 13 Z M11 3 V13',
  reset: 'M13 8 A5 5 0 1 1 11.2 4.2 M11.5 1.5 V4.5 H8.5',
  undo: 'M6 3 L3 6 L6 9 M3 6 H9.5 A3.5 3.5 0 0 1 9.5 13 H6',
  redo: 'M10 3 L13 6 L10 9 M13 6 H6.5 A3.5 3.5 0 0 0 6.5 13 H10',
  keep: 'M3 2 H11 L13 4 V14 H3 Z M5 2 V6 H10 V2 M5 14 V9 H11 V14',
  section: 'M2 5 L8 2 L14 5 V11 L8 14 L2 11 Z M2 14 L14 2',
  arrows: 'M3 13 L12 4 M12 4 H7.5 M12 4 V8.5',
  gizmo: 'M8 2 V14 M2 8 H14 M8 2 L6.4 4 M8 2 L9.6 4 M14 8 L12 6.4 M14 8 L12 9.6',
  eye: 'M1.5 8 C4 3.8 12 3.8 14.5 8 C12 12.2 4 12.2 1.5 8 Z M8 6.2 A1.8 1.8 0 1 0 8 9.8 A1.8 1.8 0 1 0 8 6.2',
  only: 'M8 3 A5 5 0 1 0 8 13 A5 5 0 1 0 8 3 M8 7 A1 1 0 1 0 8 9 A1 1 0 1 0 8 7',
  lock: 'M4 7.5 H12 V13.5 H4 Z M5.5 7.5 V5 A2.5 2.5 0 0 1 10.5 5 V7.5',
  fit: 'M2.5 5.5 V2.5 H5.5 M10.5 2.5 H13.5 V5.5 M13.5 10.5 V13.5 H10.5 M5.5 13.5 H2.5 V10.5',
  camera: 'M2 5 H5 L6.2 3 H9.8 L11 5 H14 V13 H2 Z M8 7 A2 2 0 1 0 8 11 A2 2 0 1 0 8 7',
  video: 'M2 4.5 H10 V11.5 H2 Z M10 7 L14 5 V11 L10 9',
  theme: 'M8 2.5 A5.5 5.5 0 1 0 8 13.5 Z M8 2.5 A5.5 5.5 0 0 1 8 13.5',
  help: 'M6 6 A2 2 0 1 1 8.6 8 C8 8.3 8 8.7 8 9.6 M8 12 V12.4',
  regions: 'M1.5 9.5 L8 6.5 L14.5 9.5 L8 12.5 Z M4 8.3 L4 3.5 L12 3.5 L12 8.3',
  measure: 'M1.5 10.5 L10.5 1.5 L14.5 5.5 L5.5 14.5 Z M4.5 7.5 L6 9 M7 5 L8 6 M9.5 2.5 L11 4',
  device: 'M8 4 A4 2.2 0 1 0 8 8.4 A4 2.2 0 1 0 8 4 M4 6.2 V10 M12 6.2 V10 M2 11.5 C2 9.6 14 9.6 14 11.5 C14 14 2 14 2 11.5 Z',
  open: 'M2 4 H6.5 L8 5.5 H14 V13 H2 Z M2 7.5 H14',
  down: 'M4 6 L8 10 L12 6',
  script: 'M3 3 H13 M3 6.5 H10 M3 10 H13 M3 13.5 H8',
}
