import { beforeEach, describe } from 'vitest'
import { createRedisLedger } from '../../src/state/redis-ledger.js'
import { describePaymentBreaks } from '../support/payment-breaks.js'
import { startRedisServer } from '../support/redis-server.js'
import { advanceRedisTime } from './advance-redis-time.js'
import { connectWatchedStore } from './watched-store.js'

const LEASE_MS = 10_000

const server = await startRedisServer()
beforeEach(() => server.reset())

describe('a ledger in Redis', () => {
  describePaymentBreaks(
    async () => {
      const store = await connectWatchedStore(server.url)
      return {
        ledger: createRedisLedger({ store }),
        async restart() {
          store.close()
          await advanceRedisTime(server, LEASE_MS)
          return createRedisLedger({ store: await connectWatchedStore(server.url) })
        },
      }
    },
    { isShared: true },
  )
})
