import { describe, expect, test } from 'vitest'
import {
  createTestPaymentFlow,
  expectedDelivery,
  expectedPaymentRequired,
  expectedRedelivery,
  expectedRejectedSettlement,
  expectedUnknownSettlement,
  flowWithUnknownSettlement,
} from '../../test/support/payment-flow-fixture.js'
import type { AuthorizationState, SettleResult } from './facilitator.js'
import { PAYMENT_IN_PROGRESS } from './payment-problems.js'

const LOST: SettleResult = { kind: 'unknown', cause: 'lost' }
const SETTLED: SettleResult = { kind: 'settled', transaction: '0xsecond' }
const USED: SettleResult = { kind: 'rejected', reason: 'payment_already_used' }
const PAID: AuthorizationState = { kind: 'paid', transaction: '0xmined' }
const UNUSED: AuthorizationState = { kind: 'unused' }
const VOID: AuthorizationState = { kind: 'void' }
const NO_CHAIN: AuthorizationState = { kind: 'unknown', cause: 'no chain' }

describe('an unknown settlement', () => {
  test('delivers the stored report if the chain shows it as paid', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [PAID] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState'])
    expect(await flow.pay()).toEqual(expectedRedelivery('0xmined'))
    expect(flow.calls()).toEqual([])
  })

  test('is settled again if the chain shows none, without running the operation again', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED], settle: [SETTLED] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xsecond'))
    expect(flow.calls()).toEqual(['readState', 'settle'])
  })

  test('stays unknown if the second attempt is unknown too', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED, PAID], settle: [LOST] })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('lost'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'settle', 'readState'])
  })

  test('is paid if the second attempt is rejected and the chain now shows the first', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED, PAID], settle: [USED] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'settle', 'readState'])
  })

  test('stays unknown if the second attempt is rejected as used before a block shows the first', async () => {
    const flow = await flowWithUnknownSettlement({
      readState: [UNUSED, UNUSED, PAID],
      settle: [USED],
    })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('payment_already_used'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test.each([
    ['unused', UNUSED, 'insufficient_funds'],
    ['void', VOID, 'payment_already_used'],
  ] as const)(
    'is rejected if the second attempt lacks funds and the chain still shows %s',
    async (_, state, reason) => {
      const settle: SettleResult[] = [{ kind: 'rejected', reason: 'insufficient_funds' }]
      const flow = await flowWithUnknownSettlement({ readState: [UNUSED, state], settle })
      expect(await flow.pay()).toEqual(expectedRejectedSettlement(reason))
      expect(await flow.pay()).toEqual(expectedDelivery())
      expect(flow.calls()).toEqual(['readState', 'settle', 'readState', 'verify', 'run', 'settle'])
    },
  )

  test('stays unknown if the second attempt is rejected and the chain does not answer', async () => {
    const flow = await flowWithUnknownSettlement({
      readState: [UNUSED, NO_CHAIN, PAID],
      settle: [USED],
    })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test('is rejected if the authorization is void', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [VOID] })
    expect(await flow.pay()).toEqual(expectedRejectedSettlement('payment_already_used'))
    expect(flow.calls()).toEqual(['readState'])
    expect(await flow.pay()).toEqual(expectedDelivery())
    expect(flow.calls()).toEqual(['verify', 'run', 'settle'])
  })

  test('stays unknown while the chain does not answer', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [NO_CHAIN, NO_CHAIN, PAID] })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'readState', 'readState'])
  })

  test('stays unknown if reading the state throws', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [new Error('broken'), PAID] })
    await expect(flow.pay()).rejects.toThrow('broken')
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test('is reconciled by one request at a time', async () => {
    let finishReading: (state: AuthorizationState) => void = () => {}
    const slow = new Promise<AuthorizationState>((resolve) => {
      finishReading = resolve
    })
    const flow = await flowWithUnknownSettlement({ readState: [slow] })
    const first = flow.pay()
    expect(await flow.pay()).toEqual(PAYMENT_IN_PROGRESS)
    finishReading(PAID)
    expect(await first).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState'])
  })

  test('is not available to another request or signature', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [PAID] })
    expect(await flow.pay({}, 'score other.test')).toEqual(
      expectedPaymentRequired('payment_already_used'),
    )
    const signature = `0x${'cd'.repeat(65)}`
    expect(await flow.pay({ signature })).toEqual(expectedPaymentRequired('payment_already_used'))
    expect(flow.calls()).toEqual([])
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })
})

describe('an unknown settlement of an expired payment', () => {
  test('delivers the report if it was paid', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [PAID] })
    flow.clock.now += 300_000
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test('is rejected as expired if it was not paid', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED] })
    flow.clock.now += 130_000
    expect(await flow.pay()).toEqual(expectedRejectedSettlement('expired'))
    expect(flow.calls()).toEqual(['readState'])
  })

  test('stays unknown until a block could no longer show it', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED, UNUSED, PAID] })
    flow.clock.now += 114_001
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('about to expire'))
    flow.clock.now += 15_998
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('about to expire'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'readState', 'readState'])
  })
})

describe('a payment that may have been charged is kept', () => {
  test('if settling throws', async () => {
    const flow = createTestPaymentFlow({ settle: [new Error('broken')], readState: [PAID] })
    await expect(flow.pay()).rejects.toThrow('broken')
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['verify', 'run', 'settle', 'readState'])
  })

  test('if the ledger cannot complete it', async () => {
    let isBroken = true
    const flow = createTestPaymentFlow({
      readState: [PAID],
      withLedger: (ledger) => ({
        ...ledger,
        complete: (id, settlement) =>
          isBroken ? Promise.reject(new Error('store down')) : ledger.complete(id, settlement),
      }),
    })
    await expect(flow.pay()).rejects.toThrow('store down')
    isBroken = false
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })
})
