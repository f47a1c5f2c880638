/** Closes a socket so that the server still gets what was written to it. */
import type { Socket } from 'node:net'

/** How long the server may take to read the rest and close its side. */
const CLOSE_TIMEOUT_MS = 1_000
/** What the server may have sent before it knew; then it waits, so a flood takes no CPU time. */
const MAX_DISCARDED_OCTETS = 1_048_576

/**
 * To destroy it at once would discard what is not sent yet, and unread octets would make it a reset,
 * after which the server may not read what has arrived (RFC 9112 §9.6). So they are read and
 * discarded until the server closes its side.
 */
export function closeSocket(socket: Socket): void {
  let discarded = 0
  const timer = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref()
  socket.on('close', () => clearTimeout(timer))
  socket.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > MAX_DISCARDED_OCTETS) socket.pause()
  })
  socket.end()
  // The process need not wait for the server; what was written is sent before it ends.
  socket.unref()
}
