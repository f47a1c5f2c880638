/** Limits what a server may send without progress, such as empty DATA, PING or interim responses. */
import { ERROR_CODE, Http2ConnectionError } from './http2-protocol.js'

/** Enough for late answers to thousands of requests that are cancelled at once. */
const MAX_CREDIT = 10_000
/** An ordinary response needs none of it. */
const CREDIT_PER_REQUEST = 10
const OCTETS_PER_CREDIT = 1_024

/** Less than this in one frame or chunk is no progress unless it ends a response. */
export const MIN_PROGRESS_OCTETS = 64

export interface GlitchBudget {
  /** Charges a frame that brings no request closer to its end. Throws when the budget is used up. */
  spend(octets: number): void
  /** A request has ended, so what the server may send is in proportion to what we ask of it. */
  refill(): void
}

export function createGlitchBudget(): GlitchBudget {
  let credit = MAX_CREDIT
  return {
    spend(octets) {
      credit -= 1 + Math.floor(octets / OCTETS_PER_CREDIT)
      if (credit >= 0) return
      throw new Http2ConnectionError(
        ERROR_CODE.ENHANCE_YOUR_CALM,
        'the server sends too much without progress',
      )
    },
    refill() {
      credit = Math.min(credit + CREDIT_PER_REQUEST, MAX_CREDIT)
    },
  }
}
