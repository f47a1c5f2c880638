/**
 * DoH over one long-lived HTTP/2 connection (RFC 9113). Our own client, because a query needs
 * much less CPU time than with `node:http2`: see docs/decisions/0002-own-http2-client.md.
 */
import type { Socket } from 'node:net'
import { DNS_MESSAGE_MEDIA_TYPE, type DohConnection, unreachableResult } from '../doh-connection.js'
import { createFrameHandler } from './frame-handler.js'
import { createHpackEncoder } from './hpack.js'
import { createFrameReader, createFrameWriter } from './http2-frames.js'
import {
  CLIENT_SETTINGS,
  ERROR_CODE,
  FRAME_TYPE,
  Http2ConnectionError,
  MAX_FRAME_OCTETS,
  PING_TIMEOUT_MS,
} from './http2-protocol.js'
import { createHttp2Streams, Http2Exchange } from './streams.js'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const PING_PAYLOAD = Buffer.alloc(8)

/** Speaks HTTP/2 over a socket that has negotiated it. */
export function createHttp2Connection(
  socket: Socket,
  authority: string,
  firstStreamId = 1,
): DohConnection {
  const writer = createFrameWriter(socket)
  const encoder = createHpackEncoder(authority, DNS_MESSAGE_MEDIA_TYPE)
  const streams = createHttp2Streams(writer, encoder, firstStreamId)
  /** Takes no new requests; those in flight may still be answered. */
  let isClosing = false
  let pingTimer: NodeJS.Timeout | undefined

  socket.setNoDelay(true)
  socket.write(PREFACE)
  writer.writeConnectionFrame(FRAME_TYPE.SETTINGS, CLIENT_SETTINGS)

  const readFrames = createFrameReader(
    createFrameHandler({
      streams,
      writer,
      settings: {
        onHeaderTableSize: encoder.limitTableSize,
        onMaxConcurrentStreams: streams.setMaxConcurrent,
      },
      onPingAck: stopPingTimer,
      onGoAway(lastStreamId, code) {
        isClosing = true
        // After an error the server answers no request, whatever stream it names.
        const lastAnswered = code === ERROR_CODE.NO_ERROR ? lastStreamId : 0
        const detail = `the resolver is closing the connection (code ${code})`
        streams.failAfter(lastAnswered, unreachableResult(detail))
      },
    }),
  )

  function stopPingTimer(): void {
    clearTimeout(pingTimer)
    pingTimer = undefined
  }

  function end(code: number, detail: string): void {
    isClosing = true
    stopPingTimer()
    if (!socket.destroyed) {
      writer.writeConnectionFrame(FRAME_TYPE.GOAWAY, Buffer.of(0, 0, 0, 0, 0, 0, 0, code))
      writer.flush()
      socket.destroy()
    }
    streams.failAfter(0, unreachableResult(detail))
  }

  function receive(chunk: Buffer): void {
    try {
      readFrames(chunk)
    } catch (error) {
      if (!(error instanceof Http2ConnectionError)) throw error
      end(error.code, `the resolver violates HTTP/2: ${error.message}`)
    }
    endIfIdle()
  }

  function endIfIdle(): void {
    const isLast = isClosing || streams.isExhausted()
    if (isLast && streams.isEmpty() && !socket.destroyed) end(ERROR_CODE.NO_ERROR, '')
  }

  socket.on('data', receive)
  socket.on('error', () => {})
  socket.on('end', () => end(ERROR_CODE.NO_ERROR, 'the resolver closed the connection'))
  socket.on('close', () => end(ERROR_CODE.NO_ERROR, 'the connection was lost'))

  return {
    isUsable: () => !isClosing && !socket.destroyed && !streams.isExhausted(),
    get(path, done) {
      const exchange = new Http2Exchange(path, done)
      const fitsFrame = path.length + encoder.overheadOctets <= MAX_FRAME_OCTETS
      if (!isClosing && !streams.isExhausted() && fitsFrame) streams.enqueue(exchange)
      else {
        const result = unreachableResult('the connection takes no more requests')
        process.nextTick(() => exchange.settle(result))
      }
      return () => {
        exchange.cancel()
        streams.reset(exchange, ERROR_CODE.CANCEL)
        endIfIdle()
      }
    },
    checkLiveness() {
      if (pingTimer || socket.destroyed) return
      pingTimer = setTimeout(
        () => end(ERROR_CODE.NO_ERROR, 'the resolver did not answer a PING'),
        PING_TIMEOUT_MS,
      )
      writer.writeConnectionFrame(FRAME_TYPE.PING, PING_PAYLOAD)
    },
    close: () => end(ERROR_CODE.NO_ERROR, 'the connection was closed by the client'),
  }
}
