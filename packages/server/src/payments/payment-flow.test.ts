import type { OperationOutcome } from '@mailgrade/operations/run-operation'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  type PayloadChanges,
  TEST_NOW_SECONDS,
  TEST_OFFER,
  TEST_PAYER,
} from '../../test/support/payment-fixtures.js'
import {
  CLAIMS_FAILURE,
  CLAIMS_PAID,
  createTestPaymentFlow,
  expectedDelivery,
  expectedPaymentRequired,
  expectedRedelivery,
  expectedRejectedSettlement,
  expectedUnknownSettlement,
  flowWithUnknownSettlement,
  PAID,
  TEST_PAYMENT_TRANSPORT,
  UNUSED,
} from '../../test/support/payment-flow-fixture.js'
import { LedgerUnavailable } from '../state/ledger.js'
import type { AuthorizationState, SettleClaim, VerifyResult } from './facilitator.js'
import type { PaymentErrorReason } from './payment-problems.js'
import {
  LEDGER_UNAVAILABLE,
  malformedPayment,
  PAYMENT_IN_PROGRESS,
  TOO_MANY_UNKNOWN,
  tooManyPayments,
} from './payment-problems.js'

const NXDOMAIN: OperationOutcome = {
  kind: 'problem',
  code: 'unknown_domain',
  detail: 'acme.test does not exist.',
  cause: 'NXDOMAIN',
}
const OTHER_SIGNATURE = { signature: `0x${'cd'.repeat(65)}` }

/** A promise that the test resolves. */
function deferred<Value>() {
  let resolveWith: (value: Value) => void = () => {}
  const promise = new Promise<Value>((resolve) => {
    resolveWith = resolve
  })
  return { promise, resolve: resolveWith }
}

describe('a payment', () => {
  test('is verified, run and settled before the report is delivered', async () => {
    const flow = createTestPaymentFlow()
    expect(await flow.pay()).toEqual(expectedDelivery())
    expect(flow.calls()).toEqual(['verify', 'run', 'settle', 'readState'])
  })

  test('delivers the report again without calling the facilitator', async () => {
    const flow = createTestPaymentFlow()
    await flow.pay()
    flow.calls()
    expect(await flow.pay()).toEqual(expectedRedelivery())
    expect(flow.calls()).toEqual([])
  })

  test('is rejected for another request or with another signature', async () => {
    const flow = createTestPaymentFlow()
    await flow.pay()
    flow.calls()
    expect(await flow.pay({}, 'score other.test')).toEqual(
      expectedPaymentRequired('payment_already_used'),
    )
    expect(await flow.pay(OTHER_SIGNATURE)).toEqual(expectedPaymentRequired('payment_already_used'))
    expect(flow.calls()).toEqual([])
  })
})

describe('a payment that was made before the operator changed the terms', () => {
  const { requirements } = TEST_OFFER
  const changed = {
    ...TEST_OFFER,
    requirements: { ...requirements, amount: '20000', payTo: `0x${'9'.repeat(40)}` },
  } as const
  const payOnChanged = (
    flow: ReturnType<typeof createTestPaymentFlow>,
    changes: PayloadChanges = {},
    requestKey?: string,
  ) => flow.pay(changes, requestKey, undefined, changed)

  test('gets its report, and no other one', async () => {
    const flow = createTestPaymentFlow()
    await flow.pay()
    expect(await payOnChanged(flow)).toEqual(expectedRedelivery())
    expect(await payOnChanged(flow, {}, 'score other.test')).toMatchObject({
      kind: 'paymentRequired',
      reason: 'wrong_amount',
    })
  })

  test('of unknown outcome gets it once the chain shows that it was paid', async () => {
    const flow = await flowWithUnknownSettlement({})
    expect(await payOnChanged(flow)).toEqual(expectedDelivery())
  })

  test('buys nothing if it was not sold, and stays usable', async () => {
    const flow = createTestPaymentFlow()
    expect(await payOnChanged(flow)).toMatchObject({
      kind: 'paymentRequired',
      reason: 'wrong_amount',
    })
    expect(flow.calls()).toEqual([])
    expect(await flow.pay()).toEqual(expectedDelivery())
  })
})

