/** The rate limiter port. */

export interface RateLimiter {
  /** A caller may make this many requests … */
  readonly limit: number
  /** … in any window of this length, wherever it begins. */
  readonly windowSeconds: number
  /**
   * Counts a request of this caller or rejects it; rejected requests are not counted. Never rejects
   * its promise: each limiter decides what happens when its store fails.
   */
  consume(caller: string): RateLimitResult | Promise<RateLimitResult>
}

export interface RateLimitResult {
  readonly isAllowed: boolean
  /** How many more requests would be accepted now. */
  readonly remaining: number
  /**
   * Whole seconds, rounded up, until the oldest request leaves the window and one more is accepted.
   * A rejected caller that waits this long is accepted.
   */
  readonly resetSeconds: number
}
