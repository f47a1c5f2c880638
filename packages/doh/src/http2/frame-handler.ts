/** Handles every frame that a server may send (RFC 9113 §6). */
import { unreachableResult } from '../doh-connection.js'
import { createHpackDecoder, type HeaderFieldSink } from './hpack.js'
import { type FrameWriter, framePayload, type Http2Frame } from './http2-frames.js'
import {
  CONNECTION_WINDOW_OCTETS,
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  FRAME_TYPE,
  Http2ConnectionError,
  MAX_HEADER_LIST_OCTETS,
  MAX_UINT31,
  readSettings,
  type SettingsListener,
} from './http2-protocol.js'
import type { Http2Exchange, Http2Streams } from './streams.js'

export interface FrameHandlerOptions {
  readonly streams: Http2Streams
  readonly writer: FrameWriter
  readonly settings: SettingsListener
  onPingAck(): void
  onGoAway(lastStreamId: number, code: number): void
}

const EMPTY = Buffer.alloc(0)
const INITIAL_WINDOW_OCTETS = 65_535

export function createFrameHandler(options: FrameHandlerOptions): (frame: Http2Frame) => void {
  const { streams, writer } = options
  const headers = createHeaderBlockAssembler(streams)
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

  const handlers: Record<number, (frame: Http2Frame) => void> = {
    [FRAME_TYPE.DATA](frame) {
      const size = frame.end - frame.start
      receiveWindow -= size
      if (receiveWindow < CONNECTION_WINDOW_OCTETS / 2) refillWindow()
      const exchange = streams.find(frame.streamId)
      const { start, end } = framePayload(frame)
      if (!exchange) return
      if (!exchange.consumeWindow(size)) {
        throw new Http2ConnectionError(
          ERROR_CODE.FLOW_CONTROL_ERROR,
          'a stream exceeds its flow-control window',
        )
      }
      if (!exchange.hasResponseHeader) {
        streams.reset(exchange, ERROR_CODE.PROTOCOL_ERROR)
        exchange.settle(unreachableResult('the resolver sent a body without a header'))
      } else if (end > start && !exchange.append(frame.bytes.subarray(start, end))) {
        streams.reset(exchange, ERROR_CODE.CANCEL)
      } else if (frame.flags & FRAME_FLAG.END_STREAM) {
        streams.finish(exchange)
        exchange.finish()
      }
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
      if (!exchange) return
      streams.finish(exchange)
      const code = frame.bytes.readUInt32BE(frame.start)
      exchange.settle(unreachableResult(`the resolver reset the stream (code ${code})`))
    },

    [FRAME_TYPE.SETTINGS](frame) {
      requireStream(frame, false)
      if (frame.flags & FRAME_FLAG.ACK) {
        requireSize(frame, 0)
        return
      }
      const payload = frame.bytes.subarray(frame.start, frame.end)
      readSettings(payload, options.settings, !hasSettings)
      hasSettings = true
      writer.writeAck(FRAME_TYPE.SETTINGS, EMPTY)
    },

    [FRAME_TYPE.PUSH_PROMISE]() {
      throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'server push is not enabled')
    },

    [FRAME_TYPE.PING](frame) {
      requireStream(frame, false)
      requireSize(frame, 8)
      if (frame.flags & FRAME_FLAG.ACK) options.onPingAck()
      else writer.writeAck(FRAME_TYPE.PING, frame.bytes.subarray(frame.start, frame.end))
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
      if (frame.streamId !== 0) streams.find(frame.streamId)
      else sendWindow += increment
      if (sendWindow > MAX_UINT31) {
        throw new Http2ConnectionError(
          ERROR_CODE.FLOW_CONTROL_ERROR,
          'a flow-control window exceeds 2^31-1 octets',
        )
      }
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
    // Frames of unknown types are ignored (RFC 9113 §4.1).
    handlers[frame.type]?.(frame)
  }
}

function requireSize({ start, end }: Http2Frame, octets: number): void {
  if (end - start === octets) return
  throw new Http2ConnectionError(ERROR_CODE.FRAME_SIZE_ERROR, 'a frame has an invalid size')
}

function requireStream({ streamId }: Http2Frame, isOnStream: boolean): void {
  if ((streamId !== 0) === isOnStream) return
  throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'a frame is on the wrong stream')
}

/** Every block must be decoded, because it changes the table, even if its stream is over. */
const DISCARD: HeaderFieldSink = { onField: () => {} }

interface OpenBlock {
  readonly streamId: number
  readonly isEndOfStream: boolean
  readonly parts: Buffer[]
  size: number
}

/** Joins the frames of a header block (RFC 9113 §4.3) and decodes it. */
function createHeaderBlockAssembler(streams: Http2Streams) {
  const decoder = createHpackDecoder()
  let openBlock: OpenBlock | null = null

  function decode(
    streamId: number,
    isEndOfStream: boolean,
    bytes: Buffer,
    start: number,
    end: number,
  ): void {
    const exchange = streams.find(streamId)
    const isTrailer = exchange?.hasResponseHeader ?? false
    decoder.decode(bytes, start, end, exchange && !isTrailer ? exchange : DISCARD)
    if (exchange) finishHeaders(exchange, isTrailer, isEndOfStream)
  }

  /** A trailer must end the stream; any other block must have a status (RFC 9113 §8.1). */
  function finishHeaders(
    exchange: Http2Exchange,
    isTrailer: boolean,
    isEndOfStream: boolean,
  ): void {
    if (isEndOfStream) {
      streams.finish(exchange)
      exchange.finish()
    } else if (isTrailer || !exchange.isHeaderValid) {
      streams.reset(exchange, ERROR_CODE.PROTOCOL_ERROR)
      exchange.settle(unreachableResult('the resolver sent a response without a status'))
    }
  }

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
        decode(streamId, isEndOfStream, bytes, start, end)
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
      decode(streamId, block.isEndOfStream, whole, 0, whole.length)
    },
  }
}
