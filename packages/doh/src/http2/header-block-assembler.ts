/** Joins the frames of a header block (RFC 9113 §4.3) and decodes it. */
import { unreachableResult } from '../doh-connection.js'
import { createHpackDecoder, type HeaderFieldSink } from './hpack-decoder.js'
import { framePayload, type Http2Frame } from './http2-frames.js'
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  Http2ConnectionError,
  MAX_HEADER_LIST_OCTETS,
} from './http2-protocol.js'
import type { Http2Exchange, Http2Streams } from './streams.js'

/** Every block must be decoded, because it changes the table, even if its stream is over. */
const DISCARD: HeaderFieldSink = { onField: () => {} }

interface OpenBlock {
  readonly streamId: number
  readonly isEndOfStream: boolean
  readonly parts: Buffer[]
  size: number
}

export function createHeaderBlockAssembler(streams: Http2Streams) {
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
