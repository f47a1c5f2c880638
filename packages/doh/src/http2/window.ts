/** How much the server may send over the whole connection before it is told to go on (RFC 9113 §6.9). */
import type { FrameWriter } from './frame-writer.js'
import { FRAME_TYPE } from './http2-protocol.js'

export const INITIAL_WINDOW_OCTETS = 65_535
/** Enough for 256 of the largest answers at once. */
const WINDOW = 256 * 65_536

export interface ReceiveWindow {
  /** Makes it as large as we want it. */
  enlarge(): void
  /** Counts what has come. Nothing waits to be read, so there is room again long before it is full. */
  consume(octets: number): void
}

export function createReceiveWindow(outbox: FrameWriter): ReceiveWindow {
  let left = INITIAL_WINDOW_OCTETS

  function refill(): void {
    const increment = WINDOW - left
    left = WINDOW
    outbox.writeFrame(FRAME_TYPE.WINDOW_UPDATE, 0, 0, 4, (target, start) =>
      target.writeUInt32BE(increment, start),
    )
  }

  return {
    enlarge: refill,
    consume(octets) {
      left -= octets
      if (left < WINDOW / 2) refill()
    },
  }
}
