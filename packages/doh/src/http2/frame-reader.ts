/** Cuts what arrives into frames (RFC 9113 §4.1), however the network has cut it. */
import {
  ERROR_CODE,
  FRAME_HEADER_OCTETS,
  Http2ConnectionError,
  MAX_FRAME_OCTETS,
  MAX_UINT31,
} from './http2-protocol.js'

const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Where a frame's payload lies in `bytes`: most are read in place, without a buffer of their own.
 * It holds until the next frame: there is one object for all of them.
 */
export interface Http2Frame {
  readonly type: number
  readonly flags: number
  readonly streamId: number
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

/** Returns a function that takes the next bytes and hands on each frame that is whole with them. */
export function createFrameReader(onFrame: (frame: Http2Frame) => void): (chunk: Buffer) => void {
  const frame = { type: 0, flags: 0, streamId: 0, bytes: NOTHING, start: 0, end: 0 }
  let rest = NOTHING

  return (chunk) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let offset = 0
    while (offset + FRAME_HEADER_OCTETS <= bytes.length) {
      const start = offset + FRAME_HEADER_OCTETS
      const end = start + bytes.readUIntBE(offset, 3)
      if (end - start > MAX_FRAME_OCTETS) {
        throw new Http2ConnectionError(
          ERROR_CODE.FRAME_SIZE_ERROR,
          'a frame is larger than we allow',
        )
      }
      if (end > bytes.length) break
      frame.type = bytes[offset + 3] as number
      frame.flags = bytes[offset + 4] as number
      // The top bit is reserved and means nothing.
      frame.streamId = bytes.readUInt32BE(offset + 5) & MAX_UINT31
      frame.bytes = bytes
      frame.start = start
      frame.end = end
      onFrame(frame)
      offset = end
    }
    frame.bytes = NOTHING
    rest = offset < bytes.length ? bytes.subarray(offset) : NOTHING
  }
}
