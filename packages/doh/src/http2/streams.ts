/** The requests of one connection: one stream each, and a queue for those without a stream yet. */
import { type DohResult, PendingResponse, unreachableResult } from '../doh-connection.js'
import type { HpackEncoder } from './hpack.js'
import type { HeaderField } from './hpack-table.js'
import type { FrameWriter } from './http2-frames.js'
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_TYPE,
  Http2ConnectionError,
  MAX_UINT31,
  STREAM_WINDOW_OCTETS,
} from './http2-protocol.js'

/** Until the server sends its limit (RFC 9113 §6.5.2). */
const INITIAL_MAX_CONCURRENT = 100
const WHOLE_REQUEST = FRAME_FLAG.END_STREAM | FRAME_FLAG.END_HEADERS
const INTERIM_STATUS = /^1\d\d$/
const FINAL_STATUS = /^[2-9]\d\d$/

/** One request and the response received so far (RFC 9113 §8.1). */
export class Http2Exchange extends PendingResponse {
  readonly path: string
  /** Null until the request is sent. */
  streamId: number | null = null
  #status = 0
  #isInterim = false
  #contentType: string | undefined
  #retryAfter: string | undefined
  #contentLength: string | undefined
  #window = STREAM_WINDOW_OCTETS

  constructor(path: string, done: (result: DohResult) => void) {
    super(done)
    this.path = path
  }

  /** The header of the final response is in, so the body or a trailer follows. */
  get hasResponseHeader(): boolean {
    return this.#status !== 0
  }

  /** Whether the header block just read was an interim or a final header. */
  get isHeaderValid(): boolean {
    return this.hasResponseHeader || this.#isInterim
  }

  onField({ name, value }: HeaderField): void {
    switch (name) {
      case ':status':
        this.#onStatus(value)
        return
      case 'content-type':
        this.#contentType = value
        return
      case 'content-length':
        this.#contentLength = value
        return
      case 'retry-after':
        this.#retryAfter = value
    }
  }

  /** The status comes first, so this drops the fields of an interim response (RFC 9110 §15.2). */
  #onStatus(text: string): void {
    this.#contentType = this.#contentLength = this.#retryAfter = undefined
    this.#isInterim = INTERIM_STATUS.test(text)
    this.#status = FINAL_STATUS.test(text) ? Number(text) : 0
  }

  /** Returns false when the server exceeds the stream's window. */
  consumeWindow(octets: number): boolean {
    this.#window -= octets
    return this.#window >= 0
  }

  /** The server ended the stream. */
  finish(): void {
    const isWhole = this.#contentLength === undefined || Number(this.#contentLength) === this.size
    if (this.hasResponseHeader && isWhole) {
      this.complete(this.#status, this.#contentType, this.#retryAfter)
    } else this.settle(unreachableResult('the resolver sent an incomplete response'))
  }
}

export interface Http2Streams {
  /** Sends a request, now or when the server allows one more stream. */
  enqueue(exchange: Http2Exchange): void
  /** The request on a stream; null when it is over. Throws when the stream was never opened. */
  find(streamId: number): Http2Exchange | null
  /** The server ended the stream. */
  finish(exchange: Http2Exchange): void
  /** Resets the stream or removes the request from the queue. */
  reset(exchange: Http2Exchange, code: number): void
  setMaxConcurrent(count: number): void
  /** Fails the requests in the queue and those on streams after `lastStreamId`. */
  failAfter(lastStreamId: number, result: DohResult): void
  isEmpty(): boolean
  /** No stream id is left. */
  isExhausted(): boolean
}

export function createHttp2Streams(
  writer: FrameWriter,
  encoder: HpackEncoder,
  firstStreamId: number,
): Http2Streams {
  const open = new Map<number, Http2Exchange>()
  const queue = new Set<Http2Exchange>()
  let nextStreamId = firstStreamId
  let maxConcurrent = INITIAL_MAX_CONCURRENT

  const isExhausted = () => nextStreamId > MAX_UINT31

  function send(exchange: Http2Exchange): void {
    const streamId = nextStreamId
    nextStreamId += 2
    exchange.streamId = streamId
    open.set(streamId, exchange)
    const { path } = exchange
    writer.writeFrame(
      FRAME_TYPE.HEADERS,
      WHOLE_REQUEST,
      streamId,
      path.length + encoder.overheadOctets,
      (target, start) => encoder.write(path, target, start),
    )
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
    return streamId !== null && open.delete(streamId)
  }

  return {
    enqueue(exchange) {
      if (open.size < maxConcurrent && !isExhausted()) send(exchange)
      else queue.add(exchange)
    },
    find(streamId) {
      const isOpened = streamId % 2 === 1 && streamId >= firstStreamId && streamId < nextStreamId
      if (isOpened) return open.get(streamId) ?? null
      throw new Http2ConnectionError(
        ERROR_CODE.PROTOCOL_ERROR,
        'a frame is on a stream that is not open',
      )
    },
    finish(exchange) {
      if (removeStream(exchange)) sendQueued()
    },
    reset(exchange, code) {
      queue.delete(exchange)
      const { streamId } = exchange
      if (streamId === null || !removeStream(exchange)) return
      writer.writeFrame(FRAME_TYPE.RST_STREAM, 0, streamId, 4, (target, start) =>
        target.writeUInt32BE(code, start),
      )
      // Later, because a caller that cancels one query usually cancels queued ones too.
      setImmediate(sendQueued)
    },
    setMaxConcurrent(count) {
      maxConcurrent = count
      sendQueued()
    },
    failAfter(lastStreamId, result) {
      const lost = [...open.values()].filter(({ streamId }) => Number(streamId) > lastStreamId)
      lost.push(...queue)
      queue.clear()
      for (const { streamId } of lost) if (streamId !== null) open.delete(streamId)
      for (const exchange of lost) exchange.settle(result)
    },
    isEmpty: () => open.size === 0 && queue.size === 0,
    isExhausted,
  }
}
