/** The questions of one connection: on which stream each one is, and which still wait for one. */
import { broken, type Reply } from '../connection.js'
import type { Exchange } from './exchange.js'
import type { RequestEncoder } from './hpack-request.js'
import type { Outbox } from './outbox.js'
import { CODE, FLAG, FRAME, MAX_31_BITS, ProtocolError } from './protocol.js'

/** Until the server says how many it takes at once (RFC 9113 §6.5.2). */
const STREAMS_AT_FIRST = 100
const WHOLE_REQUEST = FLAG.END_STREAM | FLAG.END_HEADERS

export interface Streams {
  /** Sends a question, now or as soon as the server takes one more. */
  add(exchange: Exchange): void
  /** The question on a stream; null when it is over, an error when there never was one. */
  find(streamId: number): Exchange | null
  /** The server is through with it. */
  finish(exchange: Exchange): void
  /** Takes the question back. */
  reset(exchange: Exchange, code: number): void
  limit(count: number): void
  /** Gives up the questions that wait, and those on streams behind `lastStreamId`. */
  breakOff(lastStreamId: number, reply: Reply): void
  isEmpty(): boolean
  /** The numbers of streams are used up. */
  isSpent(): boolean
}

export function createStreams(
  outbox: Outbox,
  encoder: RequestEncoder,
  firstStreamId: number,
): Streams {
  const open = new Map<number, Exchange>()
  const waiting = new Set<Exchange>()
  let nextStreamId = firstStreamId
  let maxStreams = STREAMS_AT_FIRST

  const isSpent = () => nextStreamId > MAX_31_BITS

  function send(exchange: Exchange): void {
    const streamId = nextStreamId
    nextStreamId += 2
    exchange.streamId = streamId
    open.set(streamId, exchange)
    const { path } = exchange
    outbox.frame(
      FRAME.HEADERS,
      WHOLE_REQUEST,
      streamId,
      path.length + encoder.overhead,
      (target, start) => encoder.write(path, target, start),
    )
  }

  function sendWaiting(): void {
    for (const exchange of waiting) {
      if (open.size >= maxStreams) return
      waiting.delete(exchange)
      if (isSpent()) exchange.settle(broken('the connection is used up'))
      else send(exchange)
    }
  }

  function forget({ streamId }: Exchange): boolean {
    return streamId !== null && open.delete(streamId)
  }

  return {
    add(exchange) {
      if (open.size < maxStreams && !isSpent()) send(exchange)
      else waiting.add(exchange)
    },
    find(streamId) {
      const isOurs = streamId % 2 === 1 && streamId >= firstStreamId && streamId < nextStreamId
      if (isOurs) return open.get(streamId) ?? null
      throw new ProtocolError(CODE.PROTOCOL_ERROR, 'a frame is for a stream that nobody opened')
    },
    finish(exchange) {
      if (forget(exchange)) sendWaiting()
    },
    reset(exchange, code) {
      waiting.delete(exchange)
      const { streamId } = exchange
      if (streamId === null || !forget(exchange)) return
      outbox.frame(FRAME.RST_STREAM, 0, streamId, 4, (target, start) =>
        target.writeUInt32BE(code, start),
      )
      // Behind the reset, or there would be one too many; and later, since whoever takes back one
      // question mostly takes back more, and must not have them sent for that.
      setImmediate(sendWaiting)
    },
    limit(count) {
      maxStreams = count
      sendWaiting()
    },
    breakOff(lastStreamId, reply) {
      const lost = [...open.values()].filter(({ streamId }) => Number(streamId) > lastStreamId)
      lost.push(...waiting)
      waiting.clear()
      for (const { streamId } of lost) if (streamId !== null) open.delete(streamId)
      for (const exchange of lost) exchange.settle(reply)
    },
    isEmpty: () => open.size === 0 && waiting.size === 0,
    isSpent,
  }
}
