import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ledgerActions, paidWith, unknownWith } from '../../test/support/ledger-contract.js'
import { createLocalLedger } from '../../test/support/ledgers.js'
import { LedgerUnavailable } from './ledger.js'
import { MAX_UNKNOWN_PER_PAYER, RECOVERY_MS } from './ledger-rules.js'
import type { JournalEntry, LedgerJournal, LocalLedgerStoreOptions } from './local-ledger-store.js'

function setUp(options: Omit<LocalLedgerStoreOptions, 'now'> = {}) {
  const clock = { now: 0 }
  const now = () => clock.now
  const ledger = createLocalLedger({ now, ...options })
  return { clock, ledger, ...ledgerActions({ ledger, now }) }
}

/** A journal in memory that records its writes and can be broken. */
function createTestJournal(entries: readonly JournalEntry[] = []) {
  const stored = new Map(entries.map((entry) => [entry.id, entry]))
  const fault: { error: Error | null } = { error: null }
  const writes: string[] = []
  const write = async (name: string, act: () => unknown) => {
    writes.push(name)
    if (fault.error) throw fault.error
    act()
  }
  const journal: LedgerJournal = {
    entries,
    put: (entry, isSynced) =>
      write(`put ${entry.state}${isSynced ? ', synced' : ''}`, () => stored.set(entry.id, entry)),
    delete: (id) => write('delete', () => stored.delete(id)),
  }
  return {
    journal,
    fault,
    /** The writes since the last time, in order. */
    writes: () => writes.splice(0),
    /** The same journal, opened again. */
    reopen: () => createTestJournal([...stored.values()]),
  }
}

describe('when the reports are too long', () => {
  test('does not store a report, and the sale goes on', async () => {
    const { ledger, completeOne, prepareOne, loseOne, reserve } = setUp({ maxCharacters: 10 })
    await prepareOne('a', '123456')
    await loseOne('b', '12345')
    expect(await reserve('b')).toEqual(unknownWith(null))
    await completeOne('c', '12345')
    expect(await reserve('c')).toEqual(paidWith(null))
    await completeOne('d', '1234')
    expect(await reserve('d')).toEqual(paidWith('1234'))
    await ledger.complete('a', '0x1')
    expect(await reserve('a')).toEqual(paidWith('123456', '0x1'))
  })

  test('does not store another report of a purchase, which counts, and keeps the others', async () => {
    const { clock, ledger, deliverOne, prepareOne, reserve } = setUp({ maxCharacters: 10 })
    const asking = (requestKey: string) => ({ requestKey, purchaseKey: 'plan' })
    await deliverOne('a', '123', asking('first'))
    for (const [requestKey, report] of [
      ['second', '456'],
      ['third', '78901'],
    ] as const) {
      await reserve('a', asking(requestKey))
      await ledger.keepAnswer('a', report)
    }
    for (const [requestKey, report] of [
      ['first', '123'],
      ['second', '456'],
      ['third', null],
    ] as const) {
      expect(await reserve('a', asking(requestKey))).toEqual(paidWith(report))
    }
    await prepareOne('b', '1234')
    await ledger.complete('b', '0x1')
    expect(await reserve('b')).toEqual(paidWith('1234', '0x1'))
    clock.now = 120_000 + RECOVERY_MS
    await prepareOne('c', '1234567890')
    await ledger.complete('c', '0x1')
    expect(await reserve('c')).toEqual(paidWith('1234567890', '0x1'))
  })

  test('does not count released, expired or evicted reports', async () => {
    const { clock, ledger, prepareOne, loseOne, deliverOne, reserve } = setUp({
      maxCharacters: 10,
      maxEntries: 4,
    })
    for (let time = 0; time < 5; time++) {
      const validBefore = clock.now / 1_000 + 120
      await prepareOne('a', '1234567890')
      await ledger.release('a')
      await loseOne(`unknown ${time}`, '1234567890', { validBefore })
      clock.now += 120_000
      await ledger.size()
      await deliverOne('b', '1234567890', { validBefore: validBefore + 120 })
      expect(await reserve('b', { validBefore: validBefore + 120 })).toEqual(paidWith('1234567890'))
      clock.now += RECOVERY_MS + 120_000
      await ledger.forgetOld(clock.now / 1_000)
    }
  })

  test('counts reports that are about to be stored', async () => {
    const { ledger, reserve } = setUp({ maxCharacters: 10, journal: createTestJournal().journal })
    await Promise.all(['a', 'b', 'c'].map((id) => reserve(id)))
    await Promise.all(['a', 'b', 'c'].map((id) => ledger.prepare(id, '12345')))
    await Promise.all(['a', 'b', 'c'].map((id) => ledger.markUnknown(id)))
    expect(await reserve('a')).toEqual(unknownWith('12345'))
    expect(await reserve('b')).toEqual(unknownWith('12345'))
    expect(await reserve('c')).toEqual(unknownWith(null))
  })
})

