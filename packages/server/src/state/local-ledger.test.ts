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
import { MAX_REPORT_MS, RECOVERY_MS } from './ledger.js'
import { openLevelJournal } from './level-journal.js'
import { createLocalLedger, type LocalLedgerOptions } from './local-ledger.js'

/** A ledger whose clock starts at zero. */
function setUp(options: Omit<LocalLedgerOptions, 'now'> = {}) {
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
    const { clock, deliverOne, reserve, reserveKind } = setUp()
    await deliverOne('a')
    clock.now = 119_999
    expect(await reserve('a')).toEqual(paidWith('r'))
    clock.now = 120_000
    expect(await reserveKind('a')).toBe('conflict')
    clock.now = 120_000 + RECOVERY_MS - 1
    expect(await reserveKind('a')).toBe('conflict')
    clock.now = 120_000 + RECOVERY_MS
    expect(await reserveKind('a')).toBe('acquired')
  })

  test('keeps the report of a payment completed at the last moment for a minute', async () => {
    const { clock, deliverOne, reserve, reserveKind } = setUp()
    clock.now = 119_999
    await deliverOne('a')
    clock.now += 59_999
    expect(await reserve('a')).toEqual(paidWith('r'))
    clock.now += 1
    expect(await reserveKind('a')).toBe('conflict')
  })

  test('keeps the report of a payment without an end for ten minutes after completion', async () => {
    const { clock, ledger, prepareOne, reserve } = setUp()
    const changes = { validBefore: 1e78 }
    await prepareOne('a', 'r', changes)
    clock.now = 5_000
    await ledger.complete('a', '0x1')
    clock.now = 5_000 + MAX_REPORT_MS - 1
    expect(await reserve('a', changes)).toEqual(paidWith('r', '0x1'))
    clock.now = 5_000 + MAX_REPORT_MS
    expect(await reserve('a', changes)).toEqual(paidWith(null, '0x1'))
    clock.now = 5_000 + MAX_REPORT_MS + RECOVERY_MS - 1
    expect(await reserve('a', changes)).toEqual(paidWith(null, '0x1'))
    clock.now += 1
    expect(await reserve('a', changes)).toEqual({ kind: 'acquired' })
  })

  test('keeps an unknown payment for a day after it expires', async () => {
    const { clock, ledger, loseOne, reserve, reserveKind } = setUp()
    await loseOne('a')
    clock.now = 119_999
    expect(await reserve('a')).toEqual(unknownWith('r'))
    await ledger.markUnknown('a')
    clock.now = 120_000
    expect(await reserve('a')).toEqual(unknownWith(null))
    await ledger.markUnknown('a')
    clock.now = 120_000 + RECOVERY_MS - 1
    expect(await reserve('a')).toEqual(unknownWith(null))
    await ledger.markUnknown('a')
    clock.now += 1
    expect(await reserveKind('a')).toBe('acquired')
  })

  test('does not show a report again whose time was over before completion', async () => {
    const { clock, ledger, loseOne, reserve } = setUp()
    await loseOne('a')
    clock.now = 119_999
    await reserve('a')
    await ledger.markUnknown('a')
    clock.now = 120_000
    expect(await reserve('a')).toEqual(unknownWith(null))
    await ledger.complete('a', '0x1')
    expect(await reserve('a')).toEqual(paidWith(null, '0x1'))
  })
})

describe('without a time limit', () => {
  test('a payment in progress stays in progress', async () => {
    const { clock, reserveKind, prepareOne } = setUp()
    await reserveKind('a')
    await prepareOne('b')
    clock.now = 10 * RECOVERY_MS
    expect(await reserveKind('a')).toBe('inProgress')
    expect(await reserveKind('b')).toBe('inProgress')
  })

  test('a payment that is being resolved is kept', async () => {
    const { clock, ledger, loseOne, reserve, reserveKind } = setUp()
    await loseOne('a')
    expect(await reserveKind('a')).toBe('unknown')
    clock.now = 2 * RECOVERY_MS
    expect(await reserveKind('a')).toBe('inProgress')
    expect(await ledger.listUnknown()).toHaveLength(1)
    await ledger.complete('a', '0x1')
    expect(await reserve('a')).toEqual({ kind: 'acquired' })
  })
})
