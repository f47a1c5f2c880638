import type { OperationOutcome } from '@mailgrade/operations/run-operation'
import { describe, expect, test } from 'vitest'
import { createLocalLedger } from '../../test/support/ledgers.js'
import { TEST_NOW_SECONDS } from '../../test/support/payment-fixtures.js'
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
  UNUSED,
} from '../../test/support/payment-flow-fixture.js'
import type { AuthorizationState } from './facilitator.js'
import { PAYMENT_IN_PROGRESS } from './payment-problems.js'

const MINED: AuthorizationState = { kind: 'paid', transaction: '0xmined' }
const VOID: AuthorizationState = { kind: 'void', hasReverted: false }
const EXPIRED: AuthorizationState = { kind: 'expired' }
const PENDING: AuthorizationState = { kind: 'unused', hasReverted: false, isPending: true }
const REVERTED: AuthorizationState = { kind: 'unused', hasReverted: true, isPending: false }
const NO_CHAIN: AuthorizationState = { kind: 'unknown', cause: 'no chain' }
const HOUR = 3_600_000

describe('the chain decides, not the facilitator', () => {
  test('a claim of failure delivers if the chain shows the payment', async () => {
    const flow = createTestPaymentFlow({ settle: [CLAIMS_FAILURE], readState: [MINED] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['verify', 'run', 'settle', 'readState'])
  })

  test('a claim of payment delivers nothing until the chain shows it', async () => {
    const flow = createTestPaymentFlow({ readState: [UNUSED, NO_CHAIN, UNUSED, MINED] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.waits()).toEqual([500, 1_000, 2_000])
  })

  test('a claim of payment that the chain never shows stays unknown', async () => {
    const flow = createTestPaymentFlow({ readState: Array(5).fill(UNUSED) })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('not seen on the chain'))
    expect(flow.waits()).toEqual([500, 1_000, 2_000, 4_000])
  })

  test.each([
    [CLAIMS_PAID, VOID, 'payment_already_used'],
    [CLAIMS_FAILURE, VOID, 'payment_already_used'],
    [CLAIMS_FAILURE, EXPIRED, 'expired'],
  ] as const)(
    'a payment that the chain shows dead is rejected (%#)',
    async (claim, state, reason) => {
      const flow = createTestPaymentFlow({ settle: [claim], readState: [state] })
      expect(await flow.pay()).toEqual(expectedRejectedSettlement(reason))
      expect(flow.waits()).toEqual([])
    },
  )
})

describe('an unknown settlement', () => {
  test('delivers the stored report if the chain shows it as paid', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [MINED] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState'])
    expect(await flow.pay()).toEqual(expectedRedelivery('0xmined'))
    expect(flow.calls()).toEqual([])
  })

  test('is settled again if the chain shows it unused, without running the operation again', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED] })
    expect(await flow.pay()).toEqual(expectedDelivery())
    expect(flow.calls()).toEqual(['readState', 'settle', 'readState'])
  })

  test('is not settled again while its transaction is pending', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [PENDING, MINED] })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('pending'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'readState'])
  })

  test('stays unknown if nothing could be sent the second time', async () => {
    const flow = await flowWithUnknownSettlement({
      readState: [UNUSED, MINED],
      settle: [{ kind: 'notSent', reason: 'insufficient_funds', cause: 'simulation' }],
    })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('simulation'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'settle', 'readState'])
  })

  test.each([
    [VOID, 'payment_already_used'],
    [EXPIRED, 'expired'],
  ] as const)('is rejected if the chain shows it dead (%#)', async (state, reason) => {
    const flow = await flowWithUnknownSettlement({ readState: [state] })
    expect(await flow.pay()).toEqual(expectedRejectedSettlement(reason))
    expect(flow.calls()).toEqual(['readState'])
  })

  test('stays unknown while the chain does not answer', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [NO_CHAIN, NO_CHAIN, MINED] })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'readState', 'readState'])
  })

  test('stays unknown if reading the state throws', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [new Error('broken'), MINED] })
    await expect(flow.pay()).rejects.toThrow('broken')
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test('is resolved by one request at a time', async () => {
    let finishReading: (state: AuthorizationState) => void = () => {}
    const slow = new Promise<AuthorizationState>((resolve) => {
      finishReading = resolve
    })
    const flow = await flowWithUnknownSettlement({ readState: [slow] })
    const first = flow.pay()
    expect(await flow.pay()).toEqual(PAYMENT_IN_PROGRESS)
    finishReading(MINED)
    expect(await first).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState'])
  })

  test('is not available to another request or signature', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [MINED] })
    expect(await flow.pay({}, 'score other.test')).toEqual(
      expectedPaymentRequired('payment_already_used'),
    )
    const signature = `0x${'cd'.repeat(65)}`
    expect(await flow.pay({ signature })).toEqual(expectedPaymentRequired('payment_already_used'))
    expect(flow.calls()).toEqual([])
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test('of a payment that is about to expire is not settled again', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED, MINED] })
    flow.clock.now += 114_001
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('about to expire'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'readState'])
  })

  test('stays unknown after our clock says it expired, until the chain does', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED, EXPIRED] })
    flow.clock.now += 600_000
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('about to expire'))
    expect(await flow.pay()).toEqual(expectedRejectedSettlement('expired'))
  })
})