describe('rejects without calling the facilitator', () => {
  test('a malformed payment', async () => {
    const flow = createTestPaymentFlow()
    expect(await flow.payWith({ x402Version: 1 })).toEqual(malformedPayment(TEST_PAYMENT_TRANSPORT))
    expect(await flow.payWith(null)).toEqual(malformedPayment(TEST_PAYMENT_TRANSPORT))
    expect(flow.calls()).toEqual([])
  })

  test.each<[string, PayloadChanges, PaymentErrorReason]>([
    ['with a lower amount', { accepted: { amount: '1' } }, 'wrong_amount'],
    ['to another payee', { authorization: { to: `0x${'9'.repeat(40)}` } }, 'wrong_payee'],
    [
      'that has expired',
      { authorization: { validBefore: String(TEST_NOW_SECONDS + 5) } },
      'expired',
    ],
    [
      'that is not valid yet',
      { authorization: { validAfter: String(TEST_NOW_SECONDS + 1) } },
      'not_yet_valid',
    ],
  ])('a payment %s', async (_, changes, reason) => {
    const flow = createTestPaymentFlow()
    expect(await flow.pay(changes)).toEqual(expectedPaymentRequired(reason))
    expect(flow.calls()).toEqual([])
  })
})

describe('charges nothing and keeps the payment usable', () => {
  test('if the payment is invalid, and does not run the operation', async () => {
    const flow = createTestPaymentFlow({
      verify: [{ kind: 'invalid', reason: 'insufficient_funds' }],
    })
    expect(await flow.pay()).toEqual(expectedPaymentRequired('insufficient_funds'))
    expect(flow.calls()).toEqual(['verify'])
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('if the payment cannot be verified', async () => {
    const flow = createTestPaymentFlow({ verify: [{ kind: 'unavailable', cause: 'down' }] })
    expect(await flow.pay()).toEqual({
      kind: 'problem',
      code: 'facilitator_unavailable',
      detail:
        'We couldn’t verify the payment. You weren’t charged. Send the same payment again in 2 seconds.',
      retryAfterSeconds: 2,
      charged: 'no',
      cause: 'verify: down',
    })
    expect(flow.calls()).toEqual(['verify'])
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('if the operation fails', async () => {
    const flow = createTestPaymentFlow({ run: [NXDOMAIN] })
    expect(await flow.pay()).toEqual({ ...NXDOMAIN, charged: 'no' })
    expect(flow.calls()).toEqual(['verify', 'run'])
    expect(await flow.pay({}, 'score other.test')).toEqual(expectedDelivery())
  })

  test.each(['verify', 'run'] as const)('if %s throws', async (step) => {
    const flow = createTestPaymentFlow({ [step]: [new Error('broken')] })
    await expect(flow.pay()).rejects.toThrow('broken')
    expect(flow.calls()).not.toContain('settle')
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('if the report cannot be stored', async () => {
    let isBroken = true
    const flow = createTestPaymentFlow({
      withLedger: (ledger) => ({
        ...ledger,
        prepare: (id, report) =>
          isBroken ? Promise.reject(new Error('store down')) : ledger.prepare(id, report),
      }),
    })
    await expect(flow.pay()).rejects.toThrow('store down')
    expect(flow.calls()).toEqual(['verify', 'run'])
    isBroken = false
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('if the ledger fails at prepare, and releases once, because another request may own it then', async () => {
    let releases = 0
    const flow = createTestPaymentFlow({
      withLedger: (ledger) => ({
        ...ledger,
        prepare: () => Promise.reject(new LedgerUnavailable('store down')),
        release(id) {
          releases++
          return ledger.release(id)
        },
      }),
    })
    expect(await flow.pay()).toMatchObject({ code: 'ledger_unavailable' })
    expect(releases).toBe(1)
  })

  test.each([
    ['reserve', []],
    ['prepare', ['verify', 'run']],
  ] as const)('if the ledger is unavailable at %s', async (step, calls) => {
    let isBroken = true
    const flow = createTestPaymentFlow({
      withLedger: (ledger) => ({
        ...ledger,
        [step]: (...args: [never, never]) =>
          isBroken ? Promise.reject(new LedgerUnavailable('store down')) : ledger[step](...args),
      }),
    })
    expect(await flow.pay()).toEqual({ ...LEDGER_UNAVAILABLE, cause: 'store down' })
    expect(flow.calls()).toEqual(calls)
    isBroken = false
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('if nothing was sent to the chain, and withholds the report', async () => {
    const flow = createTestPaymentFlow({
      settle: [{ kind: 'notSent', reason: 'insufficient_funds', cause: 'simulation' }],
    })
    expect(await flow.pay()).toEqual(expectedRejectedSettlement('insufficient_funds'))
    expect(flow.calls()).toEqual(['verify', 'run', 'settle'])
    expect(await flow.pay()).toEqual(expectedDelivery())
    expect(flow.calls()).toEqual(['verify', 'run', 'settle', 'readState'])
  })

  test.each([
    ['the chain did not answer', 'TimeoutError', 2],
    ['gas is expensive, which lasts longer', 'GasTooExpensive', 60],
  ])('if nothing could be sent because %s', async (_, cause, retryAfterSeconds) => {
    const flow = createTestPaymentFlow({ settle: [{ kind: 'notSent', reason: null, cause }] })
    expect(await flow.pay()).toMatchObject({
      code: 'facilitator_unavailable',
      charged: 'no',
      retryAfterSeconds,
      cause: `settle: ${cause}`,
    })
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test.each<[string, AuthorizationState, PaymentErrorReason | null]>([
    ['paid', PAID, 'payment_already_used'],
    ['void', { kind: 'void', hasReverted: false }, 'payment_already_used'],
    ['unused', UNUSED, null],
    ['unknown', { kind: 'unknown', cause: 'no chain' }, null],
  ])('if it is said to be used and the chain shows %s', async (_, state, reason) => {
    const flow = createTestPaymentFlow({
      verify: [{ kind: 'invalid', reason: 'payment_already_used' }],
      readState: [state],
    })
    expect(await flow.pay()).toMatchObject(
      reason
        ? expectedPaymentRequired(reason)
        : { code: 'facilitator_unavailable', charged: 'unknown' },
    )
    expect(flow.calls()).toEqual(['verify', 'readState'])
  })
})

describe('concurrent requests', () => {
  test('with the same payment: one proceeds and the others get 409, whatever they request', async () => {
    const settlement = deferred<SettleClaim>()
    const flow = createTestPaymentFlow({ settle: [settlement.promise] })
    const first = flow.pay()
    expect(await flow.pay()).toEqual(PAYMENT_IN_PROGRESS)
    expect(await flow.pay({}, 'score other.test')).toEqual(PAYMENT_IN_PROGRESS)
    expect(await flow.pay(OTHER_SIGNATURE)).toEqual(PAYMENT_IN_PROGRESS)
    settlement.resolve(CLAIMS_PAID)
    expect(await first).toEqual(expectedDelivery())
    expect(await flow.pay()).toEqual(expectedRedelivery())
    expect(flow.calls()).toEqual(['verify', 'run', 'settle', 'readState'])
  })

  test('with different payments both get a report', async () => {
    const flow = createTestPaymentFlow()
    const nonce = `0x${'77'.repeat(32)}`
    const both = [flow.pay(), flow.pay({ authorization: { nonce } })]
    expect(await Promise.all(both)).toEqual([expectedDelivery(), expectedDelivery()])
    expect(flow.calls().sort()).toEqual(
      ['readState', 'run', 'settle', 'verify'].flatMap((call) => [call, call]),
    )
  })
})

test('rejects a payment without a charge when the ledger is full', async () => {
  const flow = createTestPaymentFlow({
    withLedger: (ledger) => ({ ...ledger, reserve: async () => ({ kind: 'full' }) }),
  })
  expect(await flow.pay()).toMatchObject({
    kind: 'problem',
    code: 'overloaded',
    retryAfterSeconds: 2,
  })
  expect(flow.calls()).toEqual([])
})

describe('unsold attempts', () => {
  const broken = Array<OperationOutcome>(10).fill(NXDOMAIN)
  const newNonce = (index: number) => ({
    authorization: { nonce: `0x${index.toString(16).padStart(64, '0')}` },
  })

  const from = (index: number) => `192.0.2.${index}`
  const payerOf = (index: number) => `0x${index}`.padEnd(42, '0')

  test('are limited for each payer, without a charge', async () => {
    const flow = createTestPaymentFlow({ run: broken, limit: 2 })
    for (const index of [1, 2]) {
      const outcome = await flow.pay(newNonce(index), undefined, from(index))
      expect(outcome).toMatchObject({ code: 'unknown_domain' })
    }
    flow.calls()
    const payThird = () => flow.pay(newNonce(3), undefined, from(3))
    expect(await payThird()).toMatchObject({
      code: 'rate_limited',
      charged: 'no',
      retryAfterSeconds: 60,
    })
    expect(flow.calls()).toEqual(['verify'])
    flow.clock.now += 60_000
    expect(await payThird()).toMatchObject({ code: 'unknown_domain' })
  })

  test('are limited for each caller, before any work', async () => {
    const flow = createTestPaymentFlow({ run: broken, limit: 2 })
    await flow.pay(newNonce(1))
    await flow.pay(newNonce(2))
    flow.calls()
    const other = '0x00000000000000000000000000000000000E15e0'
    const payThird = () =>
      flow.pay({ authorization: { ...newNonce(3).authorization, from: other } })
    expect(await payThird()).toMatchObject({
      code: 'rate_limited',
      charged: 'unknown',
      retryAfterSeconds: 60,
    })
    expect(flow.calls()).toEqual([])
    flow.clock.now += 60_000
    expect(await payThird()).toMatchObject({ code: 'unknown_domain' })
  })

  test('are limited while they are in progress, for each payer', async () => {
    const run = Array<Promise<OperationOutcome>>(100).fill(new Promise(() => {}))
    const flow = createTestPaymentFlow({ run })
    for (let index = 0; index < 100; index++) void flow.pay(newNonce(index))
    expect(await flow.pay(newNonce(100))).toEqual(tooManyPayments('in progress for one wallet'))
    const other = {
      ...newNonce(101).authorization,
      from: '0x00000000000000000000000000000000000E15e0',
    }
    expect(await flow.pay({ authorization: other })).toMatchObject({ kind: 'delivered' })
  })

  test('are counted for the same payer in any spelling', async () => {
    const flow = createTestPaymentFlow({ run: broken, limit: 1 })
    await flow.pay(newNonce(1))
    const authorization = { ...newNonce(2).authorization, from: TEST_PAYER.toLowerCase() }
    expect(await flow.pay({ authorization }, undefined, from(2))).toMatchObject({
      code: 'rate_limited',
      charged: 'no',
    })
  })

  test('whose time is wrong count against the caller', async () => {
    const flow = createTestPaymentFlow({ limit: 1 })
    const expired = { validBefore: `${TEST_NOW_SECONDS}` }
    expect(await flow.pay({ authorization: expired })).toEqual(expectedPaymentRequired('expired'))
    expect(await flow.pay()).toMatchObject({ code: 'rate_limited', cause: 'unsold attempts' })
    expect(flow.calls()).toEqual([])
  })

  test('to find out an outcome are limited, too', async () => {
    const settle = Array<SettleClaim>(2).fill(CLAIMS_FAILURE)
    const readState = Array<AuthorizationState>(7).fill(UNUSED)
    const flow = createTestPaymentFlow({ settle, readState, limit: 2 })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('lost'))
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('lost'))
    flow.calls()
    expect(await flow.pay()).toMatchObject({ code: 'rate_limited', charged: 'unknown' })
    expect(flow.calls()).toEqual([])
    flow.clock.now += 60_000
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test.each([
    ['an invalid signature', 'invalid_signature'],
    ['too few funds', 'insufficient_funds'],
    ['a payment that is said to be used', 'payment_already_used'],
  ] as const)('with %s count against the caller, not the payer it names', async (_, reason) => {
    const verify = Array<VerifyResult>(2).fill({ kind: 'invalid', reason, work: ['balance'] })
    const flow = createTestPaymentFlow({ verify, limit: 2 })
    for (const index of [1, 2]) {
      expect(await flow.pay(newNonce(index))).toMatchObject({ reason })
    }
    flow.calls()
    expect(await flow.pay(newNonce(3))).toMatchObject({ code: 'rate_limited', charged: 'unknown' })
    expect(flow.calls()).toEqual([])
    expect(await flow.pay(newNonce(3), undefined, from(2))).toEqual(expectedDelivery())
  })

  test('with a payment that someone else made count as guesses, whichever report they name', async () => {
    const flow = createTestPaymentFlow({ limit: 2 })
    expect(await flow.pay({}, 'score bought.test', from(1))).toEqual(expectedDelivery())
    for (const guess of ['score first.test', 'score second.test']) {
      expect(await flow.pay({}, guess, from(2))).toMatchObject({ reason: 'payment_already_used' })
    }
    expect(await flow.pay({}, 'score bought.test', from(2))).toMatchObject({
      code: 'rate_limited',
      charged: 'unknown',
    })
    expect(await flow.pay({}, 'score bought.test', from(1))).toMatchObject({ isRedelivery: true })
  })

  test('that take long to verify delay nobody else, and end with the limit of their caller', async () => {
    const slow = Array.from({ length: 10 }, () => deferred<VerifyResult>())
    const flow = createTestPaymentFlow({ verify: slow.map(({ promise }) => promise), limit: 10 })
    const hostile = Array.from({ length: 60 }, (_, index) => flow.pay(newNonce(index)))
    expect(await flow.pay(newNonce(60), undefined, from(2))).toEqual(expectedDelivery())
    flow.calls()
    for (const { resolve } of slow) resolve({ kind: 'invalid', reason: 'invalid_signature' })
    const outcomes = await Promise.all(hostile)
    expect(outcomes.filter((it) => 'reason' in it)).toHaveLength(10)
    expect(outcomes.filter((it) => 'code' in it && it.code === 'rate_limited')).toHaveLength(50)
    expect(flow.calls()).toEqual([])
  })

  test.each<[string, VerifyResult]>([
    ['that cannot be verified', { kind: 'unavailable', cause: 'down' }],
    ['that are valid but may not begin', { kind: 'valid', funds: 9_999n }],
  ])('%s count against the caller', async (_, result) => {
    const flow = createTestPaymentFlow({ verify: [result, result], limit: 2 })
    for (const index of [1, 2]) {
      expect(await flow.pay(newNonce(index))).not.toMatchObject({ kind: 'delivered' })
    }
    expect(flow.calls()).toEqual(['verify', 'verify'])
    expect(await flow.pay(newNonce(3))).toMatchObject({ code: 'rate_limited', charged: 'unknown' })
    expect(flow.calls()).toEqual([])
    expect(await flow.pay(newNonce(3), undefined, from(2))).toEqual(expectedDelivery())
  })

  test('to get a report count if it is made again', async () => {
    const flow = createTestPaymentFlow({ limit: 2 })
    flow.loseCallers()
    await flow.pay()
    flow.clock.now += 12 * 3_600_000
    flow.calls()
    expect([await flow.pay(), await flow.pay()]).toEqual(Array(2).fill(expectedRedelivery()))
    expect(flow.calls()).toEqual(['run', 'run'])
    expect(await flow.pay()).toMatchObject({ code: 'rate_limited', charged: 'unknown' })
    expect(await flow.pay({}, undefined, from(2))).toEqual(expectedRedelivery())
  })

  test('of used payments are searched for with 20,000 calls of the node an hour', async () => {
    const searched = Math.ceil(20_000 / 65)
    const flow = createTestPaymentFlow({
      verify: Array(searched + 1).fill({ kind: 'invalid', reason: 'payment_already_used' }),
    })
    for (let index = 0; index < searched; index++) {
      expect(await flow.pay(newNonce(index))).toMatchObject({ reason: 'payment_already_used' })
    }
    expect(flow.calls().slice(-2)).toEqual(['verify', 'readState'])
    expect(await flow.pay(newNonce(searched))).toEqual(
      expectedUnknownSettlement(
        'payment_already_used, but we have searched the chain for too many payments',
      ),
    )
    expect(flow.calls()).toEqual(['verify'])
  })

  test('that give up waiting to be verified count', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const never = Array.from({ length: 10 }, () => new Promise<VerifyResult>(() => {}))
    const flow = createTestPaymentFlow({ verify: never, limit: 5 })
    for (const index of never.keys()) void flow.pay(newNonce(index))
    const waiting = Array.from({ length: 5 }, (_, index) => flow.pay(newNonce(100 + index)))
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await Promise.all(waiting)).toEqual(
      Array(5).fill(tooManyPayments('waiting to be verified')),
    )
    expect(await flow.pay(newNonce(200))).toMatchObject({ code: 'rate_limited' })
    expect(await flow.pay(newNonce(201), undefined, from(2))).toEqual(expectedDelivery())
  })

  test('are not sent if another one of their wallet failed a moment ago', async () => {
    const reverted = { kind: 'unused', hasReverted: true, isPending: false } as const
    let isFirst = true
    const flow = createTestPaymentFlow({
      recorded: ['0xfirst', '0xsecond'],
      settle: [{ ...CLAIMS_FAILURE, transaction: '0xfirst' }],
      readState: [reverted],
      withLedger: (ledger) => ({
        ...ledger,
        async prepare(...report) {
          const isOuter = isFirst
          isFirst = false
          if (isOuter) await flow.pay(newNonce(2))
          return ledger.prepare(...report)
        },
      }),
    })
    expect(await flow.pay(newNonce(1))).toMatchObject({
      code: 'rate_limited',
      charged: 'no',
      retryAfterSeconds: 3_600,
    })
    expect(flow.calls().filter((call) => call === 'settle')).toEqual(['settle'])
  })

  test('are not even prepared if that happened while their report was made', async () => {
    const reverted = { kind: 'unused', hasReverted: true, isPending: false } as const
    const report = deferred<OperationOutcome>()
    let prepared = 0
    const flow = createTestPaymentFlow({
      recorded: ['0xfirst', '0xsecond'],
      run: [report.promise],
      settle: [{ ...CLAIMS_FAILURE, transaction: '0xfirst' }],
      readState: [reverted],
      withLedger: (ledger) => ({
        ...ledger,
        prepare(...args) {
          prepared++
          return ledger.prepare(...args)
        },
      }),
    })
    const first = flow.pay(newNonce(1))
    expect(await flow.pay(newNonce(2))).toMatchObject({ charged: 'unknown' })
    report.resolve({ kind: 'result', result: { meta: {} as never } })
    expect(await first).toMatchObject({
      code: 'rate_limited',
      charged: 'no',
      retryAfterSeconds: 3_600,
    })
    expect(prepared).toBe(1)
  })

  test('are not sent if the ledger cannot record them, which is said', async () => {
    const flow = createTestPaymentFlow({
      recorded: ['0xfirst'],
      withLedger: (ledger) => ({
        ...ledger,
        recordTransaction: () => Promise.reject(new LedgerUnavailable('the disk is full')),
      }),
    })
    expect(await flow.pay()).toEqual({ ...LEDGER_UNAVAILABLE, cause: 'the disk is full' })
    expect(flow.calls()).toEqual(['verify', 'run'])
  })

  test('that failed on the chain for a dollar in an hour leave only plain wallets', async () => {
    const reverted = { kind: 'unused', hasReverted: true, isPending: false } as const
    const flow = createTestPaymentFlow({
      recorded: ['0xa', '0xb', '0xfirst'],
      gasUsd: 0.5,
      settle: [CLAIMS_FAILURE, CLAIMS_FAILURE],
      readState: [reverted, reverted],
    })
    const payAs = (index: number) =>
      flow.pay(
        { authorization: { ...newNonce(index).authorization, from: payerOf(index) } },
        undefined,
        from(index),
      )
    expect(await payAs(1)).toMatchObject({ charged: 'unknown' })
    expect(await payAs(2)).toMatchObject({ charged: 'unknown' })
    expect(await payAs(3)).toMatchObject({ kind: 'delivered' })
    expect(flow.contexts).toEqual([
      { allowsContracts: true },
      { allowsContracts: true },
      { allowsContracts: false },
    ])
  })

  test.each([
    ['canceled', { kind: 'void', hasReverted: false }, 'payment_already_used', 429],
    ['mined too late', { kind: 'expired' }, 'expired', 200],
  ] as const)('whose payment is %s while it is on its way cost that, too', async (...args) => {
    const [, state, reason, next] = args
    const flow = createTestPaymentFlow({
      recorded: ['0xa', '0xb', '0xfirst'],
      gasUsd: 0.5,
      settle: [CLAIMS_FAILURE, CLAIMS_FAILURE],
      readState: [state, state],
    })
    const payAs = (index: number) =>
      flow.pay({ authorization: { ...newNonce(index).authorization, from: payerOf(index) } })
    expect(await payAs(1)).toMatchObject({ kind: 'paymentRequired', reason })
    expect(await payAs(2)).toMatchObject({ kind: 'paymentRequired', reason })
    const again = { ...newNonce(3).authorization, from: payerOf(2) }
    const expected = next === 200 ? { kind: 'delivered' } : { code: 'rate_limited', charged: 'no' }
    expect(await flow.pay({ authorization: again })).toMatchObject(expected)
    expect(flow.contexts.at(-1)).toEqual({ allowsContracts: false })
  })

  test.each([
    ['canceled', { kind: 'void', hasReverted: true }],
    ['made to fail', { kind: 'unused', hasReverted: true, isPending: false }],
  ] as const)(
    'cost what they had spent, and hold their payer, if it is seen only later that one was %s',
    async (_, seen) => {
      const noChain = { kind: 'unknown', cause: 'no chain' } as const
      const flow = createTestPaymentFlow({
        recorded: ['0xa', '0xb'],
        gasUsd: 5,
        settle: [CLAIMS_FAILURE],
        readState: [noChain, noChain, noChain, seen],
      })
      const payAs = (payer: number, nonce: number) =>
        flow.pay({ authorization: { ...newNonce(nonce).authorization, from: payerOf(payer) } })
      expect(await payAs(1, 1)).toEqual(expectedUnknownSettlement('no chain'))
      expect(await payAs(2, 2)).toMatchObject({ code: 'overloaded' })
      await payAs(1, 1)
      expect(await payAs(1, 3)).toMatchObject({ cause: 'payer on hold' })
      expect(await payAs(2, 4)).toMatchObject({ cause: 'gas budget' })
    },
  )

  test('hold their payer once, and not again when someone looks them up', async () => {
    const reverted = { kind: 'unused', hasReverted: true, isPending: false } as const
    const flow = createTestPaymentFlow({
      recorded: ['0xfirst', '0xfirst'],
      settle: [CLAIMS_FAILURE],
      readState: [reverted, reverted],
    })
    const long = { validBefore: `${TEST_NOW_SECONDS + 3_600}` }
    await flow.pay({ authorization: long })
    flow.clock.now += 59 * 60_000
    expect(await flow.pay({ authorization: long })).toMatchObject({ charged: 'unknown' })
    flow.clock.now += 2 * 60_000
    const next = { ...newNonce(2).authorization, validBefore: `${TEST_NOW_SECONDS + 3_720}` }
    expect(await flow.pay({ authorization: next })).toMatchObject({ kind: 'delivered' })
  })

  test('do not count sales', async () => {
    const flow = createTestPaymentFlow({ limit: 1 })
    for (const index of [1, 2, 3])
      expect(await flow.pay(newNonce(index))).toEqual(expectedDelivery())
  })

  test('a payer with five unknown outcomes gets no sixth until one is known', async () => {
    const flow = createTestPaymentFlow({
      settle: Array(5).fill(CLAIMS_FAILURE),
      readState: Array(15).fill(UNUSED),
    })
    for (const index of [1, 2, 3, 4, 5]) {
      expect(await flow.pay(newNonce(index))).toMatchObject({ charged: 'unknown' })
    }
    flow.calls()
    expect(await flow.pay(newNonce(6))).toEqual(TOO_MANY_UNKNOWN)
    expect(flow.calls()).toEqual([])
    expect(await flow.pay(newNonce(1))).toEqual(expectedDelivery())
    expect(await flow.pay(newNonce(6))).toEqual(expectedDelivery())
  })
})
