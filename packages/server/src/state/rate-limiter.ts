/** How often a caller may ask: the port behind which the counting is done. */

export interface RateLimiter {
  /** A caller has at most this many accepted requests … */
  readonly limit: number
  /** … in any span of this length, wherever it begins. */
  readonly windowSeconds: number
  /**
   * Counts a request of this caller, or refuses it; a refused one costs nothing. Never rejects: what
   * becomes of callers when a store fails is for its limiter to decide, not for every surface.
   */
  consume(caller: string): RateLimitResult | Promise<RateLimitResult>
}

export interface RateLimitResult {
  readonly isAllowed: boolean
  /** How many more would be accepted now. */
  readonly remaining: number
  /**
   * Whole seconds, rounded up, until one more is accepted than now, because the oldest that counts
   * leaves the window. Whoever was refused and waits this long is accepted.
   */
  readonly resetSeconds: number
}