describe('a transaction that was mined and failed', () => {
  const setUp = () =>
    createTestPaymentFlow({
      recorded: ['0xreverted'],
      settle: [{ ...CLAIMS_FAILURE, transaction: '0xreverted' }],
      readState: [REVERTED, REVERTED, EXPIRED],
    })

  test('is not sent again, and its payment stays unknown until the chain shows it dead', async () => {
    const flow = setUp()
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('lost'))
    expect(flow.waits()).toEqual([])
    flow.calls()
    expect(await flow.pay()).toMatchObject({ charged: 'unknown' })
    expect(await flow.pay()).toEqual(expectedRejectedSettlement('expired'))
    expect(flow.calls()).toEqual(['readState', 'readState'])
  })

  test('puts the payer on hold for an hour', async () => {
    const flow = setUp()
    await flow.pay()
    flow.calls()
    const next = (seconds: number) => ({
      authorization: {
        nonce: `0x${'77'.repeat(32)}`,
        validBefore: String(TEST_NOW_SECONDS + seconds),
      },
    })
    expect(await flow.pay(next(120))).toMatchObject({
      code: 'rate_limited',
      charged: 'no',
      retryAfterSeconds: 3_600,
    })
    expect(flow.calls()).toEqual(['verify'])
    flow.clock.now += HOUR
    expect(await flow.pay(next(3_720))).toMatchObject({ charged: 'unknown' })
  })
})

describe('a facilitator that records its transactions', () => {
  test('delivers for a transaction of its own', async () => {
    const flow = createTestPaymentFlow({ recorded: ['0xfirst'] })
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('delivers for a transaction of an earlier attempt', async () => {
    const flow = await flowWithUnknownSettlement({
      recorded: ['0xfirst', '0xsecond'],
      readState: [UNUSED, PAID],
    })
    expect(await flow.pay()).toEqual(expectedDelivery())
  })

  test('does not deliver for a transaction of another instance', async () => {
    const flow = await flowWithUnknownSettlement({ recorded: ['0xours'], readState: [MINED] })
    expect(await flow.pay()).toEqual(expectedRejectedSettlement('payment_already_used'))
  })
})

describe('a facilitator that records its transactions, after one that did not', () => {
  test('delivers for a transaction of that one', async () => {
    const ledger = createLocalLedger({ now: () => TEST_NOW_SECONDS * 1_000 })
    await flowWithUnknownSettlement({ withLedger: () => ledger })
    const flow = createTestPaymentFlow({
      withLedger: () => ledger,
      recorded: [],
      readState: [MINED],
    })
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })
})

describe('a payment that another instance has sold meanwhile', () => {
  test('is delivered there only', async () => {
    const flow = createTestPaymentFlow({
      withLedger: (ledger) => ({ ...ledger, complete: async () => false }),
    })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('the reservation was lost'))
  })
})

describe('a payment that was charged and never delivered', () => {
  test('gets its report a day after it expired, made again', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [MINED] })
    flow.clock.now += 24 * HOUR
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'run'])
    expect(await flow.pay()).toEqual(expectedRedelivery('0xmined'))
  })

  test('is forgotten after that by the time of the chain', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [MINED] })
    flow.clock.now += 24 * HOUR + 120_000
    await flow.forgetOld()
    expect(await flow.pay()).toEqual(expectedPaymentRequired('expired'))
  })

  test('gets its report after our clock has jumped ahead', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [MINED] })
    flow.clock.now += 26 * HOUR
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test('is kept if the caller was gone', async () => {
    const flow = createTestPaymentFlow()
    flow.loseCallers()
    await flow.pay()
    flow.calls()
    flow.clock.now += 12 * HOUR
    flow.loseCallers(false)
    expect(await flow.pay()).toEqual(expectedRedelivery())
    expect(flow.calls()).toEqual(['run'])
  })

  test('is due for a day even if a stranger, who read it from the chain, was first', async () => {
    const flow = createTestPaymentFlow()
    flow.loseCallers()
    await flow.pay()
    flow.clock.now += 12 * HOUR
    flow.loseCallers(false)
    const byStranger = await flow.pay()
    flow.clock.now += 11 * HOUR
    await flow.forgetOld()
    expect([byStranger, await flow.pay()]).toEqual([expectedRedelivery(), expectedRedelivery()])
  })

  test('can be tried again if the report cannot be made', async () => {
    const failure: OperationOutcome = {
      kind: 'problem',
      code: 'dns_timeout',
      detail: 'DNS did not answer.',
      cause: 'timeout',
    }
    const ran: OperationOutcome = { kind: 'result', result: { meta: {} as never } }
    const flow = await flowWithUnknownSettlement({ readState: [MINED], run: [ran, failure] })
    flow.clock.now += HOUR
    expect(await flow.pay()).toEqual({
      kind: 'problem',
      code: 'report_not_ready',
      condition: 'analysis_failed',
      charged: 'unknown',
      retryAfterSeconds: 2,
      detail:
        'We received the payment but couldn’t make the report. DNS did not answer. Send the same payment again within 24 hours. You won’t be charged again.',
      cause: 'timeout',
    })
    expect(await flow.pay()).toEqual(expectedRedelivery('0xmined'))
  })
})

describe('a payment that may have been charged is kept', () => {
  test('if settling throws', async () => {
    const flow = createTestPaymentFlow({ settle: [new Error('broken')], readState: [MINED] })
    await expect(flow.pay()).rejects.toThrow('broken')
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['verify', 'run', 'settle', 'readState'])
  })
})
