/** State that several instances share in one store. */
import { createMemoryRateLimiter } from './memory-rate-limiter.js'
import { createRedisLedgerStore } from './redis-ledger-store.js'
import { createRateLimitKeys, createRedisRateLimiter } from './redis-rate-limiter.js'
import { openRedisStore, type RedisStoreOptions } from './redis-store.js'
import { createStoredLedger } from './stored-ledger.js'

export interface RedisStateOptions extends RedisStoreOptions {
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
  readonly onNewLedger: () => void
}

export async function openRedisState(limit: number, options: RedisStateOptions) {
  const { url, now, wallClock, onState, onNewLedger } = options
  let asked: Promise<void> | null = null
  const store = openRedisStore({
    ...options,
    onState(isUp, cause) {
      onState?.(isUp, cause)
      if (isUp) asked ??= askIfNew()
    },
  })
  const ledgerStore = createRedisLedgerStore({ store })

  /** Once, before anything is sold. */
  async function askIfNew(): Promise<void> {
    try {
      if (await ledgerStore.isNew()) onNewLedger()
    } catch {
      asked = null
    }
  }

  // Otherwise the first payments would be rejected. A store that is down does not delay the start.
  await store.firstAttempt
  await asked
  const local = createMemoryRateLimiter({ limit, now })
  return {
    rateLimiter: createRedisRateLimiter({
      store,
      local,
      now,
      keysFor: createRateLimitKeys(new URL(url).password, wallClock),
    }),
    ledger: createStoredLedger(ledgerStore),
    isStoreUp: store.isUp,
    close: store.close,
  }
}
