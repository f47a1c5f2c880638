import { describe, expect, test } from 'vitest'
import { SALES_PAUSED, TOO_MANY_PAYMENTS } from './payment-problems.js'
import { createTroubleBudget } from './trouble-budget.js'

const CALLER = '192.0.2.1'
const PAYER = '0xA11ce00000000000000000000000000000000000'
const HOUR_MS = 3_600_000
const RATE_LIMITED = { code: 'rate_limited', retryAfterSeconds: 60 }

const sale = (payer = PAYER, funds?: bigint) => ({ payer, amount: 10_000n, funds })

function setUp({ limit = 2 } = {}) {
  const clock = { ms: 0 }
  const budget = createTroubleBudget({ limit, now: () => clock.ms })
  /** From a caller of its own each time, so that only the sum of all is reached. */
  let callers = 0
  const search = (times: number) => {
    for (let index = 0; index < times; index++)
      budget.count({ caller: `caller ${callers++}`, payer: null, work: ['balance', 'search'] })
  }
  return { budget, clock, search }
}

describe('trouble', () => {
  test('counts for the caller and the payer, each with a limit', () => {
    const { budget, clock } = setUp()
    budget.count({ caller: CALLER, payer: PAYER, work: [] })
    budget.count({ caller: 'another', payer: PAYER.toLowerCase(), work: [] })
    expect(budget.callerProblem(CALLER)).toBeNull()
    expect(budget.begin(sale())).toMatchObject(RATE_LIMITED)
    budget.count({ caller: CALLER, payer: null, work: [] })
    expect(budget.callerProblem(CALLER)).toMatchObject(RATE_LIMITED)
    clock.ms = 60_000
    expect(budget.callerProblem(CALLER)).toBeNull()
    expect(budget.begin(sale())).toMatchObject({ kind: 'begun' })
  })

  test('of an unproven payer leaves that payer alone', () => {
    const { budget } = setUp({ limit: 1 })
    budget.count({ caller: CALLER, payer: null, work: [] })
    expect(budget.begin(sale())).toMatchObject({ kind: 'begun' })
  })
})

test('a payer has at most 100 payments in progress', () => {
  const { budget } = setUp()
  const begun = Array.from({ length: 100 }, () => budget.begin(sale()))
  expect(budget.begin(sale())).toBe(TOO_MANY_PAYMENTS)
  for (const it of begun.slice(0, 1)) if (it.kind === 'begun') it.end()
  expect(budget.begin(sale())).toMatchObject({ kind: 'begun' })
})

describe('payments in progress share the balance of their payer', () => {
  test('so only as many begin as it pays for', () => {
    const { budget } = setUp()
    const [first] = [budget.begin(sale(PAYER, 25_000n)), budget.begin(sale(PAYER, 25_000n))]
    expect(budget.begin(sale(PAYER.toLowerCase(), 25_000n))).toEqual({ kind: 'outOfFunds' })
    expect(budget.begin(sale('0xB0b', 10_000n))).toMatchObject({ kind: 'begun' })
    if (first.kind === 'begun') first.end()
    expect(budget.begin(sale(PAYER, 25_000n))).toMatchObject({ kind: 'begun' })
  })

  test('unless another facilitator has checked it', () => {
    const { budget } = setUp()
    const begun = [1, 2, 3].map(() => budget.begin(sale()).kind)
    expect(begun).toEqual(['begun', 'begun', 'begun'])
  })
})

describe('a transaction that failed', () => {
  test('holds its payer for an hour, and nobody else', () => {
    const { budget, clock } = setUp()
    budget.countFailedTransaction(PAYER, 0.01)
    expect(budget.begin(sale())).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3_600 })
    expect(budget.begin(sale('0xB0b'))).toMatchObject({ kind: 'begun' })
    clock.ms = HOUR_MS
    expect(budget.begin(sale())).toMatchObject({ kind: 'begun' })
  })

  test('is paid for out of one budget an hour: contracts are refused first, then everyone', () => {
    const { budget, clock } = setUp()
    const fail = (payer: string) => budget.countFailedTransaction(payer, 0.25)
    for (const payer of ['0x1', '0x2', '0x3']) fail(payer)
    expect(budget.allowsContracts()).toBe(true)
    fail('0x4')
    expect(budget.allowsContracts()).toBe(false)
    for (let index = 5; index < 20; index++) fail(`0x${index}`)
    expect(budget.begin(sale('0xB0b'))).toMatchObject({ kind: 'begun' })
    fail('0x20')
    expect(budget.begin(sale('0xB0b'))).toBe(SALES_PAUSED)
    expect(budget.allowsSearches()).toBe(true)

    clock.ms = HOUR_MS - 1
    expect(budget.begin(sale('0xB0b'))).toBe(SALES_PAUSED)
    clock.ms = HOUR_MS
    expect(budget.begin(sale('0xB0b'))).toMatchObject({ kind: 'begun' })
    expect(budget.allowsContracts()).toBe(true)
  })

  test('is forgotten a minute at a time', () => {
    const { budget, clock } = setUp()
    budget.countFailedTransaction('0x1', 0.5)
    clock.ms = HOUR_MS / 2
    budget.countFailedTransaction('0x2', 0.5)
    expect(budget.allowsContracts()).toBe(false)
    clock.ms = HOUR_MS
    expect(budget.allowsContracts()).toBe(true)
    budget.countFailedTransaction('0x3', 0.5)
    expect(budget.allowsContracts()).toBe(false)
    clock.ms = 10 * HOUR_MS
    expect(budget.allowsContracts()).toBe(true)
  })
})

test('20,000 calls of the node an hour are spent on trouble; sales of plain wallets go on', () => {
  const { budget, search } = setUp()
  // One call for the balance and 65 for the search: 303 times 66 is 19,998.
  search(303)
  expect([budget.allowsSearches(), budget.allowsContracts()]).toEqual([true, true])
  search(1)
  expect([budget.allowsSearches(), budget.allowsContracts()]).toEqual([false, false])
  expect(budget.begin(sale())).toMatchObject({ kind: 'begun' })
})
