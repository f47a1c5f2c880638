/** The tests that every ledger must pass. Some seconds of slack allow for a real clock. */
import { describe, expect, test } from 'vitest'
import type { Ledger, ReservationRequest } from '../../src/state/ledger.js'
import { LedgerUnavailable } from '../../src/state/ledger.js'

export interface LedgerUnderTest {
  readonly ledger: Ledger
  /** The start time in milliseconds since 1970. */
  readonly startsAt: number
  wait(ms: number): unknown
}

type OpenLedger = (bounds: { maxEntries?: number }) => LedgerUnderTest | Promise<LedgerUnderTest>

const TEN_MINUTES = 600_000
const SPARE = 2_000
const OTHER_REQUEST = { requestKey: 'score other.test' }
const OTHER_SIGNATURE = { fingerprint: 'another signature' }
export const TEST_SETTLEMENT = {
  success: true,
  transaction: '0xt',
  network: 'eip155:8453',
  payer: '0xp',
} as const

/** Steps on a ledger, with payments that are valid for two minutes from its start. */
export function ledgerActions({ ledger, startsAt }: Omit<LedgerUnderTest, 'wait'>) {
  const request = (id: string, changes: Partial<ReservationRequest> = {}): ReservationRequest => ({
    id,
    fingerprint: `fingerprint of ${id}`,
    requestKey: 'score acme.test',
    validBefore: Math.ceil(startsAt / 1_000) + 120,
    ...changes,
  })
  const reserve = (id: string, changes?: Partial<ReservationRequest>) =>
    ledger.reserve(request(id, changes))
  const reserveKind = async (id: string, changes?: Partial<ReservationRequest>) =>
    (await reserve(id, changes)).kind
  async function prepareOne(id: string, report = 'r', changes?: Partial<ReservationRequest>) {
    expect(await reserveKind(id, changes)).toBe('acquired')
    await ledger.prepare(id, report)
  }
  return {
    reserve,
    reserveKind,
    prepareOne,
    async completeOne(id: string, report?: string, changes?: Partial<ReservationRequest>) {
      await prepareOne(id, report, changes)
      await ledger.complete(id, TEST_SETTLEMENT)
    },
    async loseOne(id: string, report?: string, changes?: Partial<ReservationRequest>) {
      await prepareOne(id, report, changes)
      await ledger.markUnknown(id)
    },
  }
}

