/** Handles every frame that a server may send (RFC 9113 §6). */
import { MISDIRECTED_REQUEST, unreachableResult } from '../doh-connection.js'
import { createHpackDecoder, type HeaderFieldSink } from './hpack.js'
import type { Http2Exchange } from './http2-exchange.js'
import { type FrameWriter, framePayload, type Http2Frame } from './http2-frames.js'
import {
  CONNECTION_WINDOW_OCTETS,
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  FRAME_TYPE,
  type GlitchBudget,
  Http2ConnectionError,
  INITIAL_WINDOW_OCTETS,
  MAX_HEADER_LIST_OCTETS,
  MAX_UINT31,
  MIN_PROGRESS_OCTETS,
  readSettings,
  type SettingsListener,
  WINDOW_OVERFLOW,
} from './http2-protocol.js'
import type { Http2Streams } from './streams.js'

export interface FrameHandlerOptions {
  readonly streams: Http2Streams
  readonly writer: FrameWriter
  readonly budget: GlitchBudget
  readonly settings: SettingsListener
  /** The server has acknowledged our SETTINGS; its own came before. */
  onSettingsAck(): void
  onPingAck(): void
  onGoAway(lastStreamId: number, code: number): void
  /** The server does not want requests on this connection. */
  onUnwilling(reason: string): void
}

const EMPTY = Buffer.alloc(0)
/** Every block must be decoded, because it changes the table, even if its stream is over. */
const IGNORED_FIELDS: HeaderFieldSink = { onField: () => {} }

