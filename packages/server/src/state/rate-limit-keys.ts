/**
 * The names of callers in the store: hashes with a key that changes every UTC day. The key is derived
 * from the password of REDIS_URL, which all instances have and no file of the store contains. A random
 * key in the store would be in the same files as the hashes, and trying all IPv4 addresses takes
 * minutes. So without a password, a name can be traced back to its address.
 */
import { createHmac } from 'node:crypto'
import { redisKey } from './redis-script.js'

const DAY_MS = 86_400_000
const HASH_CHARACTERS = 22

/** The key of a caller today, and the one of yesterday, whose requests may still count. */
export type RateLimitKeys = (caller: string) => readonly [today: string, yesterday: string]

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
