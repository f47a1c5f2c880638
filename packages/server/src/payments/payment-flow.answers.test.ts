/** Other answers to the questions of a report that was bought: the same payment, another report. */
import type { OperationOutcome } from '@mailgrade/operations/run-operation'
import { describe, expect, test } from 'vitest'
import { TEST_NOW_SECONDS } from '../../test/support/payment-fixtures.js'
import {
  CLAIMS_FAILURE,
  createTestPaymentFlow,
  expectedPaymentRequired,
  expectedRedelivery,
  expectedUnknownSettlement,
  UNUSED,
} from '../../test/support/payment-flow-fixture.js'
import { LedgerUnavailable } from '../state/ledger.js'
import { RECOVERY_MS } from '../state/ledger-rules.js'
import { ANSWERS_OVER, ANSWERS_USED_UP, PAYMENT_IN_PROGRESS } from './payment-problems.js'

const META = { checkedAt: '2026-01-01T00:00:00Z', resolvers: [], dnsQueries: 0, durationMs: 0 }
function made(plan: number): OperationOutcome {
  const result = { plan, meta: META }
  return { kind: 'result', result }
}
const TIMEOUT: OperationOutcome = {
  kind: 'problem',
  code: 'dns_timeout',
  detail: 'DNS took too long.',
  cause: 'timeout',
}
const withPlan = (plan: number) => ({
  ...expectedRedelivery(),
  report: JSON.stringify({ plan, meta: META }),
})
const refused = (detail: string) => ({ ...expectedPaymentRequired('payment_already_used'), detail })
const OTHER_SIGNATURE = { signature: `0x${'cd'.repeat(65)}` }
const VALID_MS = 120_000

test('get a new report without a charge, with the receipt of the first', async () => {
  const flow = createTestPaymentFlow({ run: [made(0), made(1)] })
  expect(await flow.ask('')).toEqual({ ...withPlan(0), isRedelivery: false })
  flow.calls()
  expect(await flow.ask('uses=google')).toEqual(withPlan(1))
  expect(flow.calls()).toEqual(['run'])
})

test('that were given before get the same report', async () => {
  const flow = createTestPaymentFlow({ run: [made(0), made(1), made(2)] })
  for (const answers of ['', 'uses=google', 'uses=ses']) await flow.ask(answers)
  flow.calls()
  for (const [plan, answers] of ['', 'uses=google', 'uses=ses'].entries()) {
    expect(await flow.ask(answers)).toEqual(withPlan(plan))
  }
  expect(flow.calls()).toEqual([])
})

test('are given twenty times', async () => {
  const flow = createTestPaymentFlow()
  for (let count = 0; count <= 20; count++) {
    expect(await flow.ask(`${count}`)).toMatchObject({ kind: 'delivered' })
  }
  flow.calls()
  expect(await flow.ask('21')).toEqual(refused(ANSWERS_USED_UP))
  expect(await flow.ask('20')).toEqual(expectedRedelivery())
  expect(flow.calls()).toEqual([])
})

test.each([
  ['whose report cannot be made', TIMEOUT],
  ['whose report throws', new Error('fault')],
] as const)('%s do not count, and cost nothing', async (_, outcome) => {
  const flow = createTestPaymentFlow({ run: [made(0), ...Array(30).fill(outcome)] })
  await flow.ask('')
  for (let count = 0; count < 30; count++) {
    const answer = flow.ask(`${count}`)
    if (outcome instanceof Error) await expect(answer).rejects.toBe(outcome)
    else expect(await answer).toEqual({ ...TIMEOUT, charged: 'no' })
  }
  expect(await flow.ask('')).toEqual(withPlan(0))
  for (let count = 0; count < 20; count++) {
    expect(await flow.ask(`${count}`)).toEqual(expectedRedelivery())
  }
  expect(flow.calls()).not.toContain('release')
})

test('whose report cannot be made are limited for each caller', async () => {
  const flow = createTestPaymentFlow({ limit: 3, run: [made(0), TIMEOUT, TIMEOUT, TIMEOUT] })
  await flow.ask('')
  for (let count = 0; count < 3; count++) await flow.ask(`${count}`)
  flow.calls()
  expect(await flow.ask('one more')).toMatchObject({ code: 'rate_limited', charged: 'unknown' })
  expect(flow.calls()).toEqual([])
})

