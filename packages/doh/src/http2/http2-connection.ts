/**
 * DoH over one long-lived HTTP/2 connection (RFC 9113). Our own client, because a query needs
 * much less CPU time than with `node:http2`: see docs/decisions/0002-own-http2-client.md.
 */
import type { Socket } from 'node:net'
import { DNS_MESSAGE_MEDIA_TYPE, type DohConnection, unreachableResult } from '../doh-connection.js'
import { createFrameHandler } from './frame-handler.js'
import { createHpackEncoder } from './hpack.js'
import { type ExchangeOwner, Http2Exchange } from './http2-exchange.js'
import { createFrameReader, createFrameWriter } from './http2-frames.js'
import {
  CLIENT_SETTINGS,
  createGlitchBudget,
  ERROR_CODE,
  FRAME_TYPE,
  Http2ConnectionError,
  MAX_FRAME_OCTETS,
  MAX_UINT31,
  MIN_PROGRESS_OCTETS,
  PING_TIMEOUT_MS,
  SETTINGS_TIMEOUT_MS,
} from './http2-protocol.js'
import { createHttp2Streams } from './streams.js'

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const PING_PAYLOAD = Buffer.alloc(8)

export interface Http2ConnectionOptions {
  readonly firstStreamId?: number
  /**
   * Gets the error that closes the connection: an `Http2ConnectionError` if the server violates
   * HTTP/2. Any other one is a bug, here or in the callback of a request.
   */
  readonly onError?: (error: unknown) => void
}

/** Speaks HTTP/2 over a socket that has negotiated it. */
export function createHttp2Connection(
  socket: Socket,
  authority: string,
  { firstStreamId = 1, onError = () => {} }: Http2ConnectionOptions = {},
): DohConnection {
  const writer = createFrameWriter(socket)
  const encoder = createHpackEncoder(authority, DNS_MESSAGE_MEDIA_TYPE)
  const budget = createGlitchBudget()
  const streams = createHttp2Streams(writer, encoder, budget, firstStreamId)
  /** Takes no new requests; those in flight may still be answered. */
  let isClosing = false
  /** GOAWAY is sent, or the socket is lost: nothing is sent or read any more. */
  let isEnded = false
  let pingTimer: NodeJS.Timeout | undefined

  socket.setNoDelay(true)
  socket.write(PREFACE)
  writer.writeConnectionFrame(FRAME_TYPE.SETTINGS, CLIENT_SETTINGS)

  const handleFrame = createFrameHandler({
    streams,
    writer,
    budget,
    settings: {
      onHeaderTableSize: encoder.limitTableSize,
      onInitialWindowSize: streams.setInitialSendWindow,
      onMaxConcurrentStreams: streams.setMaxConcurrent,
    },
    onSettingsAck: () => clearTimeout(settingsTimer),
    onPingAck: stopPingTimer,
    onGoAway(lastStreamId, code) {
      // After an error the server answers no request, whatever stream it names.
      const lastAnswered = code === ERROR_CODE.NO_ERROR ? lastStreamId : 0
      leave(lastAnswered, `is closing the connection (code ${code})`)
    },
    onUnwilling: (reason) => leave(MAX_UINT31, reason),
  })
  // The callback of a request can end the connection before the last frame of a chunk.
  const readFrames = createFrameReader((frame) => {
    if (!isEnded) handleFrame(frame)
  })

  const settingsTimer = setTimeout(() => {
    const limit = `within ${SETTINGS_TIMEOUT_MS} ms`
    end(ERROR_CODE.SETTINGS_TIMEOUT, `the resolver did not send or acknowledge SETTINGS ${limit}`)
  }, SETTINGS_TIMEOUT_MS).unref()

  /** Requests up to a stream may still be answered; the others need another connection. */
  function leave(lastStreamId: number, reason: string): void {
    isClosing = true
    streams.failAfter(lastStreamId, unreachableResult(`the resolver ${reason}`))
  }

  function stopPingTimer(): void {
    clearTimeout(pingTimer)
    pingTimer = undefined
  }

  function end(code: number, detail: string): void {
    if (isEnded) return
    isEnded = isClosing = true
    clearTimeout(settingsTimer)
    stopPingTimer()
    socket.off('data', receive)
    if (!socket.destroyed) {
      writer.writeConnectionFrame(FRAME_TYPE.GOAWAY, Buffer.of(0, 0, 0, 0, 0, 0, 0, code))
      writer.flush()
      closeSocket(socket)
    }
    streams.failAfter(0, unreachableResult(detail))
  }

  function receive(chunk: Buffer): void {
    try {
      const hasFrame = readFrames(chunk)
      if (!hasFrame && chunk.length < MIN_PROGRESS_OCTETS) budget.spend(chunk.length)
    } catch (error) {
      endAfter(error)
    }
    endIfIdle()
  }

  /** An exception must not end the process, whatever it is. */
  function endAfter(error: unknown): void {
    onError(error)
    if (error instanceof Http2ConnectionError) {
      end(error.code, `the resolver violates HTTP/2: ${error.message}`)
    } else end(ERROR_CODE.INTERNAL_ERROR, 'an unexpected error closed the connection')
  }

  function endIfIdle(): void {
    const isLast = isClosing || streams.isExhausted()
    if (isLast && streams.isEmpty()) end(ERROR_CODE.NO_ERROR, '')
  }

  const owner: ExchangeOwner = {
    onCancel(exchange) {
      streams.reset(exchange, ERROR_CODE.CANCEL)
      endIfIdle()
    },
    onSinkError: endAfter,
  }

  socket.on('data', receive)
  socket.on('error', () => {})
  socket.on('end', () => end(ERROR_CODE.NO_ERROR, 'the resolver closed the connection'))
  socket.on('close', () => end(ERROR_CODE.NO_ERROR, 'the connection was lost'))

  return {
    isUsable: () => !isClosing && !socket.destroyed && !streams.isExhausted(),
    get(path, sink) {
      const exchange = new Http2Exchange(path, sink, owner)
      const fitsFrame = path.length + encoder.overheadOctets <= MAX_FRAME_OCTETS
      if (!isClosing && !streams.isExhausted() && fitsFrame) streams.enqueue(exchange)
      else {
        const result = unreachableResult('the connection takes no more requests')
        process.nextTick(() => exchange.settle(result))
      }
      return exchange
    },
    checkLiveness() {
      if (pingTimer || isEnded) return
      pingTimer = setTimeout(
        () => end(ERROR_CODE.NO_ERROR, 'the resolver did not answer a PING'),
        PING_TIMEOUT_MS,
      )
      writer.writeConnectionFrame(FRAME_TYPE.PING, PING_PAYLOAD)
    },
    close: () => end(ERROR_CODE.NO_ERROR, 'the connection was closed by the client'),
  }
}

/** How long the server may take to read the rest and close its side. */
const CLOSE_TIMEOUT_MS = 1_000
/** What the server may have sent before it knew; then it waits, so a flood takes no CPU time. */
const MAX_DISCARDED_OCTETS = 1_048_576

/**
 * Closes a socket so that the server still gets what was written to it. To destroy it at once would discard what is not sent yet, and unread octets would make it a reset,
 * after which the server may not read what has arrived (RFC 9112 §9.6). So they are read and
 * discarded until the server closes its side.
 */
function closeSocket(socket: Socket): void {
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