describe('writes to the journal', () => {
  test('are synced before a charge and not after it', async () => {
    const { journal, writes } = createTestJournal()
    const { ledger, reserve } = setUp({ journal })
    await reserve('a')
    expect(writes()).toEqual([])
    await ledger.prepare('a', 'r')
    await ledger.recordTransaction('a', '0x1')
    expect(writes()).toEqual(['put inProgress, synced', 'put inProgress, synced'])
    await ledger.markUnknown('a')
    expect(writes()).toEqual(['put unknown'])
    await reserve('a')
    expect(writes()).toEqual([])
    await ledger.recordTransaction('a', '0x2')
    expect(writes()).toEqual(['put unknown, synced'])
    await ledger.complete('a', '0x2')
    await ledger.markDelivered('a')
    expect(writes()).toEqual(['put paid', 'put paid'])
    await reserve('a')
    await ledger.markDelivered('a')
    expect(writes()).toEqual([])
  })

  test('leave out payments that were not prepared', async () => {
    const { journal, writes } = createTestJournal()
    const { ledger, reserve, prepareOne } = setUp({ journal })
    await reserve('a')
    await ledger.release('a')
    await reserve('b')
    await ledger.markUnknown('b')
    expect(writes()).toEqual([])
    await prepareOne('c')
    await ledger.release('c')
    expect(writes()).toEqual(['put inProgress, synced', 'delete'])
  })

  test('are synced for another report of a purchase, before its caller gets it', async () => {
    const { journal, writes, reopen } = createTestJournal()
    const { ledger, deliverOne, reserve } = setUp({ journal })
    const asking = (requestKey: string) => ({ requestKey, purchaseKey: 'plan' })
    await deliverOne('a', 'r', asking('first'))
    writes()
    await reserve('a', asking('failed'))
    await ledger.release('a')
    await reserve('a', asking('second'))
    expect(writes()).toEqual(['put paid'])
    await ledger.keepAnswer('a', 'r2')
    expect(writes()).toEqual(['put paid, synced'])
    const restarted = setUp({ journal: reopen().journal })
    expect(await restarted.reserve('a', asking('second'))).toEqual(paidWith('r2'))
  })

  test('delete a report when its time is over, and the payment a day later', async () => {
    const { journal, writes, reopen } = createTestJournal()
    const { clock, ledger, deliverOne } = setUp({ journal })
    await deliverOne('a')
    writes()
    clock.now = 120_000
    await ledger.size()
    await ledger.size()
    expect(writes()).toEqual(['put paid'])
    expect(reopen().journal.entries).toMatchObject([{ id: 'a', report: null, isDelivered: true }])
    await ledger.forgetOld(120 + RECOVERY_MS / 1_000)
    expect(await ledger.size()).toBe(0)
    expect(writes()).toEqual(['delete'])
    expect(reopen().journal.entries).toEqual([])
  })
})

