/** The tests that every ledger must pass. Some seconds of slack allow for a real clock. */
import { describe, expect, test } from 'vitest'
import {
  type Ledger,
  LedgerUnavailable,
  type ReservationRequest,
  type StoredReport,
} from '../../src/state/ledger.js'
import {
  MAX_ANSWERS,
  MAX_UNKNOWN_PER_PAYER,
  MIN_REPORT_MS,
  RECOVERY_MS,
} from '../../src/state/ledger-rules.js'

export interface LedgerUnderTest {
  readonly ledger: Ledger
  /** Milliseconds since 1970. */
  now(): number
  wait(ms: number): unknown
}

export interface LedgerBounds {
  readonly maxEntries?: number
}

type OpenLedger = (bounds: LedgerBounds) => LedgerUnderTest | Promise<LedgerUnderTest>

const VALID_MS = 120_000
const SPARE = 20_000
const OTHER_REQUEST = { requestKey: 'another request' }
const OTHER_SIGNATURE = { fingerprint: 'another signature' }
export const TEST_TRANSACTION = '0xt'

/** Steps on a ledger, with payments of different payers that are valid for two more minutes. */
export function ledgerActions({ ledger, now }: Omit<LedgerUnderTest, 'wait'>) {
  type Changes = Partial<ReservationRequest>
  const validBefore = Math.ceil((now() + VALID_MS) / 1_000)
  const reserve = (id: string, changes: Changes = {}) =>
    ledger.reserve({
      id,
      fingerprint: `fingerprint of ${id}`,
      requestKey: 'digest of a request',
      payer: `payer of ${id}`,
      validBefore,
      amount: '10000',
      ...changes,
    })
  const reserveKind = async (id: string, changes?: Changes) => (await reserve(id, changes)).kind
  async function prepareOne(id: string, report: StoredReport = 'r', changes?: Changes) {
    expect(await reserveKind(id, changes)).toBe('acquired')
    await ledger.prepare(id, report)
  }
  async function completeOne(id: string, report?: StoredReport, changes?: Changes) {
    await prepareOne(id, report, changes)
    await ledger.complete(id, TEST_TRANSACTION)
  }
  return {
    validBefore,
    reserve,
    reserveKind,
    prepareOne,
    completeOne,
    async deliverOne(id: string, report?: StoredReport, changes?: Changes) {
      await completeOne(id, report, changes)
      await ledger.markDelivered(id)
    },
    async loseOne(id: string, report?: StoredReport, changes?: Changes) {
      await prepareOne(id, report, changes)
      await ledger.markUnknown(id)
    },
  }
}

export const paidWith = (report: StoredReport, transaction = TEST_TRANSACTION) => ({
  kind: 'paid',
  report,
  transaction,
  paidAt: expect.any(Number),
})

export const unknownWith = (report: StoredReport, ...transactions: string[]) => ({
  kind: 'unknown',
  report,
  transactions,
})

