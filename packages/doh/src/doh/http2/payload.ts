/** What a frame carries, without the padding and the priority it may be wrapped in (RFC 9113 §6.1, §6.2). */
import type { Frame } from './frame-reader.js'
import { CODE, FLAG, FRAME, ProtocolError } from './protocol.js'

const PRIORITY_OCTETS = 5

export function payloadOf(frame: Frame): { readonly start: number; readonly end: number } {
  const { type, flags, bytes } = frame
  let { start, end } = frame
  if (flags & FLAG.PADDED && start < end) end -= bytes.readUInt8(start)
  if (flags & FLAG.PADDED) start++
  if (type === FRAME.HEADERS && flags & FLAG.PRIORITY) start += PRIORITY_OCTETS
  if (start <= end) return { start, end }
  throw new ProtocolError(CODE.PROTOCOL_ERROR, 'a frame is filled with padding beyond its end')
}
