/**
 * DoH over one long-lived HTTP/2 connection (RFC 9113). Written by ourselves since with node:http2 a
 * question took 145 µs of CPU time from asking to answer, and takes 40 with this.
 */
import type { Socket } from 'node:net'
import { broken, type Connection, DNS_MESSAGE } from '../connection.js'
import { Exchange } from './exchange.js'
import { createFrameReader } from './frame-reader.js'
import { createRequestEncoder } from './hpack-request.js'
import { createOutbox } from './outbox.js'
import { CODE, FRAME, MAX_FRAME_OCTETS, ProtocolError } from './protocol.js'
import { createReceiver } from './receiver.js'
import { OUR_SETTINGS } from './settings.js'
import { createStreams } from './streams.js'
import { createReceivingWindow } from './window.js'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const PING_TIMEOUT_MS = 1_000
const PING_PAYLOAD = Buffer.alloc(8)

/** Speaks HTTP/2 over a socket that has agreed to it. */
export function createHttp2Connection(
  socket: Socket,
  authority: string,
  firstStreamId = 1,
): Connection {
  const outbox = createOutbox(socket)
  const encoder = createRequestEncoder(authority, DNS_MESSAGE)
  const streams = createStreams(outbox, encoder, firstStreamId)
  const window = createReceivingWindow(outbox)
  /** No more questions are taken; those under way may still be answered. */
  let isClosing = false
  let pingTimer: NodeJS.Timeout | undefined

  const read = createFrameReader(
    createReceiver({
      streams,
      outbox,
      window,
      settings: { onTableSize: encoder.limitTable, onMaxStreams: streams.limit },
      onPong: stopWaitingForPong,
      onGoAway(lastStreamId, code) {
        isClosing = true
        // Whoever sees an error in us will hardly answer.
        const lastSound = code === CODE.NO_ERROR ? lastStreamId : 0
        streams.breakOff(lastSound, broken(`the resolver closes the connection (code ${code})`))
      },
    }),
  )

  function stopWaitingForPong(): void {
    clearTimeout(pingTimer)
    pingTimer = undefined
  }

  function end(code: number, detail: string): void {
    isClosing = true
    stopWaitingForPong()
    if (!socket.destroyed) {
      outbox.plain(FRAME.GOAWAY, Buffer.of(0, 0, 0, 0, 0, 0, 0, code))
      outbox.flush()
      socket.destroy()
    }
    streams.breakOff(0, broken(detail))
  }

  function receive(chunk: Buffer): void {
    try {
      read(chunk)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      end(error.code, `the resolver breaks the rules of HTTP/2: ${error.message}`)
    }
    endIfDone()
  }

  function endIfDone(): void {
    const isLast = isClosing || streams.isSpent()
    if (isLast && streams.isEmpty() && !socket.destroyed) end(CODE.NO_ERROR, '')
  }

  socket.setNoDelay(true)
  socket.on('data', receive)
  socket.on('error', () => {})
  socket.on('end', () => end(CODE.NO_ERROR, 'the resolver closed the connection'))
  socket.on('close', () => end(CODE.NO_ERROR, 'the connection was lost'))
  socket.write(PREFACE)
  outbox.plain(FRAME.SETTINGS, OUR_SETTINGS)
  window.open()

  return {
    isUsable: () => !isClosing && !socket.destroyed && !streams.isSpent(),
    get(path, done) {
      const exchange = new Exchange(path, done)
      if (isClosing || streams.isSpent() || path.length + encoder.overhead > MAX_FRAME_OCTETS) {
        process.nextTick(() => exchange.settle(broken('the resolver is closing the connection')))
      } else streams.add(exchange)
      return () => {
        exchange.cancel()
        streams.reset(exchange, CODE.CANCEL)
        endIfDone()
      }
    },
    suspect() {
      if (pingTimer || socket.destroyed) return
      pingTimer = setTimeout(() => end(CODE.NO_ERROR, 'the resolver fell silent'), PING_TIMEOUT_MS)
      outbox.plain(FRAME.PING, PING_PAYLOAD)
    },
    close: () => end(CODE.NO_ERROR, 'the connection was closed by us'),
  }
}
