import { describe, expect, test } from 'vitest'
import { describeLedgerContract, ledgerActions } from '../../test/support/ledger-contract.js'
import { createMemoryLedger, type MemoryLedgerOptions } from './memory-ledger.js'

const TEN_MINUTES = 600_000

/** A ledger whose clock starts at zero. */
function setUp(bounds: Pick<MemoryLedgerOptions, 'maxEntries'> = {}) {
  const clock = { now: 0 }
  const ledger = createMemoryLedger({ now: () => clock.now, ...bounds })
  const wait = (ms: number) => {
    clock.now += ms
  }
  return { clock, ledger, startsAt: 0, wait, ...ledgerActions({ ledger, startsAt: 0 }) }
}

describeLedgerContract(setUp)

describe('retention, to the millisecond', () => {
  test('keeps a completed payment while it is valid', async () => {
    const { clock, completeOne, reserveKind } = setUp()
    await completeOne('a')
    clock.now = 119_999
    expect(await reserveKind('a')).toBe('completed')
    clock.now = 120_000
    expect(await reserveKind('a')).toBe('acquired')
  })

  test('keeps a payment completed at the last moment for a minute', async () => {
    const { clock, completeOne, reserveKind } = setUp()
    clock.now = 119_999
    await completeOne('a')
    clock.now += 59_999
    expect(await reserveKind('a')).toBe('completed')
    clock.now += 1
    expect(await reserveKind('a')).toBe('acquired')
  })

  test('keeps a payment without an end for ten minutes after completion', async () => {
    const { clock, completeOne, reserveKind } = setUp()
    clock.now = 5_000
    await completeOne('a', 'r', { validBefore: 1e78 })
    clock.now = 5_000 + TEN_MINUTES - 1
    expect(await reserveKind('a')).toBe('completed')
    clock.now = 5_000 + TEN_MINUTES
    expect(await reserveKind('a')).toBe('acquired')
  })

  test('keeps an unknown payment for ten minutes after it expires', async () => {
    const { clock, ledger, loseOne, reserveKind } = setUp()
    await loseOne('a')
    clock.now = TEN_MINUTES - 1
    expect(await reserveKind('a')).toBe('unknown')
    await ledger.markUnknown('a')
    clock.now = 120_000 + TEN_MINUTES - 1
    expect(await reserveKind('a')).toBe('unknown')
    await ledger.markUnknown('a')
    clock.now += 1
    expect(await reserveKind('a')).toBe('acquired')
  })
})

describe('without a time limit', () => {
  test('a payment in progress stays in progress', async () => {
    const { clock, reserveKind } = setUp()
    await reserveKind('a')
    clock.now = 10 * TEN_MINUTES
    expect(await reserveKind('a')).toBe('inProgress')
  })

  test('a payment that is being reconciled is kept', async () => {
    const { clock, loseOne, reserveKind } = setUp()
    await loseOne('a')
    expect(await reserveKind('a')).toBe('unknown')
    clock.now = 2 * TEN_MINUTES
    expect(await reserveKind('a')).toBe('inProgress')
  })
})
