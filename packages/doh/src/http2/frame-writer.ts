/** Gathers the frames of one turn of the event loop and sends them in one write. */
import type { Socket } from 'node:net'
import {
  ERROR_CODE,
  FRAME_FLAG,
  FRAME_HEADER_OCTETS,
  Http2ConnectionError,
} from './http2-protocol.js'

const BLOCK_OCTETS = 16_384
/** Replies that a server makes us write but does not read; an honest one is owed a few. */
const MAX_REPLIES_OWED = 1_000

export interface FrameWriter {
  /**
   * Sends a frame whose payload has at most `room` octets. `write` is given where to put it, and
   * returns where it ends.
   */
  writeFrame(
    type: number,
    flags: number,
    streamId: number,
    room: number,
    write: (target: Buffer, start: number) => number,
  ): void
  /** Sends a frame about the whole connection. */
  writeConnectionFrame(type: number, payload: Buffer, flags?: number): void
  /** The same for one that the server has provoked. */
  writeAck(type: number, payload: Buffer): void
  /** Sends what has been gathered now. */
  flush(): void
}

export function createFrameWriter(socket: Socket): FrameWriter {
  let block = Buffer.allocUnsafe(BLOCK_OCTETS)
  let sentUpTo = 0
  let end = 0
  let isScheduled = false
  let gatheredReplies = 0
  let repliesOwed = 0

  /** Bytes that are with the socket stay untouched: writing goes on behind them, or elsewhere. */
  function makeRoom(octets: number): void {
    if (end + octets <= block.length) return
    const gathered = block.subarray(sentUpTo, end)
    block = Buffer.allocUnsafe(Math.max(BLOCK_OCTETS, 2 * (gathered.length + octets)))
    end = gathered.copy(block)
    sentUpTo = 0
  }

  function flush(): void {
    isScheduled = false
    if (end === sentUpTo || socket.destroyed) return
    const chunk = block.subarray(sentUpTo, end)
    sentUpTo = end
    if (gatheredReplies === 0) {
      socket.write(chunk)
      return
    }
    const replies = gatheredReplies
    gatheredReplies = 0
    socket.write(chunk, () => {
      repliesOwed -= replies
    })
  }

  const frame: FrameWriter['writeFrame'] = (type, flags, streamId, room, write) => {
    makeRoom(FRAME_HEADER_OCTETS + room)
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

  const plain: FrameWriter['writeConnectionFrame'] = (type, payload, flags = 0) =>
    frame(type, flags, 0, payload.length, (target, start) => start + payload.copy(target, start))

  return {
    writeFrame: frame,
    writeConnectionFrame: plain,
    flush,
    writeAck(type, payload) {
      gatheredReplies++
      if (++repliesOwed > MAX_REPLIES_OWED) {
        throw new Http2ConnectionError(
          ERROR_CODE.ENHANCE_YOUR_CALM,
          'more replies are asked for than read',
        )
      }
      plain(type, payload, FRAME_FLAG.ACK)
    },
  }
}
