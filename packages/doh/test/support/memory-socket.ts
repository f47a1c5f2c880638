/** A socket without a network: a test decides which bytes arrive and in which chunks. */
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { createFrameCollector, HTTP2_PREFACE, type RawFrame } from './raw-http2.js'

export interface MemorySocket {
  readonly socket: Socket
  /** Delivers bytes in one chunk. Throws what the connection does not catch. */
  receive(...bytes: readonly Buffer[]): void
  /** Every frame that the client has sent. */
  readonly sent: readonly RawFrame[]
  isDestroyed(): boolean
}

export function createMemorySocket(): MemorySocket {
  const sent: RawFrame[] = []
  const collect = createFrameCollector((frame) => sent.push(frame), HTTP2_PREFACE)
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    writable: true,
    setNoDelay() {},
    unref() {},
    write(chunk: string | Buffer, done?: () => void) {
      collect(Buffer.from(chunk))
      done?.()
      return true
    },
    /** The server closes its side at once. */
    end() {
      socket.destroy()
    },
    destroy() {
      if (socket.destroyed) return
      socket.destroyed = true
      socket.writable = false
      process.nextTick(() => socket.emit('close'))
    },
  })
  return {
    socket: socket as unknown as Socket,
    receive(...bytes) {
      if (!socket.destroyed) socket.emit('data', Buffer.concat(bytes))
    },
    sent,
    isDestroyed: () => socket.destroyed,
  }
}
