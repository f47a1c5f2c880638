import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  describeLedgerContract,
  type LedgerBounds,
  ledgerActions,
  paidWith,
  unknownWith,
} from '../../test/support/ledger-contract.js'
import { createLocalLedger } from '../../test/support/ledgers.js'
import { MAX_REPORT_MS, RECOVERY_MS } from './ledger-rules.js'
import { openLevelJournal } from './level-journal.js'
import type { LocalLedgerStoreOptions } from './local-ledger-store.js'

/** A ledger whose clock starts at zero. */
function setUp(options: Omit<LocalLedgerStoreOptions, 'now'> = {}) {
  const clock = { now: 0 }
  const now = () => clock.now
  const ledger = createLocalLedger({ now, ...options })
  const wait = (ms: number) => {
    clock.now += ms
  }
  return { clock, ledger, now, wait, ...ledgerActions({ ledger, now }) }
}

describe('in memory', () => {
  describeLedgerContract(setUp)
})

describe('with a journal on disk', () => {
  describeLedgerContract(async (bounds: LedgerBounds) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'mailgrade-ledger-'))
    const journal = await openLevelJournal(dataDir)
    onTestFinished(async () => {
      await journal.close()
      await rm(dataDir, { recursive: true })
    })
    return setUp({ ...bounds, journal })
  })
})

describe('retention, to the millisecond', () => {
  test('keeps the report of a delivered payment while it is valid', async () => {
    const { clock, deliverOne, reserve } = setUp()
    await deliverOne('a')
    clock.now = 119_999
    expect(await reserve('a')).toEqual(paidWith('r'))
    clock.now = 120_000
    expect(await reserve('a')).toEqual(paidWith(null))
  })

  test('keeps the report of a payment completed at the last moment for a minute', async () => {
    const { clock, deliverOne, reserve } = setUp()
    clock.now = 119_999
    await deliverOne('a')
    clock.now += 59_999
    expect(await reserve('a')).toEqual(paidWith('r'))
    clock.now += 1
    expect(await reserve('a')).toEqual(paidWith(null))
  })

  test('keeps a report for ten minutes at most', async () => {
    const { clock, deliverOne, reserve } = setUp()
    const changes = { validBefore: 3_600 }
    await deliverOne('a', 'r', changes)
    clock.now = MAX_REPORT_MS - 1
    expect(await reserve('a', changes)).toEqual(paidWith('r'))
    clock.now = MAX_REPORT_MS
    expect(await reserve('a', changes)).toEqual(paidWith(null))
  })

  test('does not show a report again whose time was over before completion', async () => {
    const { clock, ledger, loseOne, reserve } = setUp()
    await loseOne('a')
    clock.now = 119_999
    expect(await reserve('a')).toEqual(unknownWith('r'))
    await ledger.markUnknown('a')
    clock.now = 120_000
    expect(await reserve('a')).toEqual(unknownWith(null))
    await ledger.complete('a', '0x1')
    expect(await reserve('a')).toEqual(paidWith(null, '0x1'))
  })
})

describe('a clock that jumps', () => {
  test.each([
    ['ahead by 26 hours', 26 * 3_600_000],
    ['back by 26 hours', -26 * 3_600_000],
  ])('%s takes no payment away', async (_, jump) => {
    const { clock, ledger, completeOne, loseOne, prepareOne, reserve, reserveKind } = setUp()
    await completeOne('paid')
    await loseOne('unknown')
    await prepareOne('in progress')
    clock.now += jump
    expect(await ledger.size()).toBe(3)
    expect(await reserveKind('paid')).toBe('paid')
    expect(await reserveKind('in progress')).toBe('inProgress')
    expect(await reserveKind('unknown')).toBe('unknown')
    await ledger.complete('unknown', '0x1')
    expect(await reserve('unknown')).toMatchObject({ kind: 'paid', transaction: '0x1' })
  })
})

test.each([
  ['26 hours', 26 * 3_600_000],
  ['a century', 100 * 365 * 24 * 3_600_000],
])('a clock that was ahead by %s, and put right, keeps no report for longer', async (_, jump) => {
  const reports = new Map<string, string | null>()
  const { clock, ledger, deliverOne } = setUp({
    journal: {
      entries: [],
      put: async ({ id, report }) => void reports.set(id, report),
      delete: async () => {},
    },
  })
  clock.now += jump
  await deliverOne('while it was ahead', 'r', { validBefore: (jump + 120_000) / 1_000 })
  clock.now -= jump
  await deliverOne('after it', 'r')
  expect([...reports.values()]).toEqual([null, 'r'])
  clock.now += MAX_REPORT_MS
  await ledger.listUnknown()
  expect([...reports.values()]).toEqual([null, null])
})

test('a payment in progress stays in progress', async () => {
  const { clock, reserveKind, prepareOne } = setUp()
  await reserveKind('a')
  await prepareOne('b')
  clock.now = 10 * RECOVERY_MS
  expect(await reserveKind('a')).toBe('inProgress')
  expect(await reserveKind('b')).toBe('inProgress')
})
