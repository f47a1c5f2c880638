/** The state of many instances, in one store. */
import { createMemoryLimiter } from './limits/memory-limiter.js'
import { createRedisLimiter } from './limits/redis-limiter.js'
import { createRedisLedger } from './payments/redis-ledger.js'
import { openStore, type StoreOptions } from './store/store.js'

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
