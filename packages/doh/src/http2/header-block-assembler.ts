/** Puts header blocks together from the frames they come in (RFC 9113 §4.3), and reads them. */
import { unreachableResult } from '../doh-connection.js'
import type { Http2Frame } from './frame-reader.js'
import {
  createHpackDecoder,
  type HeaderFieldSink,
  MAX_HEADER_LIST_OCTETS,
} from './hpack-decoder.js'
import type { Http2Exchange } from './http2-exchange.js'
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  Http2ConnectionError,
} from './http2-protocol.js'
import { framePayload } from './payload.js'
import type { Http2Streams } from './streams.js'

/** Every block has to be read, since later ones build on it, but not every one matters. */
const NOBODY: HeaderFieldSink = { onField: () => {} }

interface Begun {
  readonly streamId: number
  readonly isLast: boolean
  readonly parts: Buffer[]
  size: number
}

export function createHeaderBlockAssembler(streams: Http2Streams) {
  const decoder = createHpackDecoder()
  let begun: Begun | null = null

  function read(streamId: number, isLast: boolean, bytes: Buffer, start: number, end: number) {
    const exchange = streams.find(streamId)
    const isTrailer = exchange?.hasResponseHeader ?? false
    decoder.decode(bytes, start, end, exchange && !isTrailer ? exchange : NOBODY)
    if (exchange) judge(exchange, isTrailer, isLast)
  }

  /** A trailer ends the response, and what is neither that nor a header is malformed (§8.1.1). */
  function judge(exchange: Http2Exchange, isTrailer: boolean, isLast: boolean): void {
    if (isLast) {
      streams.finish(exchange)
      exchange.finish()
    } else if (isTrailer || !exchange.isHeaderValid) {
      streams.reset(exchange, ERROR_CODE.PROTOCOL_ERROR)
      exchange.settle(unreachableResult('the resolver sent a response without a status'))
    }
  }

  /** Frames without any content must not go on for ever either. */
  function keep(block: Begun, part: Buffer): void {
    // A copy, lest a few octets keep alive all that came with them.
    block.parts.push(Buffer.from(part))
    block.size += part.length + FRAME_HEADER_OCTETS
    if (block.size > MAX_HEADER_LIST_OCTETS) {
      throw new Http2ConnectionError(ERROR_CODE.ENHANCE_YOUR_CALM, 'a header block does not end')
    }
  }

  return {
    /** While a block is incomplete, nothing else may come. */
    expectsMore: (): boolean => begun !== null,
    begin(frame: Http2Frame): void {
      const { streamId, flags, bytes } = frame
      const { start, end } = framePayload(frame)
      const isLast = (flags & FRAME_FLAG.END_STREAM) !== 0
      if (flags & FRAME_FLAG.END_HEADERS) {
        read(streamId, isLast, bytes, start, end)
        return
      }
      begun = { streamId, isLast, parts: [], size: 0 }
      keep(begun, bytes.subarray(start, end))
    },
    goOn({ streamId, flags, bytes, start, end }: Http2Frame): void {
      const block = begun
      if (block?.streamId !== streamId) {
        throw new Http2ConnectionError(
          ERROR_CODE.PROTOCOL_ERROR,
          'a header block goes on that never began',
        )
      }
      keep(block, bytes.subarray(start, end))
      if (!(flags & FRAME_FLAG.END_HEADERS)) return
      begun = null
      const whole = Buffer.concat(block.parts)
      read(streamId, block.isLast, whole, 0, whole.length)
    },
  }
}
