/**
 * One limit for all instances: a sliding log on Redis, as in memory. Each instance also logs what it
 * accepted itself. It rejects a caller over the limit without a query, and counts on from its own
 * log when the store fails.
 */
import { createHmac } from 'node:crypto'
import type { MemoryRateLimiter, RateLimiter, RateLimitResult } from './memory-rate-limiter.js'
import { defineRedisScript, redisKey, StoreUnavailable, withTimeout } from './redis-connection.js'
import type { RedisStore } from './redis-store.js'

export interface RedisRateLimiterOptions {
  readonly store: RedisStore
  /** The log of this instance; not shared with another limiter. */
  readonly local: MemoryRateLimiter
  /** Monotonic milliseconds; the same clock as `local` uses. */
  readonly now: () => number
  readonly keysFor: RateLimitKeys
  /** How long a caller waits for the store; tests pass their own. */
  readonly timeoutMs?: number
}

/** A free check is fast, so counting it must be too. */
const TIMEOUT_MS = 250
const STORE_TIMEOUT_MS = 1_000

/**
 * After midnight, the log of yesterday's key moves to today's. Times are in microseconds, oldest
 * first. If the clock was set back, time stops until it
 * catches up. If that takes longer than a window, the log starts again.
 */
const CONSUME_SCRIPT = defineRedisScript(
  'rateLimit.consume',
  `
local log, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
if redis.call('EXISTS', KEYS[2]) == 1 then redis.call('RENAMENX', KEYS[2], log) end
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

export function parseRateLimitReply(reply: unknown): RateLimitResult {
  const [accepted, remaining, resetMicroseconds]: readonly unknown[] = Array.isArray(reply)
    ? reply
    : []
  if (
    (accepted !== 0 && accepted !== 1) ||
    typeof remaining !== 'number' ||
    typeof resetMicroseconds !== 'number'
  ) {
    throw new StoreUnavailable('the store sent a malformed rate limit')
  }
  return {
    isAllowed: accepted === 1,
    remaining,
    resetSeconds: Math.ceil(resetMicroseconds / 1_000_000),
  }
}

export function createRedisRateLimiter({
  store,
  local,
  now,
  keysFor,
  timeoutMs = TIMEOUT_MS,
}: RedisRateLimiterOptions): RateLimiter {
  const { limit, windowSeconds } = local
  const args = [String(limit), String(windowSeconds * 1_000_000)]

  async function consumeShared(caller: string): Promise<RateLimitResult> {
    // The store gets more time than we wait: after its own timeout it counts as down for payments.
    const options = { timeoutMs: STORE_TIMEOUT_MS }
    const running = store.runScript(CONSUME_SCRIPT, keysFor(caller), args, options)
    return parseRateLimitReply(await withTimeout(timeoutMs, running))
  }

  return {
    limit,
    windowSeconds,
    async consume(caller) {
      // Earlier than the store's own time, so the local log forgets the request first and never
      // rejects what the store would accept.
      const receivedAt = now()
      const known = local.peek(caller)
      if (!known.isAllowed) return known
      const shared = await consumeShared(caller).catch(() => null)
      const result = shared ?? local.peek(caller)
      if (!result.isAllowed) return result
      local.record(caller, receivedAt)
      const recorded = local.peek(caller)
      // Only the local log knows what was accepted while the store was down.
      if (shared && shared.remaining <= recorded.remaining) return shared
      return { ...recorded, isAllowed: true }
    },
  }
}

const DAY_MS = 86_400_000
const HASH_CHARACTERS = 22

/** The key of a caller today, and the one of yesterday, whose requests may still count. */
type RateLimitKeys = (caller: string) => readonly [today: string, yesterday: string]

/**
 * The names of callers in the store: hashes with a key that changes every UTC day. The key is derived
 * from the password of REDIS_URL, which all instances have and no file of the store contains. A random
 * key in the store would be in the same files as the hashes, and trying all IPv4 addresses takes
 * minutes. So without a password, a name can be traced back to its address.
 */
export function createRateLimitKeys(secret: string, wallClock: () => number): RateLimitKeys {
  const deriveKey = (day: number) => hmac(secret, `rate limit, day ${day}`).digest()
  let day = -1
  let dayKeys: readonly [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)]
  return (caller) => {
    const today = Math.floor(wallClock() / DAY_MS)
    if (today !== day) dayKeys = [deriveKey(today), deriveKey(today - 1)]
    day = today
    return [toKey(dayKeys[0], caller), toKey(dayKeys[1], caller)]
  }
}

function toKey(dayKey: Buffer, caller: string): string {
  return redisKey('limit', hmac(dayKey, caller).digest('base64url').slice(0, HASH_CHARACTERS))
}

function hmac(key: string | Buffer, text: string) {
  return createHmac('sha256', key).update(text)
}
