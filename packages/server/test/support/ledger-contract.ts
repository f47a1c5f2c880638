/** What every ledger promises, wherever it is kept. Seconds are to spare where a real clock runs. */
import { describe, expect, test } from 'vitest'
import type { Ledger, ReservationRequest } from '../../src/state/ledger.js'
import { LedgerUnavailable } from '../../src/state/ledger.js'

export interface LedgerUnderTest {
  readonly ledger: Ledger
  /** Milliseconds since 1970, where it begins. */
  readonly startsAt: number
  wait(ms: number): unknown
}

type OpenLedger = (bounds: { maxEntries?: number }) => LedgerUnderTest | Promise<LedgerUnderTest>

const TEN_MINUTES = 600_000
const SPARE = 2_000
const OTHER_REQUEST = { requestKey: 'score other.test' }
const OTHER_WORDING = { fingerprint: 'another signature' }
export const TEST_SETTLEMENT = {
  success: true,
  transaction: '0xt',
  network: 'eip155:8453',
  payer: '0xp',
} as const

/** A ledger, and sales that are valid for two minutes from its start. */
export function ledgerActions({ ledger, startsAt }: Omit<LedgerUnderTest, 'wait'>) {
  const sale = (id: string, changes: Partial<ReservationRequest> = {}): ReservationRequest => ({
    id,
    fingerprint: `fingerprint of ${id}`,
    requestKey: 'score acme.test',
    validBefore: Math.ceil(startsAt / 1_000) + 120,
    ...changes,
  })
  const claim = (id: string, changes?: Partial<ReservationRequest>) =>
    ledger.reserve(sale(id, changes))
  const kindOf = async (id: string, changes?: Partial<ReservationRequest>) =>
    (await claim(id, changes)).kind
  async function begin(id: string, report = 'r', changes?: Partial<ReservationRequest>) {
    expect(await kindOf(id, changes)).toBe('acquired')
    await ledger.prepare(id, report)
  }
  return {
    claim,
    kindOf,
    begin,
    async sell(id: string, report?: string, changes?: Partial<ReservationRequest>) {
      await begin(id, report, changes)
      await ledger.complete(id, TEST_SETTLEMENT)
    },
    async lose(id: string, report?: string, changes?: Partial<ReservationRequest>) {
      await begin(id, report, changes)
      await ledger.markUnknown(id)
    },
  }
}