export function describeLedgerContract(open: OpenLedger): void {
  const setUp = async (bounds: LedgerBounds = {}) => {
    const opened = await open(bounds)
    return {
      ...opened,
      ...ledgerActions(opened),
      /** What is old is forgotten by the time of the chain. */
      async wait(ms: number) {
        await opened.wait(ms)
        await opened.ledger.forgetOld(opened.now() / 1_000)
      },
    }
  }

  describe('a payment in progress', () => {
    test('is inProgress for all others, before and after prepare', async () => {
      const { ledger, reserveKind } = await setUp()
      expect(await reserveKind('a')).toBe('acquired')
      expect(await reserveKind('a')).toBe('inProgress')
      await ledger.prepare('a', 'r')
      expect(await reserveKind('a')).toBe('inProgress')
      await ledger.recordTransaction('a', '0x1')
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

    test('can be acquired again after release, with nothing left of it', async () => {
      const { ledger, prepareOne, reserve, reserveKind } = await setUp()
      await prepareOne('a', 'first')
      await ledger.recordTransaction('a', '0x1')
      await ledger.release('a')
      expect(await reserveKind('a', OTHER_REQUEST)).toBe('acquired')
      await ledger.prepare('a', null)
      await ledger.markUnknown('a')
      expect(await reserve('a', OTHER_REQUEST)).toEqual(unknownWith(null))
    })

    test('is released if its outcome is unknown before it was prepared', async () => {
      const { ledger, reserveKind } = await setUp()
      await reserveKind('a')
      await ledger.markUnknown('a')
      expect(await ledger.size()).toBe(0)
      expect(await reserveKind('a', OTHER_REQUEST)).toBe('acquired')
    })
  })

  describe('a paid payment with other answers', () => {
    const PLAN = { requestKey: 'first', purchaseKey: 'plan' }
    const asking = (requestKey: string) => ({ ...PLAN, requestKey })
    const ANSWERING = {
      kind: 'answering',
      transaction: TEST_TRANSACTION,
      paidAt: expect.any(Number),
    }

    async function setUpPlan(step: 'completeOne' | 'deliverOne' = 'deliverOne') {
      const opened = await setUp()
      await opened[step]('a', 'r', PLAN)
      const ask = (requestKey: string) => opened.reserve('a', asking(requestKey))
      return {
        ...opened,
        ask,
        async answerOne(requestKey: string, report: StoredReport = `r of ${requestKey}`) {
          expect(await ask(requestKey)).toEqual(ANSWERING)
          await opened.ledger.keepAnswer('a', report)
        },
      }
    }

    test.each(['deliverOne', 'completeOne'] as const)(
      'is inProgress until they are kept, and then has both reports: %s',
      async (step) => {
        const { ledger, ask } = await setUpPlan(step)
        expect(await ask('other')).toEqual(ANSWERING)
        for (const key of ['other', 'first', 'third']) {
          expect(await ask(key)).toEqual({ kind: 'inProgress' })
        }
        await ledger.keepAnswer('a', 'r2')
        expect(await ask('other')).toEqual(paidWith('r2'))
        expect(await ask('first')).toEqual(paidWith('r'))
      },
    )

    test('stays paid, and counts nothing, if they get no report', async () => {
      const { ledger, ask, answerOne } = await setUpPlan()
      for (let count = 0; count <= MAX_ANSWERS; count++) {
        expect(await ask('other')).toEqual(ANSWERING)
        await (count % 2 === 0 ? ledger.release('a') : ledger.markUnknown('a'))
      }
      expect(await ask('first')).toEqual(paidWith('r'))
      expect(await ledger.listUnknown()).toEqual([])
      await answerOne('other')
    })

    test('gets twenty of them, and those again', async () => {
      const { ask, answerOne } = await setUpPlan()
      const keys = Array.from({ length: MAX_ANSWERS }, (_, index) => `answer-${index}`)
      for (const key of keys) await answerOne(key)
      expect(await ask('one-more')).toEqual({ kind: 'noAnswer', isOver: false })
      for (const key of keys) expect(await ask(key)).toEqual(paidWith(`r of ${key}`))
      expect(await ask('first')).toEqual(paidWith('r'))
    })

    test('one whose report is not stored counts once', async () => {
      const { ask, answerOne } = await setUpPlan()
      await answerOne('large', null)
      expect(await ask('large')).toEqual(paidWith(null))
      for (let count = 1; count < MAX_ANSWERS; count++) await answerOne(`answer-${count}`)
      expect(await ask('one-more')).toEqual({ kind: 'noAnswer', isOver: false })
    })

    test('gets them, and all their reports, for a day after it expires', async () => {
      const { now, validBefore, ledger, ask, answerOne, ...opened } = await setUpPlan()
      await answerOne('early')
      await opened.wait(VALID_MS + RECOVERY_MS - SPARE)
      await answerOne('late')
      for (const key of ['early', 'late']) expect(await ask(key)).toEqual(paidWith(`r of ${key}`))
      expect(await ask('first')).toEqual(paidWith('r'))
      await opened.wait(2 * SPARE)
      expect((await ask('late')).kind).toBe('acquired')
    })

    test('is a conflict for another purchase, another signature, and without one', async () => {
      const { completeOne, reserveKind } = await setUpPlan()
      for (const changes of [
        { requestKey: 'other', purchaseKey: 'another plan' },
        { requestKey: 'other' },
        { ...asking('other'), ...OTHER_SIGNATURE },
      ]) {
        expect(await reserveKind('a', changes)).toBe('conflict')
      }
      // Sold for one request only.
      await completeOne('b', 'r', { requestKey: 'first' })
      expect(await reserveKind('b', asking('other'))).toBe('conflict')
      expect(await reserveKind('b', asking('first'))).toBe('paid')
    })

    test('whose outcome is unknown is for what is asked last', async () => {
      const { ledger, loseOne, reserve } = await setUp()
      await loseOne('a', 'r', PLAN)
      expect(await reserve('a', asking('other'))).toEqual(unknownWith(null))
      await ledger.complete('a', TEST_TRANSACTION)
      expect(await reserve('a', asking('other'))).toEqual(paidWith(null))
      expect(await reserve('a', PLAN)).toEqual(ANSWERING)
    })

    test('keeps nothing without a reservation', async () => {
      const { ledger, ask } = await setUpPlan()
      await expect(ledger.keepAnswer('a', 'r')).rejects.toBeInstanceOf(LedgerUnavailable)
      await ask('other')
      await ledger.keepAnswer('a', 'r')
      await expect(ledger.keepAnswer('a', 'r')).rejects.toBeInstanceOf(LedgerUnavailable)
    })
  })

  describe('an unknown payment', () => {
    test('is listed with how it was sold, and keeps it when another one takes over', async () => {
      const { ledger, loseOne, reserve, wait } = await setUp()
      const sold = { terms: 'digest of terms', isRecorded: false }
      await loseOne('a', 'r', sold)
      await wait(1)
      await loseOne('b')
      const [first, second] = await ledger.listUnknown()
      expect(first).toMatchObject({ id: 'a', ...sold })
      expect([second?.terms, second?.isRecorded]).toEqual([undefined, undefined])
      const taken = await reserve('a', { terms: 'others', isRecorded: true })
      expect(taken).toEqual({ ...unknownWith('r'), isRecorded: false })
      await ledger.markUnknown('a')
      expect(await ledger.listUnknown()).toContainEqual(expect.objectContaining(sold))
    })
  })

  describe('a paid payment', () => {
    test.each(['completeOne', 'deliverOne'] as const)(
      'returns its report and transaction again (%s)',
      async (step) => {
        const { reserve, ...actions } = await setUp()
        await actions[step]('a', 'sealed, Zoë 🦊')
        expect(await reserve('a')).toEqual(paidWith('sealed, Zoë 🦊'))
        expect(await reserve('a')).toEqual(paidWith('sealed, Zoë 🦊'))
      },
    )

    test('is paid without a report if none was stored', async () => {
      const { deliverOne, reserve } = await setUp()
      await deliverOne('a', null)
      expect(await reserve('a')).toEqual(paidWith(null))
    })

    test('has the transaction that paid it, not those that did not', async () => {
      const { ledger, prepareOne, reserve } = await setUp()
      await prepareOne('a')
      await ledger.recordTransaction('a', '0x1')
      await ledger.recordTransaction('a', '0x2')
      await ledger.complete('a', '0x2')
      expect(await reserve('a')).toEqual(paidWith('r', '0x2'))
    })

    test('is a conflict for another request key or signature', async () => {
      const { completeOne, reserveKind } = await setUp()
      await completeOne('a')
      expect(await reserveKind('a', OTHER_REQUEST)).toBe('conflict')
      expect(await reserveKind('a', OTHER_SIGNATURE)).toBe('conflict')
      expect(await reserveKind('a')).toBe('paid')
    })

    test('is not changed by the steps of a payment in progress', async () => {
      const { ledger, completeOne, reserve } = await setUp()
      await completeOne('a')
      await ledger.release('a')
      await ledger.markUnknown('a')
      await ledger.complete('a', '0xother')
      await expect(ledger.prepare('a', 'other')).rejects.toBeInstanceOf(LedgerUnavailable)
      await expect(ledger.recordTransaction('a', '0x')).rejects.toBeInstanceOf(LedgerUnavailable)
      expect(await reserve('a')).toEqual(paidWith('r'))
    })

    test.each([
      ['delivered', 'deliverOne'],
      ['not delivered', 'completeOne'],
    ] as const)(
      'that was %s is due without a report for a day after it expires',
      async (_, step) => {
        const { wait, reserve, reserveKind, ...actions } = await setUp()
        await actions[step]('a')
        await wait(VALID_MS - SPARE)
        expect(await reserve('a')).toEqual(paidWith('r'))
        await wait(2 * SPARE)
        expect(await reserve('a')).toEqual(paidWith(null))
        await wait(RECOVERY_MS - 2 * SPARE)
        expect(await reserve('a')).toEqual(paidWith(null))
        await wait(2 * SPARE)
        expect(await reserveKind('a')).toBe('acquired')
      },
    )

    test('that was completed at the last moment has its report for a minute', async () => {
      const { now, wait, deliverOne, reserve } = await setUp()
      const changes = { validBefore: Math.ceil(now() / 1_000) + 1 }
      await deliverOne('a', 'r', changes)
      await wait(MIN_REPORT_MS - SPARE)
      expect(await reserve('a', changes)).toEqual(paidWith('r'))
      await wait(SPARE)
      expect(await reserve('a', changes)).toEqual(paidWith(null))
    })
  })

  describe('an unknown payment', () => {
    test('is given to the next request and is inProgress for others', async () => {
      const { loseOne, reserve, reserveKind } = await setUp()
      await loseOne('a')
      expect(await reserve('a')).toEqual(unknownWith('r'))
      expect(await reserveKind('a')).toBe('inProgress')
    })

    test('returns the transactions recorded for it, in order', async () => {
      const { ledger, prepareOne, reserve } = await setUp()
      await prepareOne('a')
      await ledger.recordTransaction('a', '0x2')
      await ledger.recordTransaction('a', '0x1')
      await ledger.markUnknown('a')
      expect(await reserve('a')).toEqual(unknownWith('r', '0x2', '0x1'))
      await ledger.recordTransaction('a', '0x3')
      await ledger.markUnknown('a')
      expect(await reserve('a')).toEqual(unknownWith('r', '0x2', '0x1', '0x3'))
    })

    test('can stay unknown, be completed or be released', async () => {
      const { ledger, loseOne, reserve, reserveKind } = await setUp()
      await loseOne('a', 'ra')
      await reserve('a')
      await ledger.markUnknown('a')
      expect(await reserve('a')).toEqual(unknownWith('ra'))
      await ledger.complete('a', '0x1')
      expect(await reserve('a')).toEqual(paidWith('ra', '0x1'))
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

    test('is kept for a day after it expires, with its report until then', async () => {
      const { wait, ledger, loseOne, reserve, reserveKind } = await setUp()
      await loseOne('a')
      await wait(VALID_MS - SPARE)
      expect(await reserve('a')).toEqual(unknownWith('r'))
      await ledger.markUnknown('a')
      await wait(2 * SPARE)
      expect(await reserve('a')).toEqual(unknownWith(null))
      await ledger.markUnknown('a')
      await wait(RECOVERY_MS - 2 * SPARE)
      expect(await reserve('a')).toEqual(unknownWith(null))
      await ledger.markUnknown('a')
      await wait(2 * SPARE)
      expect(await reserveKind('a')).toBe('acquired')
    })

    test('that is completed after its report was gone never shows that report again', async () => {
      const { wait, ledger, loseOne, reserve } = await setUp()
      await loseOne('a', 'older than the one that the caller gets')
      await wait(VALID_MS + SPARE)
      expect(await reserve('a')).toEqual(unknownWith(null))
      await ledger.complete('a', '0x1')
      await ledger.markDelivered('a')
      await wait(MIN_REPORT_MS - SPARE)
      expect(await reserve('a')).toEqual(paidWith(null, '0x1'))
      await wait(SPARE)
      expect(await reserve('a')).toEqual(paidWith(null, '0x1'))
    })
  })

  describe('a payer with too many unknown payments', () => {
    const PAYER = { payer: 'one payer' }
    const IDS = Array.from({ length: MAX_UNKNOWN_PER_PAYER }, (_, index) => `unknown ${index}`)

    async function setUpWithUnknown() {
      const opened = await setUp()
      for (const id of IDS) {
        expect(await opened.reserveKind('next', PAYER)).toBe('acquired')
        await opened.ledger.release('next')
        await opened.loseOne(id, 'r', PAYER)
      }
      return opened
    }

    test('gets no other, while other payers do', async () => {
      const { reserveKind } = await setUpWithUnknown()
      expect(await reserveKind('next', PAYER)).toBe('tooManyUnknown')
      expect(await reserveKind('of another')).toBe('acquired')
    })

    test('gets no other while they are being resolved', async () => {
      const { ledger, reserveKind } = await setUpWithUnknown()
      for (const id of IDS) expect(await reserveKind(id, PAYER)).toBe('unknown')
      expect(await reserveKind('next', PAYER)).toBe('tooManyUnknown')
      for (const id of IDS) await ledger.markUnknown(id)
      expect(await reserveKind('next', PAYER)).toBe('tooManyUnknown')
    })

    test.each([
      ['complete', (ledger: Ledger, id: string) => ledger.complete(id, '0x1')],
      ['release', (ledger: Ledger, id: string) => ledger.release(id)],
    ] as const)('gets one more after %s', async (_, end) => {
      const { ledger, reserveKind, loseOne } = await setUpWithUnknown()
      expect(await reserveKind('unknown 3', PAYER)).toBe('unknown')
      await end(ledger, 'unknown 3')
      await loseOne('next', 'r', PAYER)
      expect(await reserveKind('one more', PAYER)).toBe('tooManyUnknown')
    })

    test('gets others when they are no longer kept', async () => {
      const { wait, reserveKind } = await setUpWithUnknown()
      await wait(VALID_MS + RECOVERY_MS - SPARE)
      expect(await reserveKind('next', PAYER)).toBe('tooManyUnknown')
      await wait(2 * SPARE)
      expect(await reserveKind('next', PAYER)).toBe('acquired')
    })

    test('may have more than that in progress', async () => {
      const { prepareOne } = await setUp()
      for (const id of [...IDS, 'one more']) await prepareOne(id, 'r', PAYER)
    })
  })

  describe('when the ledger is full', () => {
    test('evicts the payments that were delivered longest ago', async () => {
      const { ledger, reserveKind, completeOne } = await setUp({ maxEntries: 4 })
      for (const id of ['a', 'b', 'c', 'd']) await completeOne(id)
      for (const id of ['c', 'a', 'b']) await ledger.markDelivered(id)
      expect(await reserveKind('e')).toBe('acquired')
      expect(await reserveKind('a')).toBe('paid')
      expect(await reserveKind('b')).toBe('paid')
      expect(await reserveKind('d')).toBe('paid')
      expect(await reserveKind('c')).toBe('acquired')
      expect(await reserveKind('b')).toBe('paid')
      expect(await reserveKind('a')).toBe('acquired')
      expect(await ledger.size()).toBe(4)
    })

    test('evicts no more than needed', async () => {
      const { ledger, deliverOne } = await setUp({ maxEntries: 3 })
      for (const id of ['a', 'b', 'c', 'd']) await deliverOne(id)
      expect(await ledger.size()).toBe(3)
    })

    test('never evicts payments in progress, unknown or not delivered, and rejects new ones', async () => {
      const { reserve, reserveKind, prepareOne, loseOne, completeOne } = await setUp({
        maxEntries: 3,
      })
      await prepareOne('a')
      await loseOne('b')
      await completeOne('c')
      expect(await reserveKind('d')).toBe('full')
      expect(await reserveKind('a')).toBe('inProgress')
      expect(await reserve('b')).toEqual(unknownWith('r'))
      expect(await reserve('c')).toEqual(paidWith('r'))
    })

    test('does not evict a formerly delivered payment that is in progress again', async () => {
      const { wait, reserveKind, deliverOne, prepareOne } = await setUp({ maxEntries: 1 })
      await deliverOne('a')
      await wait(VALID_MS + RECOVERY_MS + SPARE)
      await prepareOne('a')
      expect(await reserveKind('b')).toBe('full')
      expect(await reserveKind('a')).toBe('inProgress')
    })

    test('has room again after a release or delivery', async () => {
      const { ledger, reserveKind, prepareOne } = await setUp({ maxEntries: 1 })
      await prepareOne('a')
      expect(await reserveKind('b')).toBe('full')
      await ledger.release('a')
      await prepareOne('b')
      await ledger.complete('b', '0x1')
      expect(await reserveKind('c')).toBe('full')
      await ledger.markDelivered('b')
      expect(await reserveKind('c')).toBe('acquired')
    })

    test('has room again when payments are no longer kept', async () => {
      const { wait, reserveKind, loseOne, completeOne } = await setUp({ maxEntries: 2 })
      await loseOne('a')
      await completeOne('b')
      await wait(VALID_MS + RECOVERY_MS - SPARE)
      expect(await reserveKind('c')).toBe('full')
      await wait(2 * SPARE)
      expect(await reserveKind('c')).toBe('acquired')
      expect(await reserveKind('d')).toBe('acquired')
      expect(await reserveKind('e')).toBe('full')
    })
  })

  describe('listUnknown', () => {
    test('lists what was prepared and is neither paid nor released, oldest first', async () => {
      const { now, ledger, validBefore, reserve, ...actions } = await setUp()
      const startsAt = now()
      await actions.loseOne('c')
      await actions.deliverOne('paid')
      await actions.prepareOne('b')
      await ledger.recordTransaction('b', '0x2')
      await ledger.recordTransaction('b', '0x1')
      await actions.prepareOne('released')
      await ledger.release('released')
      await actions.loseOne('a', null, { validBefore: validBefore + 60 })
      await reserve('only reserved')
      const listed = await ledger.listUnknown()
      const since = expect.any(Number)
      expect(listed).toEqual([
        { id: 'c', since, validBefore, amount: '10000', transactions: [] },
        { id: 'b', since, validBefore, amount: '10000', transactions: ['0x2', '0x1'] },
        { id: 'a', since, validBefore: validBefore + 60, amount: '10000', transactions: [] },
      ])
      const times = [startsAt, ...listed.map((payment) => payment.since), now()]
      expect(times).toEqual(times.toSorted((one, other) => one - other))
    })

    test('keeps the order and time of payments that are asked for again', async () => {
      const { wait, ledger, loseOne, reserve } = await setUp()
      await loseOne('a')
      await wait(SPARE)
      await loseOne('b')
      const before = await ledger.listUnknown()
      expect(before.map(({ id }) => id)).toEqual(['a', 'b'])
      await reserve('a')
      expect(await ledger.listUnknown()).toEqual(before)
      await ledger.markUnknown('a')
      expect(await ledger.listUnknown()).toEqual(before)
      await reserve('a')
      await ledger.complete('a', '0x1')
      expect(await ledger.listUnknown()).toEqual(before.slice(1))
    })

    test('lists a payment as long as it is kept', async () => {
      const { wait, ledger, loseOne } = await setUp()
      await loseOne('a')
      await wait(VALID_MS + RECOVERY_MS - SPARE)
      expect(await ledger.listUnknown()).toHaveLength(1)
      await wait(2 * SPARE)
      expect(await ledger.listUnknown()).toEqual([])
    })

    test('lists more than one script of a store reads', async () => {
      const { ledger, loseOne } = await setUp()
      const ids = Array.from({ length: 1_100 }, (_, index) => `p${index}`)
      for (const id of ids) await loseOne(id)
      expect((await ledger.listUnknown()).map(({ id }) => id)).toEqual(ids)
    })
  })

  describe('forgetOld', () => {
    test('keeps what is old by our clock and not by the clock of the chain', async () => {
      const { ledger, now, validBefore, completeOne, loseOne, reserve, reserveKind } = await setUp()
      await completeOne('paid')
      await loseOne('unknown')
      const over = validBefore + RECOVERY_MS / 1_000
      await ledger.forgetOld(over - 1)
      expect(await reserve('paid')).toEqual(paidWith('r'))
      expect(await reserve('unknown')).toEqual(unknownWith('r'))
      await ledger.markUnknown('unknown')
      await ledger.forgetOld(over)
      expect(await ledger.size()).toBe(0)
      expect(await reserveKind('paid')).toBe('acquired')
      expect(now()).toBeLessThan(validBefore * 1_000)
    })

    test('keeps a payment that is in progress', async () => {
      const { ledger, validBefore, prepareOne, reserveKind } = await setUp()
      await prepareOne('a')
      await ledger.forgetOld(validBefore + 2 * RECOVERY_MS)
      expect(await reserveKind('a')).toBe('inProgress')
      await ledger.complete('a', TEST_TRANSACTION)
      expect(await reserveKind('a')).toBe('paid')
    })
  })

  test('returns the number of payments', async () => {
    const { ledger, wait, deliverOne, loseOne, reserveKind } = await setUp()
    expect(await ledger.size()).toBe(0)
    await deliverOne('a')
    await loseOne('b')
    await reserveKind('c')
    expect(await ledger.size()).toBe(3)
    await ledger.release('c')
    expect(await ledger.size()).toBe(2)
    await wait(VALID_MS + RECOVERY_MS + SPARE)
    expect(await ledger.size()).toBe(0)
  })

  test('rejects prepare and recordTransaction for an unknown id, and changes nothing', async () => {
    const { ledger, reserveKind } = await setUp({ maxEntries: 1 })
    await expect(ledger.prepare('a', 'r')).rejects.toBeInstanceOf(LedgerUnavailable)
    await expect(ledger.recordTransaction('a', '0x1')).rejects.toBeInstanceOf(LedgerUnavailable)
    await ledger.complete('a', '0x1')
    await ledger.markDelivered('a')
    await ledger.markUnknown('a')
    await ledger.release('a')
    expect(await ledger.size()).toBe(0)
    expect(await reserveKind('a')).toBe('acquired')
  })
}
