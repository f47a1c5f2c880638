/**
 * Decides whether a resolver is worth asking.
 *
 * After several failures in a row it is asked a question of our own before any caller's: a probe.
 * Callers' questions would prove nothing, since anyone can ask about a domain that never answers.
 */

export interface CircuitBreaker {
  /** True when the resolver may be asked; otherwise starts a probe if one is due. */
  checkAvailable(): boolean
  /** The same, without doing anything about it. */
  isPaused(): boolean
  recordSuccess(): void
  recordFailure(): void
  /** The resolver asked to be left alone for a while. */
  pauseFor(ms: number): void
  /** The probe under way, if any; resolves to whether the resolver is back. */
  pendingProbe(): Promise<boolean> | null
}

export interface CircuitBreakerOptions {
  readonly probe: () => Promise<boolean>
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const FAILURES_TO_OPEN = 5
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

export function createCircuitBreaker({ probe, now }: CircuitBreakerOptions): CircuitBreaker {
  let failures = 0
  let pauseMs = FIRST_PAUSE_MS
  let probeDueAt = 0
  let restsUntil = 0
  let probing: Promise<boolean> | null = null

  function close(): void {
    failures = 0
    pauseMs = FIRST_PAUSE_MS
  }

  function startProbe(): void {
    probing = probe().then((isAlive) => {
      probing = null
      if (isAlive) close()
      else {
        probeDueAt = now() + pauseMs
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
      }
      return isAlive
    })
  }

  return {
    checkAvailable() {
      // Every question asks, so the clock is looked at only where it matters.
      if (restsUntil > 0 && now() < restsUntil) return false
      if (failures < FAILURES_TO_OPEN) return true
      if (!probing && now() >= probeDueAt) startProbe()
      return false
    },
    isPaused: () => now() < restsUntil || failures >= FAILURES_TO_OPEN,
    recordSuccess: close,
    recordFailure() {
      failures++
      // Several answers of "too many requests" at once must not be met with one more.
      const isResting = now() < restsUntil
      if (failures === FAILURES_TO_OPEN && !probing && !isResting) startProbe()
    },
    pauseFor(ms) {
      restsUntil = Math.max(restsUntil, now() + ms)
    },
    pendingProbe: () => probing,
  }
}
