/**
 * Decides whether a resolver may be queried.
 *
 * After several failures in a row it gets a probe, a query of our own. Callers' queries cannot
 * decide this: anyone can query a domain whose name servers never answer.
 */

export interface CircuitBreakerOptions {
  /** Must not reject. */
  readonly probe: () => Promise<boolean>
  /** Monotonic milliseconds. */
  readonly now: () => number
}

const FAILURES_TO_OPEN = 5
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

export function createCircuitBreaker({ probe, now }: CircuitBreakerOptions) {
  let failures = 0
  let pauseMs = FIRST_PAUSE_MS
  let probeDueAt = 0
  let pausedUntil = 0
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
    /** True when the resolver may be queried; otherwise starts a probe if one is due. */
    checkAvailable(): boolean {
      // Every query calls this, so the clock is read only when needed.
      if (pausedUntil > 0 && now() < pausedUntil) return false
      if (failures < FAILURES_TO_OPEN) return true
      if (!probing && now() >= probeDueAt) startProbe()
      return false
    },
    /** Whether the resolver is out of use; starts no probe. */
    isPaused: () => now() < pausedUntil || failures >= FAILURES_TO_OPEN,
    recordSuccess: close,
    recordFailure(): void {
      failures++
      // A resolver that sent 429 gets no probe before its pause is over.
      const isInPause = now() < pausedUntil
      if (failures === FAILURES_TO_OPEN && !probing && !isInPause) startProbe()
    },
    /** The resolver sent Retry-After. */
    pauseFor(ms: number): void {
      pausedUntil = Math.max(pausedUntil, now() + ms)
    },
    /** The probe under way, if any; resolves to whether the resolver is back. */
    pendingProbe: () => probing,
  }
}
