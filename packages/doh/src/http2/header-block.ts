/** Joins the frames of a header block (RFC 9113 §4.3). */
import { framePayload, type Http2Frame } from './http2-frames.js'
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  Http2ConnectionError,
  MAX_HEADER_LIST_OCTETS,
} from './http2-protocol.js'

/** Gets each complete block: it is in `bytes` between `start` and `end`. */
export type OnHeaderBlock = (
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

export function createHeaderBlockAssembler(onBlock: OnHeaderBlock) {
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
