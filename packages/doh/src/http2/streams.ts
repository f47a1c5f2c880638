/** The questions of one connection: on which stream each one is, and which still wait for one. */
import { type DohResult, unreachableResult } from '../doh-connection.js'
import type { FrameWriter } from './frame-writer.js'
import type { HpackEncoder } from './hpack-encoder.js'
import type { Http2Exchange } from './http2-exchange.js'
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_TYPE,
  Http2ConnectionError,
  MAX_UINT31,
} from './http2-protocol.js'

/** Until the server says how many it takes at once (RFC 9113 §6.5.2). */
const STREAMS_AT_FIRST = 100
const WHOLE_REQUEST = FRAME_FLAG.END_STREAM | FRAME_FLAG.END_HEADERS

export interface Http2Streams {
  /** Sends a question, now or as soon as the server takes one more. */
  enqueue(exchange: Http2Exchange): void
  /** The question on a stream; null when it is over, an error when there never was one. */
  find(streamId: number): Http2Exchange | null
  /** The server is through with it. */
  finish(exchange: Http2Exchange): void
  /** Takes the question back. */
  reset(exchange: Http2Exchange, code: number): void
  setMaxConcurrent(count: number): void
  /** Gives up the questions that wait, and those on streams behind `lastStreamId`. */
  failAfter(lastStreamId: number, reply: DohResult): void
  isEmpty(): boolean
  /** The numbers of streams are used up. */
  isExhausted(): boolean
}

export function createHttp2Streams(
  outbox: FrameWriter,
  encoder: HpackEncoder,
  firstStreamId: number,
): Http2Streams {
  const open = new Map<number, Http2Exchange>()
  const waiting = new Set<Http2Exchange>()
  let nextStreamId = firstStreamId
  let maxStreams = STREAMS_AT_FIRST

  const isSpent = () => nextStreamId > MAX_UINT31

  function send(exchange: Http2Exchange): void {
    const streamId = nextStreamId
    nextStreamId += 2
    exchange.streamId = streamId
    open.set(streamId, exchange)
    const { path } = exchange
    outbox.writeFrame(
      FRAME_TYPE.HEADERS,
      WHOLE_REQUEST,
      streamId,
      path.length + encoder.overheadOctets,
      (target, start) => encoder.write(path, target, start),
    )
  }

  function sendWaiting(): void {
    for (const exchange of waiting) {
      if (open.size >= maxStreams) return
      waiting.delete(exchange)
      if (isSpent()) exchange.settle(unreachableResult('the connection is used up'))
      else send(exchange)
    }
  }

  function forget({ streamId }: Http2Exchange): boolean {
    return streamId !== null && open.delete(streamId)
  }

  return {
    enqueue(exchange) {
      if (open.size < maxStreams && !isSpent()) send(exchange)
      else waiting.add(exchange)
    },
    find(streamId) {
      const isOurs = streamId % 2 === 1 && streamId >= firstStreamId && streamId < nextStreamId
      if (isOurs) return open.get(streamId) ?? null
      throw new Http2ConnectionError(
        ERROR_CODE.PROTOCOL_ERROR,
        'a frame is for a stream that nobody opened',
      )
    },
    finish(exchange) {
      if (forget(exchange)) sendWaiting()
    },
    reset(exchange, code) {
      waiting.delete(exchange)
      const { streamId } = exchange
      if (streamId === null || !forget(exchange)) return
      outbox.writeFrame(FRAME_TYPE.RST_STREAM, 0, streamId, 4, (target, start) =>
        target.writeUInt32BE(code, start),
      )
      // Behind the reset, or there would be one too many; and later, since whoever takes back one
      // question mostly takes back more, and must not have them sent for that.
      setImmediate(sendWaiting)
    },
    setMaxConcurrent(count) {
      maxStreams = count
      sendWaiting()
    },
    failAfter(lastStreamId, reply) {
      const lost = [...open.values()].filter(({ streamId }) => Number(streamId) > lastStreamId)
      lost.push(...waiting)
      waiting.clear()
      for (const { streamId } of lost) if (streamId !== null) open.delete(streamId)
      for (const exchange of lost) exchange.settle(reply)
    },
    isEmpty: () => open.size === 0 && waiting.size === 0,
    isExhausted: isSpent,
  }
}