describe('a journal that cannot be written', () => {
  const DISK_FULL = Object.assign(new Error('IO error: No space left'), { code: 'LEVEL_IO_ERROR' })
  const unavailable = new LedgerUnavailable('the journal cannot be written: LEVEL_IO_ERROR')

  test('rejects prepare, and the payment can be released', async () => {
    const { journal, fault } = createTestJournal()
    const { ledger, reserve, reserveKind } = setUp({ journal })
    await reserve('a')
    fault.error = DISK_FULL
    await expect(ledger.prepare('a', 'r')).rejects.toEqual(unavailable)
    expect(await reserveKind('a')).toBe('inProgress')
    await ledger.release('a')
    expect(await ledger.size()).toBe(0)
    fault.error = null
    expect(await reserveKind('a')).toBe('acquired')
    await ledger.prepare('a', 'r')
  })

  test('deletes a payment on release that may have been written all the same', async () => {
    const { journal, fault, writes } = createTestJournal()
    const { ledger, reserve } = setUp({ journal })
    await reserve('a')
    fault.error = DISK_FULL
    await expect(ledger.prepare('a', 'r')).rejects.toEqual(unavailable)
    fault.error = null
    await ledger.release('a')
    expect(writes()).toEqual(['put inProgress, synced', 'delete'])
  })

  test('rejects recordTransaction; the payment is unknown then', async () => {
    const { journal, fault, reopen } = createTestJournal()
    const { ledger, prepareOne, reserveKind } = setUp({ journal })
    await prepareOne('a')
    fault.error = DISK_FULL
    await expect(ledger.recordTransaction('a', '0x1')).rejects.toEqual(unavailable)
    await ledger.markUnknown('a')
    expect(await reserveKind('a')).toBe('unknown')
    const restarted = setUp({ journal: reopen().journal })
    expect(await restarted.reserve('a')).toEqual(unknownWith('r'))
  })

  test('does not stop complete, markDelivered and markUnknown; after a restart the chain decides', async () => {
    const { journal, fault, reopen } = createTestJournal()
    const { ledger, prepareOne, reserve } = setUp({ journal })
    await prepareOne('a')
    await ledger.recordTransaction('a', '0x1')
    await prepareOne('b')
    fault.error = DISK_FULL
    await ledger.complete('a', '0x1')
    await ledger.markDelivered('a')
    await ledger.markUnknown('b')
    expect(await reserve('a')).toEqual(paidWith('r', '0x1'))
    expect(await reserve('b')).toEqual(unknownWith('r'))
    const restarted = setUp({ journal: reopen().journal })
    expect(await restarted.reserve('a')).toEqual(unknownWith('r', '0x1'))
    expect(await restarted.reserve('b')).toEqual(unknownWith('r'))
  })
})

describe('any sequence of steps', () => {
  const step = fc.record({
    step: fc.constantFrom(
      'reserve',
      'reserve',
      'record',
      'complete',
      'deliver',
      'markUnknown',
      'release',
      'wait',
      'restart',
    ),
    id: fc.constantFrom('a', 'b', 'c', 'd'),
    ms: fc.oneof(fc.integer({ min: 0, max: 700_000 }), fc.constant(RECOVERY_MS)),
  })

  /** Tracks which payments are reserved and which may have been charged, to compare. */
  function setUpModel() {
    const clock = { now: 0 }
    const now = () => clock.now
    let test = createTestJournal()
    const open = () =>
      createLocalLedger({ now, journal: test.journal, maxEntries: 3, maxCharacters: 4 })
    let ledger = open()
    const owned = new Set<string>()
    /** Until when they must be known. */
    const charged = new Map<string, number>()
    const isKept = (id: string) => (charged.get(id) ?? 0) > clock.now
    const end = (finish: (id: string) => Promise<unknown>) => async (id: string) => {
      if (owned.delete(id)) await finish(id)
    }
    return {
      complete: end((id) => ledger.complete(id, '0xt')),
      markUnknown: end((id) => ledger.markUnknown(id)),
      release: end(async (id) => {
        charged.delete(id)
        await ledger.release(id)
      }),
      async record(id: string) {
        if (owned.has(id)) await ledger.recordTransaction(id, '0xt')
      },
      async deliver(id: string) {
        if (owned.has(id)) return
        // From now on it may be evicted.
        charged.delete(id)
        await ledger.markDelivered(id)
      },
      async reserve(id: string) {
        const { reserve } = ledgerActions({ ledger, now: () => 0 })
        const { kind } = await reserve(id, { payer: 'one payer' })
        expect(kind === 'inProgress').toBe(owned.has(id))
        if (isKept(id) && !owned.has(id)) expect(['unknown', 'paid']).toContain(kind)
        if (kind !== 'acquired' && kind !== 'unknown') return
        owned.add(id)
        if (kind === 'unknown') return
        await ledger.prepare(id, 'xx')
        charged.set(id, 120_000 + RECOVERY_MS)
      },
      async wait(_: string, ms: number) {
        clock.now += ms
      },
      async restart() {
        test = test.reopen()
        ledger = open()
        owned.clear()
      },
      async check() {
        expect(await ledger.size()).toBeLessThanOrEqual(3)
        const unknown = await ledger.listUnknown()
        expect(unknown.length).toBeLessThanOrEqual(MAX_UNKNOWN_PER_PAYER)
      },
    }
  }

  test('keeps each payment with one owner, and loses none that may have been charged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const model = setUpModel()
        for (const { step, id, ms } of steps) {
          await model[step](id, ms)
          await model.check()
        }
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})