export function createFrameHandler(options: FrameHandlerOptions): (frame: Http2Frame) => void {
  const { streams, writer, budget } = options
  const decoder = createHpackDecoder()
  let hasSettings = false
  /** Requests have no body, so this window is only checked for overflow. */
  let sendWindow = INITIAL_WINDOW_OCTETS
  /** Octets the server may still send on the connection (RFC 9113 §6.9). */
  let receiveWindow = INITIAL_WINDOW_OCTETS

  function refillWindow(): void {
    const increment = CONNECTION_WINDOW_OCTETS - receiveWindow
    receiveWindow = CONNECTION_WINDOW_OCTETS
    writer.writeFrame(FRAME_TYPE.WINDOW_UPDATE, 0, 0, 4, (target, start) =>
      target.writeUInt32BE(increment, start),
    )
  }

  const onHeaderBlock: OnHeaderBlock = (streamId, isEndOfStream, bytes, start, end) => {
    const exchange = streams.find(streamId)
    if (!exchange) discard(streamId, isEndOfStream, end - start)
    decoder.decode(bytes, start, end, exchange ?? IGNORED_FIELDS)
    if (!exchange) return
    if (!exchange.finishHeaders(isEndOfStream)) budget.spend(end - start)
    advance(exchange, isEndOfStream)
  }

  function discard(streamId: number, isEndOfStream: boolean, octets: number): void {
    streams.discard(streamId, isEndOfStream)
    budget.spend(octets)
  }

  /** After a frame of a response: fails one that is malformed and completes one that has ended. */
  function advance(exchange: Http2Exchange, isEndOfStream: boolean): void {
    if (isEndOfStream) {
      if (exchange.status === MISDIRECTED_REQUEST) options.onUnwilling('answered with HTTP 421')
      streams.finish(exchange)
      exchange.finish()
    } else if (exchange.isMalformed) {
      streams.reset(exchange, ERROR_CODE.PROTOCOL_ERROR)
      exchange.fail()
    }
  }

  const headers = createHeaderBlockAssembler(onHeaderBlock)

  const handlers: Record<number, (frame: Http2Frame) => void> = {
    [FRAME_TYPE.DATA](frame) {
      const size = frame.end - frame.start
      receiveWindow -= size
      if (receiveWindow < CONNECTION_WINDOW_OCTETS / 2) refillWindow()
      const exchange = streams.find(frame.streamId)
      const { start, end } = framePayload(frame)
      const isEndOfStream = (frame.flags & FRAME_FLAG.END_STREAM) !== 0
      if (!exchange) {
        discard(frame.streamId, isEndOfStream, size)
        return
      }
      if (!exchange.consumeWindow(size)) {
        throw new Http2ConnectionError(
          ERROR_CODE.FLOW_CONTROL_ERROR,
          'a stream exceeds its flow-control window',
        )
      }
      if (end - start < MIN_PROGRESS_OCTETS && !isEndOfStream) budget.spend(size)
      const chunk = end > start ? frame.bytes.subarray(start, end) : EMPTY
      if (exchange.append(chunk)) advance(exchange, isEndOfStream)
      else streams.reset(exchange, ERROR_CODE.CANCEL)
    },

    [FRAME_TYPE.HEADERS]: headers.onHeaders,

    [FRAME_TYPE.CONTINUATION]: headers.onContinuation,

    [FRAME_TYPE.PRIORITY](frame) {
      requireSize(frame, 5)
      requireStream(frame, true)
    },

    [FRAME_TYPE.RST_STREAM](frame) {
      requireSize(frame, 4)
      const exchange = streams.find(frame.streamId)
      if (!exchange) {
        streams.forget(frame.streamId)
        budget.spend(frame.end - frame.start)
        return
      }
      const code = frame.bytes.readUInt32BE(frame.start)
      // Within its own limit, a server that refuses one request would refuse the next one too.
      if (code === ERROR_CODE.REFUSED_STREAM && streams.isWithinLimit()) {
        options.onUnwilling('refused a stream')
      }
      streams.finish(exchange)
      exchange.settle(unreachableResult(`the resolver reset the stream (code ${code})`))
    },

    [FRAME_TYPE.SETTINGS](frame) {
      requireStream(frame, false)
      if (frame.flags & FRAME_FLAG.ACK) {
        requireSize(frame, 0)
        options.onSettingsAck()
        return
      }
      const payload = frame.bytes.subarray(frame.start, frame.end)
      readSettings(payload, options.settings, !hasSettings)
      hasSettings = true
      writer.writeConnectionFrame(FRAME_TYPE.SETTINGS, EMPTY, FRAME_FLAG.ACK)
    },

    [FRAME_TYPE.PUSH_PROMISE]() {
      throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'server push is not enabled')
    },

    [FRAME_TYPE.PING](frame) {
      requireStream(frame, false)
      requireSize(frame, 8)
      if (frame.flags & FRAME_FLAG.ACK) options.onPingAck()
      else {
        const payload = frame.bytes.subarray(frame.start, frame.end)
        writer.writeConnectionFrame(FRAME_TYPE.PING, payload, FRAME_FLAG.ACK)
      }
    },

    [FRAME_TYPE.GOAWAY](frame) {
      requireStream(frame, false)
      if (frame.end - frame.start < 8) requireSize(frame, 8)
      const lastStreamId = frame.bytes.readUInt32BE(frame.start) & MAX_UINT31
      options.onGoAway(lastStreamId, frame.bytes.readUInt32BE(frame.start + 4))
    },

    [FRAME_TYPE.WINDOW_UPDATE](frame) {
      requireSize(frame, 4)
      const increment = frame.bytes.readUInt32BE(frame.start) & MAX_UINT31
      if (increment === 0) {
        throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'a window grows by 0 octets')
      }
      if (frame.streamId === 0) {
        sendWindow += increment
        if (sendWindow <= MAX_UINT31) return
        throw new Http2ConnectionError(ERROR_CODE.FLOW_CONTROL_ERROR, WINDOW_OVERFLOW)
      }
      const exchange = streams.find(frame.streamId)
      if (!exchange || streams.growSendWindow(exchange, increment)) return
      // An error of this stream only (RFC 9113 §6.9.1).
      streams.reset(exchange, ERROR_CODE.FLOW_CONTROL_ERROR)
      exchange.settle(unreachableResult(`the resolver violates HTTP/2: ${WINDOW_OVERFLOW}`))
    },
  }

  refillWindow()

  return (frame) => {
    const isSettings = frame.type === FRAME_TYPE.SETTINGS && !(frame.flags & FRAME_FLAG.ACK)
    if (!hasSettings && !isSettings) {
      throw new Http2ConnectionError(
        ERROR_CODE.PROTOCOL_ERROR,
        'the first frame is not a SETTINGS frame',
      )
    }
    if (headers.isIncomplete() && frame.type !== FRAME_TYPE.CONTINUATION) {
      throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'a header block is interrupted')
    }
    if (!mayEndRequest(frame)) budget.spend(frame.end - frame.start)
    // Frames of unknown types are ignored (RFC 9113 §4.1).
    handlers[frame.type]?.(frame)
  }
}

