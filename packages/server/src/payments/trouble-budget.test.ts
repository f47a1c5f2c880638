import { describe, expect, test } from 'vitest'
import { SALES_PAUSED, tooManyPayments } from './payment-problems.js'
import { createTroubleBudget, type NodeWork } from './trouble-budget.js'

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
  const countFor = (work: readonly NodeWork[], times: number) => {
    for (let index = 0; index < times; index++)
      budget.count({ caller: `caller ${callers++}`, payer: null, work })
  }
  const spend = (paymentId: string, gasUsd: number, isContract = false) =>
    budget.spendGas({ paymentId, payer: PAYER, gasUsd, isContract })
  const lose = (paymentId: string, gasUsd: number) => {
    expect(spend(paymentId, gasUsd)).toBeNull()
    budget.settleGas(paymentId, { isLost: true })
  }
  return { budget, clock, countFor, spend, lose }
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
  expect(budget.begin(sale())).toEqual(tooManyPayments('in progress for one wallet'))
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

test('a payer whose transaction failed waits for an hour, and nobody else', () => {
  const { budget, clock, spend } = setUp()
  budget.hold(PAYER)
  expect(budget.begin(sale())).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3_600 })
  expect(spend('1', 0.01)).toMatchObject({ code: 'rate_limited' })
  expect(budget.begin(sale('0xB0b'))).toMatchObject({ kind: 'begun' })
  clock.ms = HOUR_MS
  expect(budget.begin(sale())).toMatchObject({ kind: 'begun' })
})

describe('gas that was lost', () => {
  test('has a ceiling for an hour: contracts are refused first, then everyone', () => {
    const { budget, clock, lose, spend } = setUp()
    for (const id of ['1', '2', '3']) lose(id, 0.25)
    expect(budget.allowsContracts()).toBe(true)
    lose('4', 0.25)
    expect(budget.allowsContracts()).toBe(false)
    // One that was a key when it was checked.
    expect(spend('contract', 0.25, true)).toBe(SALES_PAUSED)
    for (let id = 5; id < 20; id++) lose(`${id}`, 0.25)
    expect(budget.begin(sale('0xB0b'))).toMatchObject({ kind: 'begun' })
    lose('20', 0.25)
    expect(budget.begin(sale('0xB0b'))).toBe(SALES_PAUSED)
    expect(spend('21', 0.25)).toBe(SALES_PAUSED)
    expect(budget.allowsSearches()).toBe(true)

    clock.ms = HOUR_MS - 1
    expect(budget.begin(sale('0xB0b'))).toBe(SALES_PAUSED)
    clock.ms = HOUR_MS
    expect(budget.begin(sale('0xB0b'))).toMatchObject({ kind: 'begun' })
    expect(budget.allowsContracts()).toBe(true)
  })

  test('is forgotten a minute at a time', () => {
    const { budget, clock, lose } = setUp()
    lose('1', 0.5)
    clock.ms = HOUR_MS / 2
    lose('2', 0.5)
    expect(budget.allowsContracts()).toBe(false)
    clock.ms = HOUR_MS
    expect(budget.allowsContracts()).toBe(true)
    lose('3', 0.5)
    expect(budget.allowsContracts()).toBe(false)
    clock.ms = 10 * HOUR_MS
    expect(budget.allowsContracts()).toBe(true)
  })
})

const GAS_ON_ITS_WAY = tooManyPayments('gas on its way')

describe('gas on its way', () => {
  test('counts for the ceiling until it is settled, with all transactions of its payment', () => {
    const { budget, spend } = setUp()
    expect(['1', '1', '2'].map((id) => spend(id, 2))).toEqual([null, null, GAS_ON_ITS_WAY])
    expect(spend('2', 1)).toBeNull()
    budget.settleGas('1', { isLost: false })
    expect(spend('3', 4)).toBeNull()
    budget.settleGas('2', { isLost: true })
    expect([spend('4', 0.5), budget.allowsContracts()]).toEqual([GAS_ON_ITS_WAY, false])
    // With nothing on its way any more, waiting a moment would not help.
    budget.settleGas('3', { isLost: false })
    expect([spend('4', 4.5), spend('4', 4)]).toEqual([SALES_PAUSED, null])
  })

  test('is forgotten after an hour, when nothing of it can be mined any more', () => {
    const { clock, spend } = setUp()
    expect([spend('1', 5), spend('2', 1)]).toEqual([null, GAS_ON_ITS_WAY])
    clock.ms = HOUR_MS
    expect(spend('2', 1)).toBeNull()
  })

  test('of contracts has their ceiling, but the first may cost what its payment earns', () => {
    const { spend } = setUp()
    expect(spend('1', 1.5, true)).toBeNull()
    expect(spend('2', 0.1, true)).toEqual(GAS_ON_ITS_WAY)
    expect(spend('3', 0.1)).toBeNull()
  })
})

describe('20,000 calls of the node in an hour', () => {
  test('are searches at most, and wallets that are contracts may still pay', () => {
    const { budget, countFor } = setUp()
    // 65 at most for each: 307 are 19,955.
    countFor(['search'], 307)
    expect(budget.allowsSearches()).toBe(true)
    countFor(['search'], 1)
    expect([budget.allowsSearches(), budget.allowsContracts()]).toEqual([false, true])
  })

  test('are checks at most, and searches and sales of plain wallets go on', () => {
    const { budget, countFor } = setUp()
    // Two for the balance and the code, and four for the contract.
    countFor(['balance', 'contract'], 3_333)
    expect(budget.allowsContracts()).toBe(true)
    countFor(['balance', 'contract'], 1)
    expect([budget.allowsSearches(), budget.allowsContracts()]).toEqual([true, false])
    expect(budget.begin(sale())).toMatchObject({ kind: 'begun' })
  })
})
