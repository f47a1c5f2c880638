import { describe, expect, test } from 'vitest'
import { type PayloadChanges, TEST_NOW_SECONDS } from '../../test/support/payment-fixtures.js'
import {
  createTestPaymentFlow,
  expectedDelivery,
  expectedPaymentRequired,
  expectedRedelivery,
  expectedRefusedSettlement,
  TEST_PAYMENT_TRANSPORT,
} from '../../test/support/payment-flow-fixture.js'
import type { OperationOutcome } from '../operations/run-operation.js'
import { LedgerUnavailable } from '../state/ledger.js'
import type { SettleResult } from './facilitator.js'
import type { PaymentErrorReason } from './payment-error-reasons.js'
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
    const gate = createTestPaymentFlow()
    expect(await gate.buy()).toEqual(expectedDelivery())
    expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
  })

  test('is handed out again without asking anybody', async () => {
    const gate = createTestPaymentFlow()
    await gate.buy()
    gate.calls()
    expect(await gate.buy()).toEqual(expectedRedelivery())
    expect(gate.calls()).toEqual([])
  })

  test('is not handed out for another request, or to whom changes the signature', async () => {
    const gate = createTestPaymentFlow()
    await gate.buy()
    gate.calls()
    expect(await gate.buy({}, 'score other.test')).toEqual(
      expectedPaymentRequired('payment_already_used'),
    )
    expect(await gate.buy(OTHER_SIGNATURE)).toEqual(expectedPaymentRequired('payment_already_used'))
    expect(gate.calls()).toEqual([])
  })
})

describe('nobody is asked about', () => {
  test('what is no payment', async () => {
    const gate = createTestPaymentFlow()
    expect(await gate.bring({ x402Version: 1 })).toEqual(malformedPayment(TEST_PAYMENT_TRANSPORT))
    expect(await gate.bring(null)).toEqual(malformedPayment(TEST_PAYMENT_TRANSPORT))
    expect(gate.calls()).toEqual([])
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
    const gate = createTestPaymentFlow()
    expect(await gate.buy(changes)).toEqual(expectedPaymentRequired(reason))
    expect(gate.calls()).toEqual([])
  })
})

