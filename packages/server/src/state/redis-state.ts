/** State that several instances share in one store. */
import { createMemoryRateLimiter } from './memory-rate-limiter.js'
import { createRedisLedger } from './redis-ledger.js'
import { createRedisRateLimiter } from './redis-rate-limiter.js'
import { openRedisStore, type RedisStoreOptions } from './redis-store.js'

export async function openRedisState(limit: number, options: RedisStoreOptions) {
  const { now } = options
  const store = openRedisStore(options)
  // Otherwise the first payments would be rejected. A store that is down does not delay the start.
  await store.firstAttempt
  const local = createMemoryRateLimiter({ limit, now })
  return {
    rateLimiter: createRedisRateLimiter({ store, local, now }),
    ledger: createRedisLedger({ store }),
    isStoreUp: store.isUp,
    close: store.close,
  }
}
