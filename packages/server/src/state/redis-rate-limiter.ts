/**
 * One limit for all instances, kept on Redis by the times of every caller's accepted requests, as in
 * memory. Each instance also keeps a log of its own of what it has let through. Who used up his
 * requests here is refused without asking; and when the store fails, the count goes on from there.
 *
 * The keys hold addresses, which no hash could hide, there being so few; they live for 60 seconds.
 */

import type { MemoryRateLimiter } from './memory-rate-limiter.js'
import type { RateLimiter, RateLimitResult } from './rate-limiter.js'
import { defineRedisScript, redisKey } from './redis-script.js'
import type { RedisStore } from './redis-store.js'
import { withTimeout } from './within.js'

export interface RedisRateLimiterOptions {
  readonly store: RedisStore
  /** What this instance knows by itself; for no other limiter. */
  readonly local: MemoryRateLimiter
  /** Monotonic milliseconds, the same as the local one's. */
  readonly now: () => number
}

/** A free check is soon over, and counting it must not be what takes long. */
const TIMEOUT_MS = 250
const STORE_TIMEOUT_MS = 1_000

/**
 * Times are in microseconds, oldest first. A clock that was set back stands still until it is where
 * it was, but no longer than a window: then the log is of no use and begins anew.
 */
const TAKE = defineRedisScript(
  'limiter.take',
  `
local log, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local newest = tonumber(redis.call('LINDEX', log, -1) or 0)
if newest - now > window then redis.call('DEL', log) else now = math.max(now, newest) end

local oldest = tonumber(redis.call('LINDEX', log, 0) or now)
while now - oldest >= window do
  redis.call('LPOP', log)
  oldest = tonumber(redis.call('LINDEX', log, 0) or now)
end
local count, accepted = redis.call('LLEN', log), 0
if count < limit then
  redis.call('RPUSH', log, string.format('%.0f', now))
  redis.call('PEXPIRE', log, window / 1000)
  count, accepted = count + 1, 1
end
return { accepted, math.max(limit - count, 0), oldest + window - now }
`,
)

export function createRedisRateLimiter({
  store,
  local,
  now,
}: RedisRateLimiterOptions): RateLimiter {
  const { limit, windowSeconds } = local
  const args = [String(limit), String(windowSeconds * 1_000_000)]

  async function ask(caller: string): Promise<RateLimitResult> {
    const key = redisKey('limit', caller)
    // Whether the store is down is not for so short a wait to decide: payments can wait longer.
    const asked = store.runScript(TAKE, [key], args, { timeoutMs: STORE_TIMEOUT_MS })
    const reply = await withTimeout(TIMEOUT_MS, asked)
    const [accepted, remaining, microseconds] = reply as [number, number, number]
    return {
      isAllowed: accepted === 1,
      remaining,
      resetSeconds: Math.ceil(microseconds / 1_000_000),
    }
  }

  return {
    limit,
    windowSeconds,
    async consume(caller) {
      // The store counts it a little later. By this time the local log forgets it first, and so
      // never refuses what the store would accept.
      const cameAt = now()
      const known = local.peek(caller)
      if (!known.isAllowed) return known
      const shared = await ask(caller).catch(() => null)
      const verdict = shared ?? local.peek(caller)
      if (!verdict.isAllowed) return verdict
      local.record(caller, cameAt)
      const here = local.peek(caller)
      // What was let through while the store was down is known here alone.
      if (shared && shared.remaining <= here.remaining) return shared
      return { ...here, isAllowed: true }
    },
  }
}