describe('are given for a day after the payment expires', () => {
  test('and no longer, while what was bought is still due', async () => {
    const flow = createTestPaymentFlow({ run: [made(0), made(1), made(2)] })
    await flow.ask('')
    flow.clock.now += VALID_MS + RECOVERY_MS - 1_000
    expect(await flow.ask('late')).toEqual(withPlan(1))
    flow.clock.now += 1_000
    expect(await flow.ask('late')).toEqual(refused(ANSWERS_OVER))
    expect(await flow.ask('too late')).toEqual(refused(ANSWERS_OVER))
    expect(await flow.ask('')).toEqual(withPlan(2))
    await flow.forgetOld()
    expect(await flow.ask('')).toEqual(expectedPaymentRequired('expired'))
  })

  test('also if it was valid for an hour', async () => {
    const flow = createTestPaymentFlow({ run: [made(0), made(1)] })
    const validBefore = String(TEST_NOW_SECONDS + 3_600)
    const changes = { authorization: { validBefore } }
    await flow.ask('', changes)
    await flow.ask('early', changes)
    flow.clock.now += 3_600_000 + RECOVERY_MS - 1
    expect(await flow.ask('', changes)).toEqual(withPlan(0))
    expect(await flow.ask('early', changes)).toEqual(withPlan(1))
  })
})

test('to another question, or with another signature or identifier, are refused', async () => {
  const flow = createTestPaymentFlow({ run: [made(0)] })
  await flow.ask('')
  flow.calls()
  const used = expectedPaymentRequired('payment_already_used')
  expect(await flow.ask('', {}, 'plan other.test')).toEqual(used)
  expect(await flow.ask('x', OTHER_SIGNATURE)).toEqual(used)
  const extensions = { 'payment-identifier': { info: { id: 'another_one_1234' } } }
  expect(await flow.ask('x', { top: { extensions } })).toEqual(used)
  expect(flow.calls()).toEqual([])
})

test('are given one at a time, and not before the first report', async () => {
  const ends: (() => void)[] = []
  const run = [0, 1].map(
    (plan) => new Promise<OperationOutcome>((resolve) => ends.push(() => resolve(made(plan)))),
  )
  const flow = createTestPaymentFlow({ run })
  const first = flow.ask('')
  expect(await flow.ask('uses=google')).toEqual(PAYMENT_IN_PROGRESS)
  ends[0]?.()
  expect(await first).toMatchObject({ kind: 'delivered', isRedelivery: false })
  flow.calls()
  const second = flow.ask('uses=google')
  await expect.poll(flow.calls).toEqual(['run'])
  for (const answers of ['', 'uses=google', 'uses=ses']) {
    expect(await flow.ask(answers)).toEqual(PAYMENT_IN_PROGRESS)
  }
  ends[1]?.()
  expect(await second).toEqual(withPlan(1))
  expect(await flow.ask('')).toEqual(withPlan(0))
})

test('are not given while the ledger cannot count them', async () => {
  let isDown = true
  const flow = createTestPaymentFlow({
    run: [made(0), made(1), made(2)],
    withLedger: (ledger) => ({
      ...ledger,
      async keepAnswer(...answer) {
        if (isDown) throw new LedgerUnavailable('no answer')
        await ledger.keepAnswer(...answer)
      },
    }),
  })
  await flow.ask('')
  expect(await flow.ask('uses=google')).toMatchObject({ code: 'ledger_unavailable' })
  isDown = false
  expect(await flow.ask('uses=google')).toEqual(withPlan(2))
})

test('of a payment of unknown outcome get their report once the chain shows it', async () => {
  const flow = createTestPaymentFlow({
    run: [made(0), made(1), made(2)],
    settle: [CLAIMS_FAILURE],
    readState: [UNUSED, UNUSED, UNUSED],
  })
  expect(await flow.ask('')).toEqual(expectedUnknownSettlement('lost'))
  flow.calls()
  expect(await flow.ask('uses=google')).toEqual({ ...withPlan(1), isRedelivery: false })
  expect(flow.calls()).toEqual(['readState', 'run'])
  expect(await flow.ask('')).toEqual(withPlan(2))
})
