/** HTTP/2 frames (RFC 9113 §4.1): splits received bytes into frames, and writes frames. */
import type { Socket } from 'node:net'
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

/**
 * Returns a function that takes the next bytes and calls `onFrame` for each complete frame. It
 * returns whether there was one.
 */
export function createFrameReader(
  onFrame: (frame: Http2Frame) => void,
): (chunk: Buffer) => boolean {
  const frame = { type: 0, flags: 0, streamId: 0, bytes: EMPTY, start: 0, end: 0 }
  let rest = EMPTY

  return (chunk) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let offset = 0
    while (offset + FRAME_HEADER_OCTETS <= bytes.length) {
      const start = offset + FRAME_HEADER_OCTETS
      const end = start + readUint24(bytes, offset)
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
    return offset > 0
  }
}

/** The payload of DATA or HEADERS without padding and priority (RFC 9113 §6.1, §6.2). */
export function framePayload(frame: Http2Frame): { readonly start: number; readonly end: number } {
  const { type, flags, bytes } = frame
  if (!(flags & (FRAME_FLAG.PADDED | FRAME_FLAG.PRIORITY))) return frame
  let { start, end } = frame
  if (flags & FRAME_FLAG.PADDED && start < end) end -= bytes.readUInt8(start)
  if (flags & FRAME_FLAG.PADDED) start++
  if (type === FRAME_TYPE.HEADERS && flags & FRAME_FLAG.PRIORITY) start += PRIORITY_OCTETS
  if (start <= end) return { start, end }
  throw new Http2ConnectionError(ERROR_CODE.PROTOCOL_ERROR, 'the padding is longer than its frame')
}

const BLOCK_OCTETS = 16_384

export interface FrameWriter {
  /** Sends a frame of at most `maxOctets` of payload; `write` writes the payload and returns its end. */
  writeFrame(
    type: number,
    flags: number,
    streamId: number,
    maxOctets: number,
    write: (target: Buffer, start: number) => number,
  ): void
  /** Sends a frame on stream 0. */
  writeConnectionFrame(type: number, payload: Buffer, flags?: number): void
  /** Sends the collected frames at once. */
  flush(): void
}

/** Collects the frames of one turn of the event loop and sends them in one write. */
export function createFrameWriter(socket: Socket): FrameWriter {
  let block = Buffer.allocUnsafe(BLOCK_OCTETS)
  let sentUpTo = 0
  let end = 0
  let isScheduled = false

  /** The socket still reads the bytes before `sentUpTo`, so they are never overwritten. */
  function makeRoom(octets: number): void {
    if (end + octets <= block.length) return
    const collected = block.subarray(sentUpTo, end)
    block = Buffer.allocUnsafe(Math.max(BLOCK_OCTETS, 2 * (collected.length + octets)))
    end = collected.copy(block)
    sentUpTo = 0
  }

  function flush(): void {
    isScheduled = false
    if (end === sentUpTo || !socket.writable) return
    socket.write(block.subarray(sentUpTo, end))
    sentUpTo = end
  }

  const writeFrame: FrameWriter['writeFrame'] = (type, flags, streamId, maxOctets, write) => {
    makeRoom(FRAME_HEADER_OCTETS + maxOctets)
    const start = end + FRAME_HEADER_OCTETS
    const frameEnd = write(block, start)
    writeUint24(frameEnd - start, block, end)
    block[end + 3] = type
    block[end + 4] = flags
    block.writeUInt32BE(streamId, end + 5)
    end = frameEnd
    if (isScheduled) return
    isScheduled = true
    setImmediate(flush)
  }

  const writeConnectionFrame: FrameWriter['writeConnectionFrame'] = (type, payload, flags = 0) =>
    writeFrame(type, flags, 0, payload.length, (target, start) => {
      return start + payload.copy(target, start)
    })

  return { writeFrame, writeConnectionFrame, flush }
}

/** Without the range checks of Buffer, which the callers have made. */
function readUint24(bytes: Buffer, offset: number): number {
  const high = bytes[offset] as number
  const middle = bytes[offset + 1] as number
  return (high << 16) | (middle << 8) | (bytes[offset + 2] as number)
}

function writeUint24(value: number, target: Buffer, offset: number): void {
  target[offset] = value >>> 16
  target[offset + 1] = value >>> 8
  target[offset + 2] = value
}
