/** The requests of one connection: one stream each, and a queue for those without a stream yet. */
import { type DohResult, unreachableResult } from '../doh-connection.js'
import type { HpackEncoder } from './hpack.js'
import type { Http2Exchange } from './http2-exchange.js'
import type { FrameWriter } from './http2-frames.js'
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_TYPE,
  type GlitchBudget,
  Http2ConnectionError,
  INITIAL_WINDOW_OCTETS,
  MAX_UINT31,
  WINDOW_OVERFLOW,
} from './http2-protocol.js'

/** Until the server sends its limit (RFC 9113 §6.5.2). */
const INITIAL_MAX_CONCURRENT = 100
const WHOLE_REQUEST = FRAME_FLAG.END_STREAM | FRAME_FLAG.END_HEADERS
/** How many streams that we gave up are remembered. */
const MAX_ABANDONED = 1_000

export type Http2Streams = ReturnType<typeof createHttp2Streams>

export function createHttp2Streams(
  writer: FrameWriter,
  encoder: HpackEncoder,
  budget: GlitchBudget,
  firstStreamId: number,
) {
  const open = new Map<number, Http2Exchange>()
  /** Streams that we gave up, on which frames may still arrive (RFC 9113 §5.1). */
  const abandoned = new Set<number>()
  /** Which streams up to this one were abandoned is no longer known. */
  let forgottenUpTo = 0
  const queue = new Set<Http2Exchange>()
  let nextStreamId = firstStreamId
  let maxConcurrent = INITIAL_MAX_CONCURRENT
  let initialSendWindow = INITIAL_WINDOW_OCTETS
  /** No open stream's window has grown by more; so SETTINGS rarely need a look at every stream. */
  let largestGrowth = 0

  /** Of the request being sent: one function for all requests takes less memory. */
  let path = ''
  const writeHeaders = (target: Buffer, start: number) => encoder.write(path, target, start)

  /** No stream id is left. */
  const isExhausted = () => nextStreamId > MAX_UINT31

  function send(exchange: Http2Exchange): void {
    const streamId = nextStreamId
    nextStreamId += 2
    exchange.streamId = streamId
    open.set(streamId, exchange)
    path = exchange.takePath()
    const maxOctets = path.length + encoder.overheadOctets
    writer.writeFrame(FRAME_TYPE.HEADERS, WHOLE_REQUEST, streamId, maxOctets, writeHeaders)
  }

  function sendQueued(): void {
    for (const exchange of queue) {
      if (open.size >= maxConcurrent) return
      queue.delete(exchange)
      if (isExhausted()) exchange.settle(unreachableResult('the connection has no stream left'))
      else send(exchange)
    }
  }

  function removeStream({ streamId }: Http2Exchange): boolean {
    if (streamId === null || !open.delete(streamId)) return false
    budget.refill()
    return true
  }

  function abandon(streamId: number): void {
    abandoned.add(streamId)
    if (abandoned.size <= MAX_ABANDONED) return
    const [oldest = 0] = abandoned
    abandoned.delete(oldest)
    forgottenUpTo = Math.max(forgottenUpTo, oldest)
  }

  return {
    /** Sends a request, now or when the server allows one more stream. */
    enqueue(exchange: Http2Exchange): void {
      if (open.size < maxConcurrent && !isExhausted()) send(exchange)
      else queue.add(exchange)
    },
    /** The request on a stream; null when it is over. Throws when the stream was never opened. */
    find(streamId: number): Http2Exchange | null {
      const isOpened = streamId % 2 === 1 && streamId >= firstStreamId && streamId < nextStreamId
      if (isOpened) return open.get(streamId) ?? null
      throw new Http2ConnectionError(
        ERROR_CODE.PROTOCOL_ERROR,
        'a frame is on a stream that is not open',
      )
    },
    /** DATA or HEADERS on a stream that is over. Throws when the server itself has ended it. */
    discard(streamId: number, isEndOfStream: boolean): void {
      if (streamId > forgottenUpTo && !abandoned.has(streamId)) {
        throw new Http2ConnectionError(
          ERROR_CODE.STREAM_CLOSED,
          'a frame is on a stream that the server has closed',
        )
      }
      if (isEndOfStream) abandoned.delete(streamId)
    },
    /** The server has ended a stream that was over already. */
    forget(streamId: number): void {
      abandoned.delete(streamId)
    },
    /** The server ended the stream. */
    finish(exchange: Http2Exchange): void {
      if (removeStream(exchange)) sendQueued()
    },
    /** Resets the stream or removes the request from the queue. */
    reset(exchange: Http2Exchange, code: number): void {
      queue.delete(exchange)
      const { streamId } = exchange
      if (streamId === null || !removeStream(exchange)) return
      abandon(streamId)
      writer.writeFrame(FRAME_TYPE.RST_STREAM, 0, streamId, 4, (target, start) =>
        target.writeUInt32BE(code, start),
      )
      // Later, because a caller that cancels one query usually cancels queued ones too.
      setImmediate(sendQueued)
    },
    setMaxConcurrent(count: number): void {
      maxConcurrent = count
      sendQueued()
    },
    /**
     * A WINDOW_UPDATE on a stream. Returns false when its window is then too large: requests have no
     * body, so windows for sending are only checked for this.
     */
    growSendWindow(exchange: Http2Exchange, increment: number): boolean {
      exchange.sendWindowGrowth += increment
      if (initialSendWindow + exchange.sendWindowGrowth > MAX_UINT31) return false
      largestGrowth = Math.max(largestGrowth, exchange.sendWindowGrowth)
      return true
    },
    /** Changes the windows of all open streams. Throws when one is then too large (RFC 9113 §6.9.2). */
    setInitialSendWindow(octets: number): void {
      initialSendWindow = octets
      if (octets + largestGrowth <= MAX_UINT31) return
      // It may be that of a stream which is over.
      largestGrowth = 0
      for (const { sendWindowGrowth } of open.values()) {
        largestGrowth = Math.max(largestGrowth, sendWindowGrowth)
      }
      if (octets + largestGrowth <= MAX_UINT31) return
      throw new Http2ConnectionError(ERROR_CODE.FLOW_CONTROL_ERROR, WINDOW_OVERFLOW)
    },
    /** Whether no more streams are open than the server allows. */
    isWithinLimit: () => open.size <= maxConcurrent,
    /** Fails the requests in the queue and those on streams after `lastStreamId`. */
    failAfter(lastStreamId: number, result: DohResult): void {
      const lost = [...open.values()].filter(({ streamId }) => Number(streamId) > lastStreamId)
      lost.push(...queue)
      queue.clear()
      for (const { streamId } of lost) {
        if (streamId !== null && open.delete(streamId)) abandon(streamId)
      }
      for (const exchange of lost) exchange.settle(result)
    },
    isEmpty: () => open.size === 0 && queue.size === 0,
    isExhausted,
  }
}