export function describeLedgerContract(open: OpenLedger): void {
  const setUp = async (bounds: { maxEntries?: number } = {}) => {
    const stage = await open(bounds)
    return { ...stage, ...ledgerActions(stage) }
  }

  describe('a payment that is worked on', () => {
    test('is busy for everybody, before and after the report is ready', async () => {
      const { ledger, kindOf } = await setUp()
      expect(await kindOf('a')).toBe('acquired')
      expect(await kindOf('a')).toBe('inProgress')
      await ledger.prepare('a', 'r')
      expect(await kindOf('a')).toBe('inProgress')
      expect(await kindOf('a', OTHER_REQUEST)).toBe('inProgress')
      expect(await kindOf('a', OTHER_WORDING)).toBe('inProgress')
      expect(await kindOf('b')).toBe('acquired')
    })

    test('is claimed by one of those who come at once', async () => {
      const { kindOf } = await setUp()
      const kinds = await Promise.all(Array.from({ length: 5 }, () => kindOf('a')))
      expect(kinds.sort()).toEqual(['acquired', ...Array(4).fill('inProgress')])
    })

    test('is as good as new once it is released', async () => {
      const { ledger, begin, kindOf } = await setUp()
      await begin('a')
      await ledger.release('a')
      expect(await kindOf('a', OTHER_REQUEST)).toBe('acquired')
    })
  })

  describe('a payment that has bought a report', () => {
    test('gives it again, with its receipt', async () => {
      const { sell, claim } = await setUp()
      await sell('a', '{"score":94,"name":"Zoë"}')
      const again = {
        kind: 'completed',
        report: '{"score":94,"name":"Zoë"}',
        settlement: TEST_SETTLEMENT,
      }
      expect(await claim('a')).toEqual(again)
      expect(await claim('a')).toEqual(again)
    })

    test('is spent for another requestKey, or under another signature', async () => {
      const { sell, kindOf } = await setUp()
      await sell('a')
      expect(await kindOf('a', OTHER_REQUEST)).toBe('conflict')
      expect(await kindOf('a', OTHER_WORDING)).toBe('conflict')
      expect(await kindOf('a')).toBe('completed')
    })

    test('is remembered for as long as it is valid', async () => {
      const { wait, sell, kindOf } = await setUp()
      await sell('a')
      await wait(120_000 - SPARE)
      expect(await kindOf('a')).toBe('completed')
      await wait(2 * SPARE)
      expect(await kindOf('a')).toBe('acquired')
    })

    test('is remembered for ten minutes when it is valid for longer', async () => {
      const { wait, sell, kindOf } = await setUp()
      await sell('a', 'r', { validBefore: 1e78 })
      await wait(TEN_MINUTES - SPARE)
      expect(await kindOf('a')).toBe('completed')
      await wait(SPARE)
      expect(await kindOf('a')).toBe('acquired')
    })

    test('at the last moment is remembered for a minute, since answers get lost', async () => {
      const { startsAt, wait, sell, kindOf } = await setUp()
      await sell('a', 'r', { validBefore: Math.ceil(startsAt / 1_000) + 1 })
      await wait(60_000 - SPARE)
      expect(await kindOf('a')).toBe('completed')
      await wait(SPARE)
      expect(await kindOf('a')).toBe('acquired')
    })
  })

  describe('a payment that was lost sight of', () => {
    test('is for the next who sends it to find out about, and busy for others meanwhile', async () => {
      const { lose, claim, kindOf } = await setUp()
      await lose('a', '{"score":94}')
      expect(await claim('a')).toEqual({ kind: 'unknown', report: '{"score":94}' })
      expect(await kindOf('a')).toBe('inProgress')
    })

    test('may stay doubtful, become sold, or be released', async () => {
      const { ledger, lose, claim, kindOf } = await setUp()
      await lose('a', 'ra')
      await claim('a')
      await ledger.markUnknown('a')
      expect(await claim('a')).toEqual({ kind: 'unknown', report: 'ra' })
      await ledger.complete('a', TEST_SETTLEMENT)
      expect(await claim('a')).toEqual({
        kind: 'completed',
        report: 'ra',
        settlement: TEST_SETTLEMENT,
      })
      await lose('b')
      await claim('b')
      await ledger.release('b')
      expect(await kindOf('b')).toBe('acquired')
    })

    test('is spent for another requestKey or wording, which leaves it doubtful', async () => {
      const { lose, kindOf } = await setUp()
      await lose('a')
      expect(await kindOf('a', OTHER_REQUEST)).toBe('conflict')
      expect(await kindOf('a', OTHER_WORDING)).toBe('conflict')
      expect(await kindOf('a')).toBe('unknown')
    })

    test('is remembered for ten minutes beyond its end, however often it is asked for', async () => {
      const { wait, ledger, lose, kindOf } = await setUp()
      await lose('a')
      await wait(TEN_MINUTES - SPARE)
      expect(await kindOf('a')).toBe('unknown')
      await ledger.markUnknown('a')
      await wait(120_000)
      expect(await kindOf('a')).toBe('unknown')
      await ledger.markUnknown('a')
      await wait(2 * SPARE)
      expect(await kindOf('a')).toBe('acquired')
    })
  })

  describe('when there are too many', () => {
    test('what was sold first goes first', async () => {
      const { kindOf, sell } = await setUp({ maxEntries: 3 })
      await sell('a')
      await sell('b')
      await sell('c')
      expect(await kindOf('d')).toBe('acquired')
      expect(await kindOf('b')).toBe('completed')
      expect(await kindOf('c')).toBe('completed')
      expect(await kindOf('a')).toBe('acquired')
      expect(await kindOf('b')).toBe('acquired')
    })

    test('what is worked on or in doubt never goes, and newcomers are turned away', async () => {
      const { kindOf, begin, lose } = await setUp({ maxEntries: 2 })
      await begin('a')
      await lose('b')
      expect(await kindOf('c')).toBe('full')
      expect(await kindOf('a')).toBe('inProgress')
      expect(await kindOf('b')).toBe('unknown')
    })

    test('what was sold once and is worked on again does not go, either', async () => {
      const { wait, kindOf, sell, begin } = await setUp({ maxEntries: 1 })
      await sell('a')
      await wait(120_000 + SPARE)
      await begin('a')
      expect(await kindOf('b')).toBe('full')
      expect(await kindOf('a')).toBe('inProgress')
    })

    test('there is room again once one is released or sold', async () => {
      const { ledger, kindOf, begin } = await setUp({ maxEntries: 1 })
      await begin('a')
      expect(await kindOf('b')).toBe('full')
      await ledger.release('a')
      await begin('b')
      expect(await kindOf('c')).toBe('full')
      await ledger.complete('b', TEST_SETTLEMENT)
      expect(await kindOf('c')).toBe('acquired')
    })

    test('those who are there are served', async () => {
      const { kindOf, lose, sell } = await setUp({ maxEntries: 2 })
      await lose('a')
      await sell('b')
      expect(await kindOf('b')).toBe('completed')
      expect(await kindOf('a')).toBe('unknown')
    })

    test('what is over makes room, at once', async () => {
      const { wait, kindOf, lose } = await setUp({ maxEntries: 2 })
      await lose('a')
      await wait(10_000)
      await lose('b')
      await wait(TEN_MINUTES - 10_000 - SPARE)
      expect(await kindOf('c')).toBe('full')
      await wait(SPARE)
      expect(await kindOf('c')).toBe('acquired')
      expect(await kindOf('d')).toBe('full')
    })
  })

  test('it is known how many are remembered', async () => {
    const { ledger, wait, sell, lose, kindOf } = await setUp()
    expect(await ledger.size()).toBe(0)
    await sell('a')
    await lose('b')
    expect(await ledger.size()).toBe(2)
    await wait(120_000 + SPARE)
    await kindOf('c')
    expect(await ledger.size()).toBe(2)
    await ledger.release('c')
    expect(await ledger.size()).toBe(1)
  })

  test('what it never heard of cannot be pledged for, and changes nothing', async () => {
    const { ledger, kindOf } = await setUp({ maxEntries: 1 })
    await expect(ledger.prepare('a', 'r')).rejects.toBeInstanceOf(LedgerUnavailable)
    await ledger.complete('a', TEST_SETTLEMENT)
    await ledger.markUnknown('a')
    await ledger.release('a')
    expect(await ledger.size()).toBe(0)
    expect(await kindOf('a')).toBe('acquired')
  })
}
