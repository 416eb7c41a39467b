// A mouse with six degrees of freedom (WebHID), or a gamepad: the selected part is drawn along and turned.

/** Deflections from -1 to 1 as seen on the screen: right, up, towards the viewer, and turns about these. */
export type Push = [number, number, number, number, number, number]

const FULL = 350
/** Deflections below this share are rest. */
export const IDLE = 0.04
export const VENDORS = [0x046d, 0x256f]

/** Deflections that a HID report tells; what it does not tell stays as it was. Null for reports of buttons. */
export function readReport(id: number, data: DataView, before: Push): Push | null {
  const six = id === 1 && data.byteLength >= 12
  if (!(id === 1 || id === 2) || data.byteLength < 6) return null
  const word = (k: number): number => clamp(data.getInt16(2 * k, true) / FULL)
  const onScreen = (k: number): [number, number, number] => [word(k), flip(word(k + 2)), word(k + 1)]
  const [push, turn] = [before.slice(0, 3), before.slice(3)]
  if (six) return [...onScreen(0), ...onScreen(3)]
  return (id === 1 ? [...onScreen(0), ...turn] : [...push, ...onScreen(0)]) as Push
}

/** Deflections of a gamepad: of one with six axes as of a space mouse; else left stick across, right stick turns, triggers down and up. */
export function readGamepad(pad: { id: string; axes: readonly number[]; buttons: readonly { value: number }[] }): Push {
  const axis = (k: number): number => rest(pad.axes[k] ?? 0)
  if (/space|3dconnexion/i.test(pad.id) && pad.axes.length >= 6)
    return [axis(0), flip(axis(2)), axis(1), axis(3), flip(axis(5)), axis(4)]
  const trigger = (k: number): number => rest(pad.buttons[k]?.value ?? 0)
  return [axis(0), trigger(7) - trigger(6), axis(1), axis(3), axis(2), 0]
}

export function isIdle(push: Push): boolean {
  return push.every((value) => Math.abs(value) < IDLE)
}

function clamp(value: number): number {
  return rest(Math.max(-1, Math.min(1, value)))
}

function rest(value: number): number {
  return Math.abs(value) < IDLE ? 0 : value
}

function flip(value: number): number {
  return value === 0 ? 0 : -value
}

interface HidReport extends Event {
  reportId: number
  data: DataView
}

interface HidDevice extends EventTarget {
  opened: boolean
  productName: string
  open(): Promise<void>
}

interface Hid extends EventTarget {
  getDevices(): Promise<HidDevice[]>
  requestDevice(options: { filters: { vendorId: number }[] }): Promise<HidDevice[]>
}

export class SpaceMouse {
  push: Push = [0, 0, 0, 0, 0, 0]
  private readonly hid = (navigator as unknown as { hid?: Hid }).hid
  private readonly opened = new Set<HidDevice>()

  constructor(private readonly told: (sentence: string) => void) {
    void this.hid?.getDevices().then((devices) => devices.forEach((device) => void this.open(device)))
  }

  get possible(): boolean {
    return this.hid !== undefined
  }

  /** Ask the browser for a device; must follow a click. */
  async ask(): Promise<void> {
    if (!this.hid) return this.told('This browser has no WebHID; a gamepad works without asking.')
    const devices = await this.hid.requestDevice({ filters: VENDORS.map((vendorId) => ({ vendorId })) })
    for (const device of devices) await this.open(device)
    if (devices.length === 0) this.told('No space mouse was chosen.')
  }

  /** What is pushed now, by either kind of device. */
  read(): Push {
    if (!isIdle(this.push)) return this.push
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad?.connected) continue
      const push = readGamepad(pad)
      if (!isIdle(push)) return push
    }
    return [0, 0, 0, 0, 0, 0]
  }

  private async open(device: HidDevice): Promise<void> {
    if (this.opened.has(device)) return
    this.opened.add(device)
    device.addEventListener('inputreport', (event) => {
      const { reportId, data } = event as HidReport
      this.push = readReport(reportId, data, this.push) ?? this.push
    })
    try {
      if (!device.opened) await device.open()
      this.told(`${device.productName || 'The space mouse'} moves the selected part.`)
    } catch {
      this.told('The space mouse cannot be opened; another program may have it.')
    }
  }
}
