import { describe, expect, test } from 'vitest'
import { createRedisLedger } from '../../test/support/ledgers.js'
import { LedgerUnavailable } from './ledger.js'

describe('a store with malformed replies', () => {
  const ledger = createRedisLedger({
    store: {
      runScript: async () => 'malformed',
      isUp: () => false,
      firstAttempt: Promise.resolve(),
      close: () => {},
    },
  })

  test('rejects a reservation', async () => {
    const request = {
      id: 'a',
      fingerprint: 'f',
      requestKey: 'r',
      payer: 'p',
      validBefore: 120,
      amount: '1',
    }
    await expect(ledger.reserve(request)).rejects.toThrow(LedgerUnavailable)
  })

  test('rejects the size', async () => {
    await expect(ledger.size()).rejects.toThrow(
      new LedgerUnavailable('the store sent a malformed reply to ledger.size'),
    )
  })

  test('rejects the list of unknown payments', async () => {
    await expect(ledger.listUnknown()).rejects.toThrow(
      new LedgerUnavailable('the store sent a malformed reply to ledger.listOpen'),
    )
  })
})
