/**
 * Limits concurrency fairly. When all permits are taken, callers wait for a short while and get
 * permits in turn, so a caller with many requests delays itself first. When the queue is full, the
 * newest waiter of the longest queue is dropped (the idea of fair queuing, RFC 8290 §4.2.1).
 */

export interface FairSemaphoreOptions {
  readonly permits: number
  /** Permits that one caller can hold, all by default. Its other requests wait for them. */
  readonly maxPerCaller?: number
  /** For all callers together. */
  readonly maxWaiting: number
  readonly maxWaitMs: number
}

export interface FairSemaphore {
  /** Resolves to a function that releases the permit, or to null: timed out, dropped or aborted. */
  acquire(caller: string, signal?: AbortSignal): Promise<ReleasePermit | null>
  running(): number
  waiting(): number
}

export type ReleasePermit = () => void

type Waiter = (release: ReleasePermit | null) => void

export function createFairSemaphore({
  permits,
  maxPerCaller = permits,
  maxWaiting,
  maxWaitMs,
}: FairSemaphoreOptions): FairSemaphore {
  /** By caller; the next in turn comes first. */
  const queues = new Map<string, Waiter[]>()
  const runningByCaller = new Map<string, number>()
  let running = 0
  let waiting = 0

  function count(caller: string, change: 1 | -1): void {
    running += change
    const own = (runningByCaller.get(caller) ?? 0) + change
    if (own === 0) runningByCaller.delete(caller)
    else runningByCaller.set(caller, own)
  }

  /** A second release has no effect. */
  function grant(caller: string): ReleasePermit {
    count(caller, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      count(caller, -1)
      grantNext()
    }
  }

  const mayHoldMore = (caller: string) => (runningByCaller.get(caller) ?? 0) < maxPerCaller

  function nextInTurn(): string | undefined {
    for (const caller of queues.keys()) if (mayHoldMore(caller)) return caller
    return undefined
  }

  function grantNext(): void {
    if (running >= permits) return
    const caller = nextInTurn()
    const queue = queues.get(caller ?? '')
    const [waiter] = queue ?? []
    if (caller === undefined || !queue || !waiter) return
    removeWaiter(caller, waiter)
    // The caller's other requests wait behind all other callers.
    if (queues.delete(caller) && queue.length > 0) queues.set(caller, queue)
    waiter(grant(caller))
  }

  function removeWaiter(caller: string, waiter: Waiter): void {
    const queue = queues.get(caller) ?? []
    queue.splice(queue.indexOf(waiter), 1)
    waiting--
    if (queue.length === 0) queues.delete(caller)
  }

  /** Returns false if this caller's own queue is the longest. */
  function evictFromLongestQueue(caller: string): boolean {
    if (waiting < maxWaiting) return true
    const own = queues.get(caller)?.length ?? 0
    let longest = { owner: caller, length: own + 1 }
    for (const [owner, { length }] of queues) {
      if (length > longest.length) longest = { owner, length }
    }
    const last = longest.owner === caller ? undefined : queues.get(longest.owner)?.at(-1)
    if (!last) return false
    removeWaiter(longest.owner, last)
    last(null)
    return true
  }

  function wait(caller: string, signal: AbortSignal | undefined): Promise<ReleasePermit | null> {
    return new Promise((resolve) => {
      const waiter: Waiter = (release) => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        resolve(release)
      }
      const giveUp = () => {
        removeWaiter(caller, waiter)
        waiter(null)
      }
      const timer = setTimeout(giveUp, maxWaitMs)
      signal?.addEventListener('abort', giveUp)
      const queue = queues.get(caller)
      if (queue) queue.push(waiter)
      else queues.set(caller, [waiter])
      waiting++
    })
  }

  return {
    async acquire(caller, signal) {
      if (running < permits && mayHoldMore(caller)) return grant(caller)
      if (signal?.aborted || !evictFromLongestQueue(caller)) return null
      return wait(caller, signal)
    },
    running: () => running,
    waiting: () => waiting,
  }
}
