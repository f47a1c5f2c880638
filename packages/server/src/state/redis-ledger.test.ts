import { describe, expect, test } from 'vitest'
import { LedgerUnavailable } from './ledger.js'
import { createRedisLedger, parseReservation } from './redis-ledger.js'

const SETTLEMENT = {
  success: true,
  transaction: '0xt',
  network: 'eip155:8453',
  payer: '0xp',
} as const

describe('parseReservation', () => {
  test.each([
    [['acquired'], { kind: 'acquired' }],
    [['inProgress'], { kind: 'inProgress' }],
    [['conflict'], { kind: 'conflict' }],
    [['full'], { kind: 'full' }],
    [['unknown', '{"score":94}'], { kind: 'unknown', report: '{"score":94}' }],
    [
      ['completed', 'r', JSON.stringify(SETTLEMENT)],
      { kind: 'completed', report: 'r', settlement: SETTLEMENT },
    ],
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
    [['completed', 'r']],
    [['completed', 'r', '{']],
    [['completed', 'r', '{"success":true}']],
    [['completed', 'r', JSON.stringify({ ...SETTLEMENT, network: 'base' })]],
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
    const request = { id: 'a', fingerprint: 'f', requestKey: 'r', validBefore: 120 }
    await expect(ledger.reserve(request)).rejects.toThrow(LedgerUnavailable)
  })

  test('rejects the size', async () => {
    await expect(ledger.size()).rejects.toThrow(
      new LedgerUnavailable('the store sent a malformed size'),
    )
  })
})
