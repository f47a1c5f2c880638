import { describe, expect, test } from 'vitest'
import { LedgerUnavailable } from './ledger.js'
import { createRedisLedger, parseReservation } from './redis-ledger.js'

describe('parseReservation', () => {
  test.each([
    [['acquired'], { kind: 'acquired' }],
    [['inProgress'], { kind: 'inProgress' }],
    [['conflict'], { kind: 'conflict' }],
    [['full'], { kind: 'full' }],
    [['tooManyUnknown'], { kind: 'tooManyUnknown' }],
    [['unknown', 'r', ''], { kind: 'unknown', report: 'r', transactions: [] }],
    [['unknown', null, '0x1'], { kind: 'unknown', report: null, transactions: ['0x1'] }],
    [['unknown', 'r', '0x2 0x1'], { kind: 'unknown', report: 'r', transactions: ['0x2', '0x1'] }],
    [['paid', 'r', '0x1'], { kind: 'paid', report: 'r', transaction: '0x1' }],
    [['paid', null, '0x1'], { kind: 'paid', report: null, transaction: '0x1' }],
  ])('parses %j', (reply, reservation) => {
    expect(parseReservation(reply)).toEqual(reservation)
  })

  test.each([
    [null],
    ['acquired'],
    [[]],
    [['busy']],
    [[1]],
    [['unknown']],
    [['unknown', null]],
    [['unknown', null, null]],
    [['unknown', 1, '']],
    [['paid', 'r']],
    [['paid', 'r', '']],
    [['paid', 'r', null]],
    [['completed', 'r', '0x1']],
  ])('rejects the malformed reply %j', (reply) => {
    expect(() => parseReservation(reply)).toThrow(
      new LedgerUnavailable('the store sent a malformed reservation'),
    )
  })
})

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
      new LedgerUnavailable('the store sent a malformed size'),
    )
  })

  test('rejects the list of unknown payments', async () => {
    await expect(ledger.listUnknown()).rejects.toThrow(
      new LedgerUnavailable('the store sent a malformed list'),
    )
  })
})
