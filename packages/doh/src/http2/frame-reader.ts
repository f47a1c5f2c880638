/** Splits received bytes into frames (RFC 9113 §4.1). */
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  FRAME_TYPE,
  Http2ConnectionError,
  MAX_FRAME_OCTETS,
  MAX_UINT31,
} from './http2-protocol.js'

const EMPTY: Buffer = Buffer.alloc(0)
const PRIORITY_OCTETS = 5

/** A frame and where its payload is in `bytes`. One object is reused for every frame. */
export interface Http2Frame {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

/** Returns a function that takes the next bytes and calls `onFrame` for each complete frame. */
export function createFrameReader(onFrame: (frame: Http2Frame) => void): (chunk: Buffer) => void {
  const frame = { type: 0, flags: 0, streamId: 0, bytes: EMPTY, start: 0, end: 0 }
  let rest = EMPTY

  return (chunk) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let offset = 0
    while (offset + FRAME_HEADER_OCTETS <= bytes.length) {
      const start = offset + FRAME_HEADER_OCTETS
      const end = start + bytes.readUIntBE(offset, 3)
      if (end - start > MAX_FRAME_OCTETS) {
        throw new Http2ConnectionError(ERROR_CODE.FRAME_SIZE_ERROR, 'a frame is too large')
      }
      if (end > bytes.length) break
      frame.type = bytes[offset + 3] as number
      frame.flags = bytes[offset + 4] as number
      // The top bit is reserved.
      frame.streamId = bytes.readUInt32BE(offset + 5) & MAX_UINT31
      frame.bytes = bytes
      frame.start = start
      frame.end = end
      onFrame(frame)
      offset = end
    }
    frame.bytes = EMPTY
    rest = offset < bytes.length ? bytes.subarray(offset) : EMPTY
  }
}

/** The payload of DATA or HEADERS without padding and priority (RFC 9113 §6.1, §6.2). */
export function framePayload(frame: Http2Frame): { readonly start: number; readonly end: number } {
  const { type, flags, bytes } = frame
  let { start, end } = frame
  if (flags & FRAME_FLAG.PADDED && start < end) end -= bytes.readUInt8(start)
  if (flags & FRAME_FLAG.PADDED) start++
  if (type === FRAME_TYPE.HEADERS && flags & FRAME_FLAG.PRIORITY) start += PRIORITY_OCTETS
  if (start <= end) return { start, end }
  throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'the padding is longer than its frame')
}
