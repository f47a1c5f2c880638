/**
 * A token bucket whose rate follows the resolver: halved at most once a second while more than 10%
 * of its answers are faults, and raised by 5% after every second without trouble.
 */

export interface AdaptiveRate {
  /** How many of `wanted` queries may be sent now. They count as sent. */
  admit(wanted: number): number
  /** Milliseconds until the next query may be sent. */
  waitMs(): number
  /** Queries per second at present. */
  perSecond(): number
  recordAnswer(): void
  recordFault(): void
  /** The resolver has refused a query because there were too many. */
  reduce(): void
}

const WINDOW_MS = 1_000
const TOLERATED_FAULTS = 0.1
const REDUCTION = 0.5
const RECOVERY = 1.05
/** A rate that every resolver accepts; going slower would not help. */
const LOWEST_RATE = 100
const LOWEST_SHARE = 0.1
/** A bucket holds what comes in this time, so a wave of queries is spread over the next second. */
const BURST_SECONDS = 0.1

/** `now` is in monotonic milliseconds; `max` may be infinite. */
export function createAdaptiveRate(max: number, now: () => number): AdaptiveRate {
  const min = Math.max(1, Math.min(max * LOWEST_SHARE, LOWEST_RATE))
  let rate = max
  let tokens = capacity()
  let filledAt = now()
  let window = { startedAt: filledAt, sent: 0, answers: 0, faults: 0 }
  let previous = { sent: 0, ms: 0 }
  let reducedAt = Number.NEGATIVE_INFINITY

  function capacity(): number {
    return Math.max(1, rate * BURST_SECONDS)
  }

  function refill(at: number): void {
    // Infinity times zero is not a number.
    if (at > filledAt) tokens = Math.min(capacity(), tokens + (rate * (at - filledAt)) / 1_000)
    filledAt = at
  }

  function endWindow(at: number): void {
    const { startedAt, sent, answers, faults } = window
    if (at - startedAt < WINDOW_MS) return
    if (faults > TOLERATED_FAULTS * (answers + faults)) reduceAt(at)
    else if (answers > 0) rate = Math.min(max, rate * RECOVERY)
    previous = { sent, ms: at - startedAt }
    window = { startedAt: at, sent: 0, answers: 0, faults: 0 }
  }

  function reduceAt(at: number): void {
    if (at - reducedAt < WINDOW_MS) return
    reducedAt = at
    const seconds = (previous.ms + at - window.startedAt) / 1_000
    const measured = (previous.sent + window.sent) / seconds
    rate = Math.max(min, Math.min(rate, measured) * REDUCTION)
    tokens = Math.min(tokens, capacity())
  }

  return {
    admit(wanted) {
      const at = now()
      endWindow(at)
      refill(at)
      const admitted = Math.min(wanted, Math.floor(tokens))
      tokens -= admitted
      window.sent += admitted
      return admitted
    },
    waitMs() {
      refill(now())
      return tokens >= 1 ? 0 : ((1 - tokens) / rate) * 1_000
    },
    perSecond: () => rate,
    recordAnswer() {
      window.answers++
    },
    recordFault() {
      window.faults++
    },
    reduce: () => reduceAt(now()),
  }
}
