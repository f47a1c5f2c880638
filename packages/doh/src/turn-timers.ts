/**
 * Timers for many waiters: those that start to wait in the same turn of the event loop share one.
 * Nothing is lost by that, because Node starts all timers of a turn at the same time.
 */

export interface Expiring {
  /** The time is over. Also called for a waiter that was removed. */
  onExpiry(): void
}

/** The waiters of one timer. */
export interface TimerGroup {
  /** One waiter waits no longer. */
  remove(): void
}

export interface TurnTimers {
  /** Starts to wait. */
  add(waiter: Expiring): TimerGroup
}

export function createTurnTimers(ms: number): TurnTimers {
  let current: SharedTimer | null = null

  function close(timer: SharedTimer): void {
    if (current === timer) current = null
  }

  function open(): SharedTimer {
    const timer = new SharedTimer(ms, close)
    setImmediate(close, timer)
    current = timer
    return timer
  }

  return {
    add(waiter) {
      const timer = current ?? open()
      timer.add(waiter)
      return timer
    },
  }
}

class SharedTimer implements TimerGroup {
  readonly #waiters: Expiring[] = []
  #waiting = 0
  readonly #timeout: NodeJS.Timeout
  readonly #close: (timer: SharedTimer) => void

  constructor(ms: number, close: (timer: SharedTimer) => void) {
    this.#close = close
    this.#timeout = setTimeout(() => this.#expire(), ms)
  }

  add(waiter: Expiring): void {
    this.#waiters.push(waiter)
    this.#waiting++
  }

  remove(): void {
    this.#waiting--
    if (this.#waiting === 0) this.#stop()
  }

  #stop(): void {
    clearTimeout(this.#timeout)
    this.#close(this)
  }

  #expire(): void {
    this.#stop()
    for (const waiter of this.#waiters) waiter.onExpiry()
  }
}