describe('without a charge, and with the payment as good as before, ends', () => {
  test('one that does not verify: no work is done for it', async () => {
    const gate = createTestPaymentFlow({
      verify: [{ kind: 'invalid', reason: 'insufficient_funds' }],
    })
    expect(await gate.buy()).toEqual(expectedPaymentRequired('insufficient_funds'))
    expect(gate.calls()).toEqual(['verify'])
    expect(await gate.buy()).toEqual(expectedDelivery())
  })

  test('one that cannot be verified: that is no refusal', async () => {
    const gate = createTestPaymentFlow({ verify: [{ kind: 'unavailable', cause: 'down' }] })
    expect(await gate.buy()).toEqual({
      kind: 'problem',
      code: 'facilitator_unavailable',
      detail:
        'The payment could not be checked. Nothing was charged; send the same payment again in a moment.',
      retryAfterSeconds: 2,
      charged: 'no',
      cause: 'verify: down',
    })
    expect(gate.calls()).toEqual(['verify'])
    expect(await gate.buy()).toEqual(expectedDelivery())
  })

  test('one for a report that there is not: nothing is settled', async () => {
    const gate = createTestPaymentFlow({ work: [NXDOMAIN] })
    expect(await gate.buy()).toEqual({ ...NXDOMAIN, charged: 'no' })
    expect(gate.calls()).toEqual(['verify', 'work'])
    expect(await gate.buy({}, 'score other.test')).toEqual(expectedDelivery())
  })

  test.each(['verify', 'work'] as const)('one whose %s throws', async (step) => {
    const gate = createTestPaymentFlow({ [step]: [new Error('broken')] })
    await expect(gate.buy()).rejects.toThrow('broken')
    expect(gate.calls()).not.toContain('settle')
    expect(await gate.buy()).toEqual(expectedDelivery())
  })

  test('one whose report cannot be kept', async () => {
    let isBroken = true
    const gate = createTestPaymentFlow({
      withLedger: (ledger) => ({
        ...ledger,
        prepare: (id, report) =>
          isBroken ? Promise.reject(new Error('store down')) : ledger.prepare(id, report),
      }),
    })
    await expect(gate.buy()).rejects.toThrow('store down')
    expect(gate.calls()).toEqual(['verify', 'work'])
    isBroken = false
    expect(await gate.buy()).toEqual(expectedDelivery())
  })

  test('one whose pledge fails, and it is let go of once: by then another may have it', async () => {
    let releases = 0
    const gate = createTestPaymentFlow({
      withLedger: (ledger) => ({
        ...ledger,
        prepare: () => Promise.reject(new LedgerUnavailable('store down')),
        release(id) {
          releases++
          return ledger.release(id)
        },
      }),
    })
    expect(await gate.buy()).toMatchObject({ code: 'ledger_unavailable' })
    expect(releases).toBe(1)
  })

  test.each([
    ['reserve', []],
    ['prepare', ['verify', 'work']],
  ] as const)('one where no ledger can vouch for the payment, at its %s', async (step, calls) => {
    let isBroken = true
    const gate = createTestPaymentFlow({
      withLedger: (ledger) => ({
        ...ledger,
        [step]: (...given: [never, never]) =>
          isBroken ? Promise.reject(new LedgerUnavailable('store down')) : ledger[step](...given),
      }),
    })
    expect(await gate.buy()).toEqual({ ...LEDGER_UNAVAILABLE, cause: 'store down' })
    expect(gate.calls()).toEqual(calls)
    isBroken = false
    expect(await gate.buy()).toEqual(expectedDelivery())
  })

  test('one that is refused: the report is withheld, and a receipt says so', async () => {
    const gate = createTestPaymentFlow({
      settle: [{ kind: 'refused', reason: 'insufficient_funds' }],
    })
    expect(await gate.buy()).toEqual(expectedRefusedSettlement('insufficient_funds'))
    expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
    expect(await gate.buy()).toEqual(expectedDelivery())
    expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
  })
})

describe('of two who come at once with the same payment', () => {
  test('one is served and one waits, whatever the other asks for', async () => {
    const settlement = later<SettleResult>()
    const gate = createTestPaymentFlow({ settle: [settlement.promise] })
    const first = gate.buy()
    expect(await gate.buy()).toEqual(PAYMENT_IN_PROGRESS)
    expect(await gate.buy({}, 'score other.test')).toEqual(PAYMENT_IN_PROGRESS)
    expect(await gate.buy(OTHER_SIGNATURE)).toEqual(PAYMENT_IN_PROGRESS)
    settlement.give({ kind: 'settled', transaction: '0xfirst' })
    expect(await first).toEqual(expectedDelivery())
    expect(await gate.buy()).toEqual(expectedRedelivery())
    expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
  })

  test('those with different payments are both served', async () => {
    const gate = createTestPaymentFlow()
    const nonce = `0x${'77'.repeat(32)}`
    const both = [gate.buy(), gate.buy({ authorization: { nonce } })]
    expect(await Promise.all(both)).toEqual([expectedDelivery(), expectedDelivery()])
    expect(gate.calls().sort()).toEqual(['settle', 'settle', 'verify', 'verify', 'work', 'work'])
  })
})

test('too many sales at once: nobody is asked, nothing is charged', async () => {
  const gate = createTestPaymentFlow({
    withLedger: (ledger) => ({ ...ledger, reserve: async () => ({ kind: 'full' }) }),
  })
  expect(await gate.buy()).toMatchObject({
    kind: 'problem',
    code: 'overloaded',
    retryAfterSeconds: 2,
  })
  expect(gate.calls()).toEqual([])
})
