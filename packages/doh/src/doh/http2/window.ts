/** How much the server may send over the whole connection before it is told to go on (RFC 9113 §6.9). */
import type { Outbox } from './outbox.js'
import { FRAME } from './protocol.js'

export const FIRST_WINDOW = 65_535
/** Enough for 256 of the largest answers at once. */
const WINDOW = 256 * 65_536

export interface ReceivingWindow {
  /** Makes it as large as we want it. */
  open(): void
  /** Counts what has come. Nothing waits to be read, so there is room again long before it is full. */
  use(octets: number): void
}

export function createReceivingWindow(outbox: Outbox): ReceivingWindow {
  let left = FIRST_WINDOW

  function refill(): void {
    const increment = WINDOW - left
    left = WINDOW
    outbox.frame(FRAME.WINDOW_UPDATE, 0, 0, 4, (target, start) =>
      target.writeUInt32BE(increment, start),
    )
  }

  return {
    open: refill,
    use(octets) {
      left -= octets
      if (left < WINDOW / 2) refill()
    },
  }
}
