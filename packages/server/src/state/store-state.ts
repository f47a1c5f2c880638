/** The state of many instances, in one store. */

import { createMemoryLimiter } from './memory-limiter.js'
import { createRedisLedger } from './redis-ledger.js'
import { createRedisLimiter } from './redis-limiter.js'
import { openStore, type StoreOptions } from './store.js'

export async function openStoreState(limit: number, options: StoreOptions) {
  const { now } = options
  const store = openStore(options)
  // Or the first payments would be refused; one that is down is not waited for.
  await store.tried
  const local = createMemoryLimiter({ limit, now })
  return {
    limiter: createRedisLimiter({ store, local, now }),
    ledger: createRedisLedger({ store }),
    isStoreUp: store.isUp,
    close: store.close,
  }
}
