/**
 * A sliding log in memory: the times of each caller's accepted requests. Fixed windows or a token
 * bucket would allow nearly twice the limit in some 60 seconds.
 *
 * Memory is bounded with two generations. A caller that makes a request moves to the recent one.
 * When that is full or a window old, it becomes the previous one, and the old previous one is
 * dropped. Normally nothing is dropped that still counts. During a flood a caller may get a second
 * budget, but only if it is silent while 50,000 others make requests. Rejecting new callers instead
 * would let a flood shut out everyone else.
 */

/** The rate limiter port, in memory or on Redis. */
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

const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1_000

export interface MemoryRateLimiterOptions {
  readonly limit: number
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** 100,000 callers take about 20 MB, or 50 MB if each has used up a limit of 30. */
  readonly maxCallers?: number
  /**
   * Matters for high limits only, where the number of callers says little about memory. At least
   * six times the limit, or one caller's requests would fill a generation too early.
   */
  readonly maxRequests?: number
}

export interface MemoryRateLimiter extends RateLimiter {
  consume(caller: string): RateLimitResult
  /** Whether one more request would be accepted now. Counts nothing. */
  peek(caller: string): RateLimitResult
  /** Counts a request that was accepted at this time, here or by another instance. */
  record(caller: string, time: number): void
  /** What is in memory now. */
  entryCounts(): { callers: number; requests: number }
}

/** The times of one caller's accepted requests, in order; those before `first` have expired. */
interface Log {
  times: number[]
  first: number
}

const EMPTY_LOG: Log = { times: [], first: 0 }

interface Generation {
  readonly since: number
  readonly logs: Map<string, Log>
  /** An upper bound for the requests in its logs. */
  requests: number
}

export function createMemoryRateLimiter(options: MemoryRateLimiterOptions): MemoryRateLimiter {
  const { limit, now, maxCallers = 100_000, maxRequests = 6_000_000 } = options
  let recent = createGeneration(now())
  let previous = createGeneration(now())

  function isFull({ since, logs, requests }: Generation, time: number): boolean {
    if (time - since >= WINDOW_MS || logs.size >= maxCallers / 2) return true
    // A caller from the previous generation may bring a full log.
    return requests + limit > maxRequests / 2
  }

  function touchLog(caller: string, time: number): Log {
    if (isFull(recent, time)) {
      previous = recent
      recent = createGeneration(time)
    }
    const known = recent.logs.get(caller)
    if (known) return known
    const { times, first } = previous.logs.get(caller) ?? EMPTY_LOG
    const log = { times: times.slice(first), first: 0 }
    previous.logs.delete(caller)
    recent.logs.set(caller, log)
    recent.requests += log.times.length
    return log
  }

  function evaluate(log: Log, time: number): RateLimitResult {
    dropExpired(log, time)
    const age = time - (log.times[log.first] ?? time)
    const remaining = Math.max(limit - (log.times.length - log.first), 0)
    return {
      isAllowed: remaining > 0,
      remaining,
      resetSeconds: Math.ceil((WINDOW_MS - age) / 1_000),
    }
  }

  function count(log: Log, time: number): void {
    insert(log, time)
    recent.requests++
  }

  return {
    limit,
    windowSeconds: WINDOW_SECONDS,
    peek(caller) {
      const time = now()
      return evaluate(touchLog(caller, time), time)
    },
    record: (caller, time) => count(touchLog(caller, now()), time),
    consume(caller) {
      const time = now()
      const log = touchLog(caller, time)
      const result = evaluate(log, time)
      if (!result.isAllowed) return result
      count(log, time)
      return { ...result, remaining: result.remaining - 1 }
    },
    entryCounts() {
      const logs = [...recent.logs.values(), ...previous.logs.values()]
      const requests = logs.reduce((sum, { times }) => sum + times.length, 0)
      return { callers: logs.length, requests }
    },
  }
}

function createGeneration(since: number): Generation {
  return { since, logs: new Map(), requests: 0 }
}

/** Copies the rest only if it is the smaller part, so a long log is not copied each time. */
function dropExpired(log: Log, time: number): void {
  const { times } = log
  while (log.first < times.length && time - (times[log.first] ?? 0) >= WINDOW_MS) log.first++
  if (log.first === 0 || log.first * 2 < times.length) return
  log.times = times.slice(log.first)
  log.first = 0
}

/** Keeps the order even if a reply from the store arrives late. */
function insert(log: Log, time: number): void {
  // Most callers make one request; a push would allocate room for 16 more.
  if (log.times.length === 0) log.times = [time]
  else if ((log.times.at(-1) ?? 0) <= time) log.times.push(time)
  else
    log.times.splice(Math.max(log.times.findLastIndex((at) => at <= time) + 1, log.first), 0, time)
}
