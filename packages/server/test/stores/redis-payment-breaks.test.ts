import { beforeEach, describe } from 'vitest'
import { createRedisLedger } from '../support/ledgers.js'
import { describePaymentBreaks } from '../support/payment-breaks.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore, type WatchedStore } from './watched-store.js'

/** Longer than any test, so only a lease that a test lets expire does. */
const LEASE_MS = 60_000

const server = await startRedisServer()
beforeEach(() => server.reset())

const openLedger = (store: WatchedStore) => createRedisLedger({ store, leaseMs: LEASE_MS })

describe('a ledger in Redis', () => {
  describePaymentBreaks(
    async () => {
      const store = await connectWatchedStore(server)
      return {
        ledger: openLedger(store),
        async restart() {
          store.close()
          await advanceRedisTime(server, LEASE_MS)
          return openLedger(await connectWatchedStore(server))
        },
      }
    },
    { isShared: true },
  )
})
