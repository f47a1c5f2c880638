/** The state of many instances, in one store. */

import { createMemoryRateLimiter } from './memory-rate-limiter.js'
import { createRedisLedger } from './redis-ledger.js'
import { createRedisRateLimiter } from './redis-rate-limiter.js'
import { openRedisStore, type RedisStoreOptions } from './redis-store.js'

export async function openRedisState(limit: number, options: RedisStoreOptions) {
  const { now } = options
  const store = openRedisStore(options)
  // Or the first payments would be refused; one that is down is not waited for.
  await store.firstAttempt
  const local = createMemoryRateLimiter({ limit, now })
  return {
    rateLimiter: createRedisRateLimiter({ store, local, now }),
    ledger: createRedisLedger({ store }),
    isStoreUp: store.isUp,
    close: store.close,
  }
}
