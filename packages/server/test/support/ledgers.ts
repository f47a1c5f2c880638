/** The ledgers of the service, in one call. */
import type { Ledger } from '../../src/state/ledger.js'
import {
  createLocalLedgerStore,
  type LocalLedgerStoreOptions,
} from '../../src/state/local-ledger-store.js'
import {
  createRedisLedgerStore,
  type RedisLedgerStoreOptions,
} from '../../src/state/redis-ledger-store.js'
import { createStoredLedger, type StoredLedgerOptions } from '../../src/state/stored-ledger.js'

export function createLocalLedger(options: LocalLedgerStoreOptions): Ledger {
  return createStoredLedger(createLocalLedgerStore(options))
}

export function createRedisLedger({
  retries,
  ...options
}: RedisLedgerStoreOptions & StoredLedgerOptions): Ledger {
  return createStoredLedger(createRedisLedgerStore(options), { ...(retries && { retries }) })
}
