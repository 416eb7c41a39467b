// The socket to the server: commands out, messages in, and a new attempt when it breaks.

export interface LinkEvents {
  message(buffer: ArrayBuffer): void
  open(): void
  lost(): void
}

export class Link {
  private socket: WebSocket | null = null
  private wait = 300

  constructor(private readonly events: LinkEvents) {
    this.open()
  }

  get ready(): boolean {
    return this.socket !== null && this.socket.readyState === WebSocket.OPEN
  }

  send(command: Record<string, unknown>): void {
    if (this.ready) this.socket!.send(JSON.stringify(command))
  }

  /** Leave, as a page does that is closed. */
  close(): void {
    this.wait = Infinity
    this.socket?.close()
  }

  private open(): void {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
    const socket = new WebSocket(`${scheme}://${location.host}/ws${location.search}`)
    socket.binaryType = 'arraybuffer'
    socket.onopen = () => {
      this.wait = 300
      this.events.open()
    }
    socket.onmessage = (event) => {
      if (event.data instanceof ArrayBuffer) this.events.message(event.data)
    }
    socket.onclose = () => {
      this.events.lost()
      if (Number.isFinite(this.wait)) setTimeout(() => this.open(), this.wait)
      this.wait = Math.min(2 * this.wait, 5000)
    }
    this.socket = socket
  }
}
