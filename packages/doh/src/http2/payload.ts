/** What a frame carries, without the padding and the priority it may be wrapped in (RFC 9113 §6.1, §6.2). */
import type { Http2Frame } from './frame-reader.js'
import { ERROR_CODE, FRAME_FLAG, FRAME_TYPE, Http2ConnectionError } from './http2-protocol.js'

const PRIORITY_OCTETS = 5

export function framePayload(frame: Http2Frame): { readonly start: number; readonly end: number } {
  const { type, flags, bytes } = frame
  let { start, end } = frame
  if (flags & FRAME_FLAG.PADDED && start < end) end -= bytes.readUInt8(start)
  if (flags & FRAME_FLAG.PADDED) start++
  if (type === FRAME_TYPE.HEADERS && flags & FRAME_FLAG.PRIORITY) start += PRIORITY_OCTETS
  if (start <= end) return { start, end }
  throw new Http2ConnectionError(
    ERROR_CODE.PROTOCOL_ERROR,
    'a frame is filled with padding beyond its end',
  )
}
