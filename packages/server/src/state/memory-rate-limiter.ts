/**
 * Keeps the limit in memory, by the times of every caller's accepted requests. Nothing shorter will
 * do: counted by the clock's minutes, or by a bucket that refills, nearly twice the limit would fit
 * into some 60 seconds.
 *
 * Memory is bounded by forgetting in generations. A caller who asks is moved to the recent one; when
 * that is full or a window old, it becomes the previous one, and what was previous is forgotten. In
 * quiet times nothing is forgotten that still counts. In a flood of callers it comes sooner, and
 * somebody may get a second budget: but only who is silent while 50,000 others ask, and who has so
 * many addresses has as many budgets anyway. Refusing newcomers instead would let the flood shut
 * everybody else out.
 */
import type { RateLimiter, RateLimitResult } from './rate-limiter.js'

const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1_000

export interface MemoryRateLimiterOptions {
  readonly limit: number
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** 100,000 take some 20 MB, or 50 MB when each has used up a limit of 30. */
  readonly maxCallers?: number
  /**
   * Reached with high limits only, where the number of callers says little about memory. At least
   * six times the limit, or one caller's requests would fill a generation before its time.
   */
  readonly maxRequests?: number
}

export interface MemoryRateLimiter extends RateLimiter {
  consume(caller: string): RateLimitResult
  /** How this caller stands now: accepted, if one more would be. Counts nothing. */
  peek(caller: string): RateLimitResult
  /** Counts a request that came at this time and was accepted, here or elsewhere. */
  record(caller: string, time: number): void
  /** What is held in memory at present. */
  entryCounts(): { callers: number; requests: number }
}

/** The times of one caller's accepted requests, in order; those before `first` count no longer. */
interface Log {
  times: number[]
  first: number
}

const NOTHING: Log = { times: [], first: 0 }

interface Generation {
  readonly since: number
  readonly logs: Map<string, Log>
  /** At least as many as its logs hold. */
  requests: number
}

export function createMemoryRateLimiter(options: MemoryRateLimiterOptions): MemoryRateLimiter {
  const { limit, now, maxCallers = 100_000, maxRequests = 6_000_000 } = options
  let recent = createGeneration(now())
  let previous = createGeneration(now())

  function isFull({ since, logs, requests }: Generation, time: number): boolean {
    if (time - since >= WINDOW_MS || logs.size >= maxCallers / 2) return true
    // A caller from the previous generation may bring a whole log along.
    return requests + limit > maxRequests / 2
  }

  function recentLog(caller: string, time: number): Log {
    if (isFull(recent, time)) {
      previous = recent
      recent = createGeneration(time)
    }
    const known = recent.logs.get(caller)
    if (known) return known
    const { times, first } = previous.logs.get(caller) ?? NOTHING
    const log = { times: times.slice(first), first: 0 }
    previous.logs.delete(caller)
    recent.logs.set(caller, log)
    recent.requests += log.times.length
    return log
  }

  function standing(log: Log, time: number): RateLimitResult {
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
      return standing(recentLog(caller, time), time)
    },
    record: (caller, time) => count(recentLog(caller, now()), time),
    consume(caller) {
      const time = now()
      const log = recentLog(caller, time)
      const verdict = standing(log, time)
      if (!verdict.isAllowed) return verdict
      count(log, time)
      return { ...verdict, remaining: verdict.remaining - 1 }
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

/** Moves the rest up only when it is the smaller part, so that a long log is not moved each time. */
function dropExpired(log: Log, time: number): void {
  const { times } = log
  while (log.first < times.length && time - (times[log.first] ?? 0) >= WINDOW_MS) log.first++
  if (log.first === 0 || log.first * 2 < times.length) return
  log.times = times.slice(log.first)
  log.first = 0
}

/** In order, also when an answer from elsewhere comes late. */
function insert(log: Log, time: number): void {
  // Most callers ask once: the first push would make room for 16 more.
  if (log.times.length === 0) log.times = [time]
  else if ((log.times.at(-1) ?? 0) <= time) log.times.push(time)
  else
    log.times.splice(Math.max(log.times.findLastIndex((at) => at <= time) + 1, log.first), 0, time)
}