/** Only these types can bring a request closer to its end; their handlers know whether one did. */
function mayEndRequest({ type }: Http2Frame): boolean {
  return type === FRAME_TYPE.DATA || type === FRAME_TYPE.HEADERS || type === FRAME_TYPE.RST_STREAM
}

function requireSize({ start, end }: Http2Frame, octets: number): void {
  if (end - start === octets) return
  throw new Http2ConnectionError(ERROR_CODE.FRAME_SIZE_ERROR, 'a frame has an invalid size')
}

function requireStream({ streamId }: Http2Frame, isOnStream: boolean): void {
  if ((streamId !== 0) === isOnStream) return
  throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'a frame is on the wrong stream')
}

/** Gets each complete block: it is in `bytes` between `start` and `end`. */
type OnHeaderBlock = (
  streamId: number,
  isEndOfStream: boolean,
  bytes: Buffer,
  start: number,
  end: number,
) => void

interface OpenBlock {
  readonly streamId: number
  readonly isEndOfStream: boolean
  readonly parts: Buffer[]
  size: number
}

/** Joins the frames of a header block (RFC 9113 §4.3). */
function createHeaderBlockAssembler(onBlock: OnHeaderBlock) {
  let openBlock: OpenBlock | null = null

  /** Counts the frame headers too, so empty frames cannot go on forever. */
  function addPart(block: OpenBlock, part: Buffer): void {
    // A copy, so a small part does not keep its whole chunk in memory.
    block.parts.push(Buffer.from(part))
    block.size += part.length + FRAME_HEADER_OCTETS
    if (block.size > MAX_HEADER_LIST_OCTETS) {
      throw new Http2ConnectionError(ERROR_CODE.ENHANCE_YOUR_CALM, 'a header block is too large')
    }
  }

  return {
    /** While a block is incomplete, only its CONTINUATION frames may follow. */
    isIncomplete: (): boolean => openBlock !== null,
    onHeaders(frame: Http2Frame): void {
      const { streamId, flags, bytes } = frame
      const { start, end } = framePayload(frame)
      const isEndOfStream = (flags & FRAME_FLAG.END_STREAM) !== 0
      if (flags & FRAME_FLAG.END_HEADERS) {
        onBlock(streamId, isEndOfStream, bytes, start, end)
        return
      }
      openBlock = { streamId, isEndOfStream, parts: [], size: 0 }
      addPart(openBlock, bytes.subarray(start, end))
    },
    onContinuation({ streamId, flags, bytes, start, end }: Http2Frame): void {
      const block = openBlock
      if (block?.streamId !== streamId) {
        throw new Http2ConnectionError(
          ERROR_CODE.PROTOCOL_ERROR,
          'a CONTINUATION frame continues no header block',
        )
      }
      addPart(block, bytes.subarray(start, end))
      if (!(flags & FRAME_FLAG.END_HEADERS)) return
      openBlock = null
      const whole = Buffer.concat(block.parts)
      onBlock(streamId, block.isEndOfStream, whole, 0, whole.length)
    },
  }
}
