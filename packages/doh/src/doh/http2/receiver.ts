/** Acts on every frame that a server may send (RFC 9113 §6). */
import { broken } from '../connection.js'
import type { Frame } from './frame-reader.js'
import { createHeaderBlocks } from './header-blocks.js'
import type { Outbox } from './outbox.js'
import { payloadOf } from './payload.js'
import { CODE, FLAG, FRAME, MAX_31_BITS, ProtocolError } from './protocol.js'
import { readSettings, type SettingsListener } from './settings.js'
import type { Streams } from './streams.js'
import { FIRST_WINDOW, type ReceivingWindow } from './window.js'

export interface ReceiverOptions {
  readonly streams: Streams
  readonly outbox: Outbox
  readonly window: ReceivingWindow
  readonly settings: SettingsListener
  onPong(): void
  onGoAway(lastStreamId: number, code: number): void
}

const NOTHING = Buffer.alloc(0)

export function createReceiver(options: ReceiverOptions): (frame: Frame) => void {
  const { streams, outbox, window } = options
  const headers = createHeaderBlocks(streams)
  let hasSettings = false
  /** What the server lets us send; a question has no body, so we only watch it. */
  let sendingWindow = FIRST_WINDOW

  const takers: Record<number, (frame: Frame) => void> = {
    [FRAME.DATA](frame) {
      const size = frame.end - frame.start
      window.use(size)
      const exchange = streams.find(frame.streamId)
      const { start, end } = payloadOf(frame)
      if (!exchange) return
      if (!exchange.use(size)) {
        throw new ProtocolError(CODE.FLOW_CONTROL_ERROR, 'a stream has outgrown its window')
      }
      if (!exchange.hasHeader) {
        streams.reset(exchange, CODE.PROTOCOL_ERROR)
        exchange.settle(broken('the resolver sent a body without a header'))
      } else if (end > start && !exchange.add(frame.bytes.subarray(start, end))) {
        streams.reset(exchange, CODE.CANCEL)
      } else if (frame.flags & FLAG.END_STREAM) {
        streams.finish(exchange)
        exchange.end()
      }
    },

    [FRAME.HEADERS]: headers.begin,

    [FRAME.CONTINUATION]: headers.goOn,

    [FRAME.PRIORITY](frame) {
      expectSize(frame, 5)
      expectStream(frame, true)
    },

    [FRAME.RST_STREAM](frame) {
      expectSize(frame, 4)
      const exchange = streams.find(frame.streamId)
      if (!exchange) return
      streams.finish(exchange)
      const code = frame.bytes.readUInt32BE(frame.start)
      exchange.settle(broken(`the stream was closed (code ${code})`))
    },

    [FRAME.SETTINGS](frame) {
      expectStream(frame, false)
      if (frame.flags & FLAG.ACK) {
        expectSize(frame, 0)
        return
      }
      readSettings(frame, options.settings, !hasSettings)
      hasSettings = true
      outbox.reply(FRAME.SETTINGS, NOTHING)
    },

    [FRAME.PUSH_PROMISE]() {
      throw new ProtocolError(CODE.PROTOCOL_ERROR, 'something is pushed that nobody asked for')
    },

    [FRAME.PING](frame) {
      expectStream(frame, false)
      expectSize(frame, 8)
      if (frame.flags & FLAG.ACK) options.onPong()
      else outbox.reply(FRAME.PING, frame.bytes.subarray(frame.start, frame.end))
    },

    [FRAME.GOAWAY](frame) {
      expectStream(frame, false)
      if (frame.end - frame.start < 8) expectSize(frame, 8)
      const lastStreamId = frame.bytes.readUInt32BE(frame.start) & MAX_31_BITS
      options.onGoAway(lastStreamId, frame.bytes.readUInt32BE(frame.start + 4))
    },

    [FRAME.WINDOW_UPDATE](frame) {
      expectSize(frame, 4)
      const increment = frame.bytes.readUInt32BE(frame.start) & MAX_31_BITS
      if (increment === 0) throw new ProtocolError(CODE.PROTOCOL_ERROR, 'a window grows by nothing')
      if (frame.streamId !== 0) streams.find(frame.streamId)
      else sendingWindow += increment
      if (sendingWindow > MAX_31_BITS) {
        throw new ProtocolError(CODE.FLOW_CONTROL_ERROR, 'a window grows beyond all bounds')
      }
    },
  }

  return (frame) => {
    const isSettings = frame.type === FRAME.SETTINGS && !(frame.flags & FLAG.ACK)
    if (!hasSettings && !isSettings) {
      throw new ProtocolError(CODE.PROTOCOL_ERROR, 'the server does not begin with its settings')
    }
    if (headers.expectsMore() && frame.type !== FRAME.CONTINUATION) {
      throw new ProtocolError(CODE.PROTOCOL_ERROR, 'a header block is interrupted')
    }
    // What we do not know we must not mind (RFC 9113 §4.1).
    takers[frame.type]?.(frame)
  }
}

function expectSize({ start, end }: Frame, octets: number): void {
  if (end - start === octets) return
  throw new ProtocolError(CODE.FRAME_SIZE_ERROR, 'a frame has a size it must not have')
}

function expectStream({ streamId }: Frame, isOnStream: boolean): void {
  if ((streamId !== 0) === isOnStream) return
  throw new ProtocolError(CODE.PROTOCOL_ERROR, 'a frame is on a stream it must not be on')
}
