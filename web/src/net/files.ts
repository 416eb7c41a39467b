// Files that are dropped on the page: sent to the server through a socket of their own, piece by piece, answered by a sentence.
//
// First a text {"files": [{"name": ..., "size": ...}, ...]}. If the answer is {"ready": true}, the bytes of all files follow,
// one after the other, in binary messages of at most PIECE bytes. The last answer is a text {"problem": ...}, empty if the
// files are shown now.

export const PIECE = 4096
export const MOST_FILES = 20
/** [bytes] of all files together. */
export const MOST = 256 << 20
export const KINDS = ['.toml', '.step', '.stp', '.stl', '.ply', '.off', '.glb', '.3mf', '.csv']

/** Why files cannot be sent; empty if they can. */
export function refusal(files: { name: string; size: number }[]): string {
  if (files.length === 0) return 'Nothing was dropped that is a file.'
  const strange = files.find((file) => !KINDS.some((kind) => file.name.toLowerCase().endsWith(kind)))
  if (strange) return `${strange.name}: expected a scene (.toml), parts (.step, .stl, .ply, .off, .glb, .3mf) or tracks (.csv).`
  if (files.length > MOST_FILES) return `${files.length} files were dropped; at most ${MOST_FILES} are taken.`
  const size = files.reduce((sum, file) => sum + file.size, 0)
  if (size > MOST) return `The files have ${Math.ceil(size / 2 ** 20)} MB together; at most ${MOST / 2 ** 20} MB are taken.`
  return ''
}

/** Send files; resolves to the server's sentence, empty if all is well. */
export function sendFiles(files: File[], progress: (share: number) => void): Promise<string> {
  const problem = refusal(files)
  if (problem) return Promise.resolve(problem)
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws'
  const socket = new WebSocket(`${scheme}://${location.host}/drop${location.search}`)
  socket.binaryType = 'arraybuffer'
  return new Promise((resolve) => {
    socket.onopen = () => socket.send(JSON.stringify({ files: files.map(({ name, size }) => ({ name, size })) }))
    socket.onmessage = (event) => {
      const problem = answerOf(String(event.data))
      if (problem === null) return void pour(socket, files, progress)
      resolve(problem)
      socket.close()
    }
    socket.onclose = (event) => resolve(event.reason || 'The server did not take the files.')
  })
}

/** The server's sentence, empty if all is well; null if it waits for the files. */
export function answerOf(text: string): string | null {
  try {
    const answer = JSON.parse(text) as { problem?: unknown; ready?: unknown }
    return answer.ready === true ? null : String(answer.problem ?? '')
  } catch {
    return 'The server gave an answer that the page does not understand.'
  }
}

async function pour(socket: WebSocket, files: File[], progress: (share: number) => void): Promise<void> {
  const all = files.reduce((sum, file) => sum + file.size, 0)
  let sent = 0
  for (const file of files) {
    const bytes = await file.arrayBuffer()
    for (let at = 0; at < file.size; at += PIECE) {
      if (socket.readyState !== WebSocket.OPEN) return
      const piece = bytes.slice(at, at + PIECE)
      socket.send(piece)
      sent += piece.byteLength
      if (at % (256 * PIECE) === 0) progress(sent / all)
      while (socket.bufferedAmount > 64 * PIECE) await new Promise((go) => setTimeout(go, 5))
    }
  }
}
