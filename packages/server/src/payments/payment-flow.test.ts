import { describe, expect, test } from 'vitest'
import { type PayloadChanges, TEST_NOW_SECONDS } from '../../test/support/payment-fixtures.js'
import {
  createTestPaymentFlow,
  expectedDelivery,
  expectedPaymentRequired,
  expectedRedelivery,
  expectedRejectedSettlement,
  TEST_PAYMENT_TRANSPORT,
} from '../../test/support/payment-flow-fixture.js'
import type { OperationOutcome } from '../operations/run-operation.js'
import { LedgerUnavailable } from '../state/ledger.js'
import type { SettleResult } from './facilitator.js'
import type { PaymentErrorReason } from './payment-problems.js'
import { LEDGER_UNAVAILABLE, malformedPayment, PAYMENT_IN_PROGRESS } from './payment-problems.js'

const NXDOMAIN: OperationOutcome = {
  kind: 'problem',
  code: 'unknown_domain',
  detail: 'acme.test does not exist.',
  cause: 'NXDOMAIN',
}
const OTHER_SIGNATURE = { signature: `0x${'cd'.repeat(65)}` }

/** An answer that comes when it is told to. */
function later<Value>() {
  let give: (value: Value) => void = () => {}
  const promise = new Promise<Value>((resolve) => {
    give = resolve
  })
  return { promise, give }
}

describe('a sale', () => {
  test('is verified, worked for, settled, and only then handed out', async () => {
    const flow = createTestPaymentFlow()
    expect(await flow.pay()).toEqual(expectedDelivery())
    expect(flow.calls()).toEqual(['verify', 'run', 'settle'])
  })

  test('is handed out again without asking anybody', async () => {
    const flow = createTestPaymentFlow()
    await flow.pay()
    flow.calls()
    expect(await flow.pay()).toEqual(expectedRedelivery())
    expect(flow.calls()).toEqual([])
  })

  test('is not handed out for another request, or to whom changes the signature', async () => {
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

describe('nobody is asked about', () => {
  test('what is no payment', async () => {
    const flow = createTestPaymentFlow()
    expect(await flow.payWith({ x402Version: 1 })).toEqual(malformedPayment(TEST_PAYMENT_TRANSPORT))
    expect(await flow.payWith(null)).toEqual(malformedPayment(TEST_PAYMENT_TRANSPORT))
    expect(flow.calls()).toEqual([])
  })

  test.each<[string, PayloadChanges, PaymentErrorReason]>([
    ['for too little', { accepted: { amount: '1' } }, 'wrong_amount'],
    ['to somebody else', { authorization: { to: `0x${'9'.repeat(40)}` } }, 'wrong_payee'],
    [
      'that has expired',
      { authorization: { validBefore: String(TEST_NOW_SECONDS + 5) } },
      'expired',
    ],
    [
      'before its time',
      { authorization: { validAfter: String(TEST_NOW_SECONDS + 1) } },
      'not_yet_valid',
    ],
  ])('a payment %s', async (_, changes, reason) => {
    const flow = createTestPaymentFlow()
    expect(await flow.pay(changes)).toEqual(expectedPaymentRequired(reason))
    expect(flow.calls()).toEqual([])
  })
})

describe('without a charge, and with the payment as good as before, ends', () => {
  test('one that does not verify: no work is done for it', async () => {
    const flow = createTestPaymentFlow({
      verify: [{ kind: 'invalid', reason: 'insufficient_funds' }],
    })
    expect(await flow.pay()).toEqual(expectedPaymentRequired('insufficient_funds'))
    expect(flow.calls()).toEqual(['verify'])
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('one that cannot be verified: that is no refusal', async () => {
    const flow = createTestPaymentFlow({ verify: [{ kind: 'unavailable', cause: 'down' }] })
    expect(await flow.pay()).toEqual({
      kind: 'problem',
      code: 'facilitator_unavailable',
      detail:
        'The payment could not be verified. You were not charged. Send the same payment again in 2 seconds.',
      retryAfterSeconds: 2,
      charged: 'no',
      cause: 'verify: down',
    })
    expect(flow.calls()).toEqual(['verify'])
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('one for a report that there is not: nothing is settled', async () => {
    const flow = createTestPaymentFlow({ run: [NXDOMAIN] })
    expect(await flow.pay()).toEqual({ ...NXDOMAIN, charged: 'no' })
    expect(flow.calls()).toEqual(['verify', 'run'])
    expect(await flow.pay({}, 'score other.test')).toEqual(expectedDelivery())
  })

  test.each(['verify', 'run'] as const)('one whose %s throws', async (step) => {
    const flow = createTestPaymentFlow({ [step]: [new Error('broken')] })
    await expect(flow.pay()).rejects.toThrow('broken')
    expect(flow.calls()).not.toContain('settle')
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('one whose report cannot be kept', async () => {
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

  test('one whose pledge fails, and it is let go of once: by then another may have it', async () => {
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
  ] as const)('one where no ledger can vouch for the payment, at its %s', async (step, calls) => {
    let isBroken = true
    const flow = createTestPaymentFlow({
      withLedger: (ledger) => ({
        ...ledger,
        [step]: (...given: [never, never]) =>
          isBroken ? Promise.reject(new LedgerUnavailable('store down')) : ledger[step](...given),
      }),
    })
    expect(await flow.pay()).toEqual({ ...LEDGER_UNAVAILABLE, cause: 'store down' })
    expect(flow.calls()).toEqual(calls)
    isBroken = false
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('one that is refused: the report is withheld, and a receipt says so', async () => {
    const flow = createTestPaymentFlow({
      settle: [{ kind: 'rejected', reason: 'insufficient_funds' }],
    })
    expect(await flow.pay()).toEqual(expectedRejectedSettlement('insufficient_funds'))
    expect(flow.calls()).toEqual(['verify', 'run', 'settle'])
    expect(await flow.pay()).toEqual(expectedDelivery())
    expect(flow.calls()).toEqual(['verify', 'run', 'settle'])
  })
})

describe('of two who come at once with the same payment', () => {
  test('one is served and one waits, whatever the other asks for', async () => {
    const settlement = later<SettleResult>()
    const flow = createTestPaymentFlow({ settle: [settlement.promise] })
    const first = flow.pay()
    expect(await flow.pay()).toEqual(PAYMENT_IN_PROGRESS)
    expect(await flow.pay({}, 'score other.test')).toEqual(PAYMENT_IN_PROGRESS)
    expect(await flow.pay(OTHER_SIGNATURE)).toEqual(PAYMENT_IN_PROGRESS)
    settlement.give({ kind: 'settled', transaction: '0xfirst' })
    expect(await first).toEqual(expectedDelivery())
    expect(await flow.pay()).toEqual(expectedRedelivery())
    expect(flow.calls()).toEqual(['verify', 'run', 'settle'])
  })

  test('those with different payments are both served', async () => {
    const flow = createTestPaymentFlow()
    const nonce = `0x${'77'.repeat(32)}`
    const both = [flow.pay(), flow.pay({ authorization: { nonce } })]
    expect(await Promise.all(both)).toEqual([expectedDelivery(), expectedDelivery()])
    expect(flow.calls().sort()).toEqual(['run', 'run', 'settle', 'settle', 'verify', 'verify'])
  })
})

test('too many sales at once: nobody is asked, nothing is charged', async () => {
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
