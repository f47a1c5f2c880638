import { describe, expect, test } from 'vitest'
import { describeLedgerContract, ledgerActions } from '../../test/support/ledger-contract.js'
import { createMemoryLedger, type MemoryLedgerOptions } from './memory-ledger.js'

const TEN_MINUTES = 600_000

/** A ledger with its clock in milliseconds, which begins at zero. */
function setUp(bounds: Pick<MemoryLedgerOptions, 'maxEntries'> = {}) {
  const clock = { now: 0 }
  const ledger = createMemoryLedger({ now: () => clock.now, ...bounds })
  const wait = (ms: number) => {
    clock.now += ms
  }
  return { clock, ledger, startsAt: 0, wait, ...ledgerActions({ ledger, startsAt: 0 }) }
}

describeLedgerContract(setUp)

describe('to the millisecond', () => {
  test('what was sold is kept for as long as the payment is valid', async () => {
    const { clock, sell, kindOf } = setUp()
    await sell('a')
    clock.now = 119_999
    expect(await kindOf('a')).toBe('completed')
    clock.now = 120_000
    expect(await kindOf('a')).toBe('acquired')
  })

  test('what was sold at the last moment is kept for a minute', async () => {
    const { clock, sell, kindOf } = setUp()
    clock.now = 119_999
    await sell('a')
    clock.now += 59_999
    expect(await kindOf('a')).toBe('completed')
    clock.now += 1
    expect(await kindOf('a')).toBe('acquired')
  })

  test('what is valid for ever is kept for ten minutes from its sale', async () => {
    const { clock, sell, kindOf } = setUp()
    clock.now = 5_000
    await sell('a', 'r', { validBefore: 1e78 })
    clock.now = 5_000 + TEN_MINUTES - 1
    expect(await kindOf('a')).toBe('completed')
    clock.now = 5_000 + TEN_MINUTES
    expect(await kindOf('a')).toBe('acquired')
  })

  test('what is in doubt is kept for ten minutes beyond the payment’s end', async () => {
    const { clock, ledger, lose, kindOf } = setUp()
    await lose('a')
    clock.now = TEN_MINUTES - 1
    expect(await kindOf('a')).toBe('unknown')
    await ledger.markUnknown('a')
    clock.now = 120_000 + TEN_MINUTES - 1
    expect(await kindOf('a')).toBe('unknown')
    await ledger.markUnknown('a')
    clock.now += 1
    expect(await kindOf('a')).toBe('acquired')
  })
})

describe('however long it takes,', () => {
  test('a payment that is worked on stays so', async () => {
    const { clock, kindOf } = setUp()
    await kindOf('a')
    clock.now = 10 * TEN_MINUTES
    expect(await kindOf('a')).toBe('inProgress')
  })

  test('a payment that somebody finds out about is not forgotten', async () => {
    const { clock, lose, kindOf } = setUp()
    await lose('a')
    expect(await kindOf('a')).toBe('unknown')
    clock.now = 2 * TEN_MINUTES
    expect(await kindOf('a')).toBe('inProgress')
  })
})