export function describeLedgerContract(open: OpenLedger): void {
  const setUp = async (bounds: { maxEntries?: number } = {}) => {
    const opened = await open(bounds)
    return { ...opened, ...ledgerActions(opened) }
  }

  describe('a payment in progress', () => {
    test('is inProgress for all others, before and after prepare', async () => {
      const { ledger, reserveKind } = await setUp()
      expect(await reserveKind('a')).toBe('acquired')
      expect(await reserveKind('a')).toBe('inProgress')
      await ledger.prepare('a', 'r')
      expect(await reserveKind('a')).toBe('inProgress')
      expect(await reserveKind('a', OTHER_REQUEST)).toBe('inProgress')
      expect(await reserveKind('a', OTHER_SIGNATURE)).toBe('inProgress')
      expect(await reserveKind('b')).toBe('acquired')
    })

    test('is acquired by one of several concurrent requests', async () => {
      const { reserveKind } = await setUp()
      const kinds = await Promise.all(Array.from({ length: 5 }, () => reserveKind('a')))
      expect(kinds.sort()).toEqual(['acquired', ...Array(4).fill('inProgress')])
    })

    test('can be acquired again after release', async () => {
      const { ledger, prepareOne, reserveKind } = await setUp()
      await prepareOne('a')
      await ledger.release('a')
      expect(await reserveKind('a', OTHER_REQUEST)).toBe('acquired')
    })
  })

  describe('a completed payment', () => {
    test('returns its report and settlement again', async () => {
      const { completeOne, reserve } = await setUp()
      await completeOne('a', '{"score":94,"name":"Zoë"}')
      const again = {
        kind: 'completed',
        report: '{"score":94,"name":"Zoë"}',
        settlement: TEST_SETTLEMENT,
      }
      expect(await reserve('a')).toEqual(again)
      expect(await reserve('a')).toEqual(again)
    })

    test('is a conflict for another request key or signature', async () => {
      const { completeOne, reserveKind } = await setUp()
      await completeOne('a')
      expect(await reserveKind('a', OTHER_REQUEST)).toBe('conflict')
      expect(await reserveKind('a', OTHER_SIGNATURE)).toBe('conflict')
      expect(await reserveKind('a')).toBe('completed')
    })

    test('is kept while it is valid', async () => {
      const { wait, completeOne, reserveKind } = await setUp()
      await completeOne('a')
      await wait(120_000 - SPARE)
      expect(await reserveKind('a')).toBe('completed')
      await wait(2 * SPARE)
      expect(await reserveKind('a')).toBe('acquired')
    })

    test('is kept for ten minutes if it is valid for longer', async () => {
      const { wait, completeOne, reserveKind } = await setUp()
      await completeOne('a', 'r', { validBefore: 1e78 })
      await wait(TEN_MINUTES - SPARE)
      expect(await reserveKind('a')).toBe('completed')
      await wait(SPARE)
      expect(await reserveKind('a')).toBe('acquired')
    })

    test('is kept for a minute if it was completed at the last moment', async () => {
      const { startsAt, wait, completeOne, reserveKind } = await setUp()
      await completeOne('a', 'r', { validBefore: Math.ceil(startsAt / 1_000) + 1 })
      await wait(60_000 - SPARE)
      expect(await reserveKind('a')).toBe('completed')
      await wait(SPARE)
      expect(await reserveKind('a')).toBe('acquired')
    })
  })

  describe('an unknown payment', () => {
    test('is reconciled by the next request and inProgress for others', async () => {
      const { loseOne, reserve, reserveKind } = await setUp()
      await loseOne('a', '{"score":94}')
      expect(await reserve('a')).toEqual({ kind: 'unknown', report: '{"score":94}' })
      expect(await reserveKind('a')).toBe('inProgress')
    })

    test('can stay unknown, be completed or be released', async () => {
      const { ledger, loseOne, reserve, reserveKind } = await setUp()
      await loseOne('a', 'ra')
      await reserve('a')
      await ledger.markUnknown('a')
      expect(await reserve('a')).toEqual({ kind: 'unknown', report: 'ra' })
      await ledger.complete('a', TEST_SETTLEMENT)
      expect(await reserve('a')).toEqual({
        kind: 'completed',
        report: 'ra',
        settlement: TEST_SETTLEMENT,
      })
      await loseOne('b')
      await reserve('b')
      await ledger.release('b')
      expect(await reserveKind('b')).toBe('acquired')
    })

    test('is a conflict for another request key or signature, and stays unknown', async () => {
      const { loseOne, reserveKind } = await setUp()
      await loseOne('a')
      expect(await reserveKind('a', OTHER_REQUEST)).toBe('conflict')
      expect(await reserveKind('a', OTHER_SIGNATURE)).toBe('conflict')
      expect(await reserveKind('a')).toBe('unknown')
    })

    test('is kept for ten minutes after it expires, however often it is reserved', async () => {
      const { wait, ledger, loseOne, reserveKind } = await setUp()
      await loseOne('a')
      await wait(TEN_MINUTES - SPARE)
      expect(await reserveKind('a')).toBe('unknown')
      await ledger.markUnknown('a')
      await wait(120_000)
      expect(await reserveKind('a')).toBe('unknown')
      await ledger.markUnknown('a')
      await wait(2 * SPARE)
      expect(await reserveKind('a')).toBe('acquired')
    })
  })

  describe('when the ledger is full', () => {
    test('evicts the oldest completed payments', async () => {
      const { reserveKind, completeOne } = await setUp({ maxEntries: 3 })
      await completeOne('a')
      await completeOne('b')
      await completeOne('c')
      expect(await reserveKind('d')).toBe('acquired')
      expect(await reserveKind('b')).toBe('completed')
      expect(await reserveKind('c')).toBe('completed')
      expect(await reserveKind('a')).toBe('acquired')
      expect(await reserveKind('b')).toBe('acquired')
    })

    test('never evicts payments in progress or unknown, and rejects new ones', async () => {
      const { reserveKind, prepareOne, loseOne } = await setUp({ maxEntries: 2 })
      await prepareOne('a')
      await loseOne('b')
      expect(await reserveKind('c')).toBe('full')
      expect(await reserveKind('a')).toBe('inProgress')
      expect(await reserveKind('b')).toBe('unknown')
    })

    test('does not evict a formerly completed payment that is in progress again', async () => {
      const { wait, reserveKind, completeOne, prepareOne } = await setUp({ maxEntries: 1 })
      await completeOne('a')
      await wait(120_000 + SPARE)
      await prepareOne('a')
      expect(await reserveKind('b')).toBe('full')
      expect(await reserveKind('a')).toBe('inProgress')
    })

    test('has room again after a release or completion', async () => {
      const { ledger, reserveKind, prepareOne } = await setUp({ maxEntries: 1 })
      await prepareOne('a')
      expect(await reserveKind('b')).toBe('full')
      await ledger.release('a')
      await prepareOne('b')
      expect(await reserveKind('c')).toBe('full')
      await ledger.complete('b', TEST_SETTLEMENT)
      expect(await reserveKind('c')).toBe('acquired')
    })

    test('still serves the payments it holds', async () => {
      const { reserveKind, loseOne, completeOne } = await setUp({ maxEntries: 2 })
      await loseOne('a')
      await completeOne('b')
      expect(await reserveKind('b')).toBe('completed')
      expect(await reserveKind('a')).toBe('unknown')
    })

    test('evicts expired payments at once', async () => {
      const { wait, reserveKind, loseOne } = await setUp({ maxEntries: 2 })
      await loseOne('a')
      await wait(10_000)
      await loseOne('b')
      await wait(TEN_MINUTES - 10_000 - SPARE)
      expect(await reserveKind('c')).toBe('full')
      await wait(SPARE)
      expect(await reserveKind('c')).toBe('acquired')
      expect(await reserveKind('d')).toBe('full')
    })
  })

  test('returns the number of payments', async () => {
    const { ledger, wait, completeOne, loseOne, reserveKind } = await setUp()
    expect(await ledger.size()).toBe(0)
    await completeOne('a')
    await loseOne('b')
    expect(await ledger.size()).toBe(2)
    await wait(120_000 + SPARE)
    await reserveKind('c')
    expect(await ledger.size()).toBe(2)
    await ledger.release('c')
    expect(await ledger.size()).toBe(1)
  })

  test('rejects prepare for an unknown id and changes nothing', async () => {
    const { ledger, reserveKind } = await setUp({ maxEntries: 1 })
    await expect(ledger.prepare('a', 'r')).rejects.toBeInstanceOf(LedgerUnavailable)
    await ledger.complete('a', TEST_SETTLEMENT)
    await ledger.markUnknown('a')
    await ledger.release('a')
    expect(await ledger.size()).toBe(0)
    expect(await reserveKind('a')).toBe('acquired')
  })
}
