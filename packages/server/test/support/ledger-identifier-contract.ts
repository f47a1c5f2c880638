/** How every ledger treats the identifiers that payers choose. */
import { describe, expect, test } from 'vitest'
import type { Ledger, ReservationRequest } from '../../src/state/ledger.js'

const IN_PROGRESS = { kind: 'identifierInUse', isInProgress: true }
const USED = { kind: 'identifierInUse', isInProgress: false }

export function identifiedRequest(
  id: string,
  identifier: string | null,
  changes: Partial<ReservationRequest> = {},
): ReservationRequest {
  return {
    id,
    identifier,
    fingerprint: `fingerprint of ${id}`,
    requestKey: 'score acme.test',
    payer: 'payer',
    amount: '10000',
    validBefore: Math.ceil(Date.now() / 1_000) + 120,
    ...changes,
  }
}

export function describeLedgerIdentifiers(open: () => Ledger | Promise<Ledger>): void {
  async function setUp() {
    const ledger = await open()
    const reserve = (id: string, identifier: string | null) =>
      ledger.reserve(identifiedRequest(id, identifier))
    expect(await reserve('a', 'i')).toEqual({ kind: 'acquired' })
    return { ledger, reserve }
  }

  describe('another payment with the same identifier', () => {
    test('is rejected once the first is prepared', async () => {
      const { ledger, reserve } = await setUp()
      expect(await reserve('b', 'i')).toEqual({ kind: 'acquired' })
      expect(await ledger.prepare('a', 'r')).toBe(true)
      expect(await ledger.prepare('b', 'r')).toBe(false)
      await ledger.release('b')
      expect(await reserve('b', 'i')).toEqual(IN_PROGRESS)
      expect(await ledger.size()).toBe(1)
    })

    test('is rejected after the first was paid, delivered or not', async () => {
      const { ledger, reserve } = await setUp()
      await ledger.prepare('a', 'r')
      await ledger.complete('a', '0xt')
      expect(await reserve('b', 'i')).toEqual(USED)
      await ledger.markDelivered('a')
      expect(await reserve('b', 'i')).toEqual(USED)
    })

    test('is rejected while the outcome of the first is unknown', async () => {
      const { ledger, reserve } = await setUp()
      await ledger.prepare('a', 'r')
      await ledger.markUnknown('a')
      expect(await reserve('b', 'i')).toEqual(USED)
      expect(await reserve('a', 'i')).toMatchObject({ kind: 'unknown' })
      expect(await reserve('b', 'i')).toEqual(IN_PROGRESS)
    })

    test('is accepted after the first was released', async () => {
      const { ledger, reserve } = await setUp()
      await ledger.prepare('a', 'r')
      await ledger.release('a')
      expect(await reserve('b', 'i')).toEqual({ kind: 'acquired' })
      expect(await ledger.prepare('b', 'r')).toBe(true)
      expect(await reserve('a', 'i')).toEqual(IN_PROGRESS)
    })

    test('is prepared once by several at a time', async () => {
      const ledger = await open()
      const ids = ['a', 'b', 'c', 'd']
      await Promise.all(ids.map((id) => ledger.reserve(identifiedRequest(id, 'i'))))
      const prepared = await Promise.all(ids.map((id) => ledger.prepare(id, 'r')))
      expect(prepared.sort()).toEqual([false, false, false, true])
    })
  })

  test('the same payment gets its report, with any identifier or none', async () => {
    const { ledger, reserve } = await setUp()
    await ledger.prepare('a', 'r')
    await ledger.complete('a', '0xt', 1_800_000_000)
    const paid = { kind: 'paid', report: 'r', transaction: '0xt', paidAt: 1_800_000_000 }
    expect(await reserve('a', 'i')).toEqual(paid)
    expect(await reserve('a', 'j')).toEqual(paid)
    expect(await reserve('a', null)).toEqual(paid)
  })

  test('payments with other identifiers or none do not matter to each other', async () => {
    const { reserve } = await setUp()
    expect(await reserve('b', 'j')).toEqual({ kind: 'acquired' })
    expect(await reserve('c', null)).toEqual({ kind: 'acquired' })
    expect(await reserve('d', null)).toEqual({ kind: 'acquired' })
  })
}
