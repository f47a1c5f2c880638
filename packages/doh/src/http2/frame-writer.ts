/** Collects the frames of one turn of the event loop and sends them in one write. */
import type { Socket } from 'node:net'
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  Http2ConnectionError,
} from './http2-protocol.js'

const BLOCK_OCTETS = 16_384
/** Acknowledgements that the server requested but has not read yet. */
const MAX_UNREAD_ACKS = 1_000

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
  /** Acknowledges a frame. Throws when the server does not read its acknowledgements. */
  writeAck(type: number, payload: Buffer): void
  /** Sends the collected frames at once. */
  flush(): void
}

export function createFrameWriter(socket: Socket): FrameWriter {
  let block = Buffer.allocUnsafe(BLOCK_OCTETS)
  let sentUpTo = 0
  let end = 0
  let isScheduled = false
  let collectedAcks = 0
  let unreadAcks = 0

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
    if (end === sentUpTo || socket.destroyed) return
    const chunk = block.subarray(sentUpTo, end)
    sentUpTo = end
    if (collectedAcks === 0) {
      socket.write(chunk)
      return
    }
    const acks = collectedAcks
    collectedAcks = 0
    socket.write(chunk, () => {
      unreadAcks -= acks
    })
  }

  const writeFrame: FrameWriter['writeFrame'] = (type, flags, streamId, maxOctets, write) => {
    makeRoom(FRAME_HEADER_OCTETS + maxOctets)
    const start = end + FRAME_HEADER_OCTETS
    const frameEnd = write(block, start)
    block.writeUIntBE(frameEnd - start, end, 3)
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

  return {
    writeFrame,
    writeConnectionFrame,
    flush,
    writeAck(type, payload) {
      collectedAcks++
      if (++unreadAcks > MAX_UNREAD_ACKS) {
        throw new Http2ConnectionError(
          ERROR_CODE.ENHANCE_YOUR_CALM,
          'the server requests acknowledgements without reading them',
        )
      }
      writeConnectionFrame(type, payload, FRAME_FLAG.ACK)
    },
  }
}
