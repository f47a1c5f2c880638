/** Acts on every frame that a server may send (RFC 9113 §6). */
import { unreachableResult } from '../doh-connection.js'
import type { Http2Frame } from './frame-reader.js'
import type { FrameWriter } from './frame-writer.js'
import { createHeaderBlockAssembler } from './header-block-assembler.js'
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_TYPE,
  Http2ConnectionError,
  MAX_UINT31,
} from './http2-protocol.js'
import { readSettings, type SettingsListener } from './http2-settings.js'
import { framePayload } from './payload.js'
import type { Http2Streams } from './streams.js'
import { INITIAL_WINDOW_OCTETS, type ReceiveWindow } from './window.js'

export interface FrameHandlerOptions {
  readonly streams: Http2Streams
  readonly outbox: FrameWriter
  readonly window: ReceiveWindow
  readonly settings: SettingsListener
  onPingAck(): void
  onGoAway(lastStreamId: number, code: number): void
}

const NOTHING = Buffer.alloc(0)

export function createFrameHandler(options: FrameHandlerOptions): (frame: Http2Frame) => void {
  const { streams, outbox, window } = options
  const headers = createHeaderBlockAssembler(streams)
  let hasSettings = false
  /** What the server lets us send; a question has no body, so we only watch it. */
  let sendingWindow = INITIAL_WINDOW_OCTETS

  const takers: Record<number, (frame: Http2Frame) => void> = {
    [FRAME_TYPE.DATA](frame) {
      const size = frame.end - frame.start
      window.consume(size)
      const exchange = streams.find(frame.streamId)
      const { start, end } = framePayload(frame)
      if (!exchange) return
      if (!exchange.consumeWindow(size)) {
        throw new Http2ConnectionError(
          ERROR_CODE.FLOW_CONTROL_ERROR,
          'a stream has outgrown its window',
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

    [FRAME_TYPE.HEADERS]: headers.begin,

    [FRAME_TYPE.CONTINUATION]: headers.goOn,

    [FRAME_TYPE.PRIORITY](frame) {
      expectSize(frame, 5)
      expectStream(frame, true)
    },

    [FRAME_TYPE.RST_STREAM](frame) {
      expectSize(frame, 4)
      const exchange = streams.find(frame.streamId)
      if (!exchange) return
      streams.finish(exchange)
      const code = frame.bytes.readUInt32BE(frame.start)
      exchange.settle(unreachableResult(`the stream was closed (code ${code})`))
    },

    [FRAME_TYPE.SETTINGS](frame) {
      expectStream(frame, false)
      if (frame.flags & FRAME_FLAG.ACK) {
        expectSize(frame, 0)
        return
      }
      readSettings(frame, options.settings, !hasSettings)
      hasSettings = true
      outbox.writeAck(FRAME_TYPE.SETTINGS, NOTHING)
    },

    [FRAME_TYPE.PUSH_PROMISE]() {
      throw new Http2ConnectionError(
        ERROR_CODE.PROTOCOL_ERROR,
        'something is pushed that nobody asked for',
      )
    },

    [FRAME_TYPE.PING](frame) {
      expectStream(frame, false)
      expectSize(frame, 8)
      if (frame.flags & FRAME_FLAG.ACK) options.onPingAck()
      else outbox.writeAck(FRAME_TYPE.PING, frame.bytes.subarray(frame.start, frame.end))
    },

    [FRAME_TYPE.GOAWAY](frame) {
      expectStream(frame, false)
      if (frame.end - frame.start < 8) expectSize(frame, 8)
      const lastStreamId = frame.bytes.readUInt32BE(frame.start) & MAX_UINT31
      options.onGoAway(lastStreamId, frame.bytes.readUInt32BE(frame.start + 4))
    },

    [FRAME_TYPE.WINDOW_UPDATE](frame) {
      expectSize(frame, 4)
      const increment = frame.bytes.readUInt32BE(frame.start) & MAX_UINT31
      if (increment === 0)
        throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'a window grows by nothing')
      if (frame.streamId !== 0) streams.find(frame.streamId)
      else sendingWindow += increment
      if (sendingWindow > MAX_UINT31) {
        throw new Http2ConnectionError(
          ERROR_CODE.FLOW_CONTROL_ERROR,
          'a window grows beyond all bounds',
        )
      }
    },
  }

  return (frame) => {
    const isSettings = frame.type === FRAME_TYPE.SETTINGS && !(frame.flags & FRAME_FLAG.ACK)
    if (!hasSettings && !isSettings) {
      throw new Http2ConnectionError(
        ERROR_CODE.PROTOCOL_ERROR,
        'the server does not begin with its settings',
      )
    }
    if (headers.expectsMore() && frame.type !== FRAME_TYPE.CONTINUATION) {
      throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'a header block is interrupted')
    }
    // What we do not know we must not mind (RFC 9113 §4.1).
    takers[frame.type]?.(frame)
  }
}

function expectSize({ start, end }: Http2Frame, octets: number): void {
  if (end - start === octets) return
  throw new Http2ConnectionError(ERROR_CODE.FRAME_SIZE_ERROR, 'a frame has a size it must not have')
}

function expectStream({ streamId }: Http2Frame, isOnStream: boolean): void {
  if ((streamId !== 0) === isOnStream) return
  throw new Http2ConnectionError(
    ERROR_CODE.PROTOCOL_ERROR,
    'a frame is on a stream it must not be on',
  )
}
