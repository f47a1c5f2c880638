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

describe('a settlement that was lost sight of', () => {
  test('is looked for on the chain: paid, and the report that was made is handed out', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [PAID] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState'])
    expect(await flow.pay()).toEqual(expectedRedelivery('0xmined'))
    expect(flow.calls()).toEqual([])
  })

  test('is made again when the chain knows of none, without new work', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED], settle: [SETTLED] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xsecond'))
    expect(flow.calls()).toEqual(['readState', 'settle'])
  })

  test('stays in doubt when that is lost, too', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED, PAID], settle: [LOST] })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('lost'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'settle', 'readState'])
  })

  test('was mined meanwhile, when the second is refused and the chain shows the first', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED, PAID], settle: [USED] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'settle', 'readState'])
  })

  test('is on its way when the second is refused for it, though no block shows the first', async () => {
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
    'is refused when the second is for lack of funds and the chain still says %s',
    async (_, state, reason) => {
      const settle: SettleResult[] = [{ kind: 'rejected', reason: 'insufficient_funds' }]
      const flow = await flowWithUnknownSettlement({ readState: [UNUSED, state], settle })
      expect(await flow.pay()).toEqual(expectedRejectedSettlement(reason))
      expect(await flow.pay()).toEqual(expectedDelivery())
      expect(flow.calls()).toEqual(['readState', 'settle', 'readState', 'verify', 'run', 'settle'])
    },
  )

  test('stays in doubt when the second is refused and the chain says nothing', async () => {
    const flow = await flowWithUnknownSettlement({
      readState: [UNUSED, NO_CHAIN, PAID],
      settle: [USED],
    })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test('is over when its authorization went elsewhere', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [VOID] })
    expect(await flow.pay()).toEqual(expectedRejectedSettlement('payment_already_used'))
    expect(flow.calls()).toEqual(['readState'])
    expect(await flow.pay()).toEqual(expectedDelivery())
    expect(flow.calls()).toEqual(['verify', 'run', 'settle'])
  })

  test('stays in doubt while the chain says nothing', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [NO_CHAIN, NO_CHAIN, PAID] })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'readState', 'readState'])
  })

  test('stays in doubt when finding out throws', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [new Error('broken'), PAID] })
    await expect(flow.pay()).rejects.toThrow('broken')
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test('is looked for by one at a time', async () => {
    let answer: (state: AuthorizationState) => void = () => {}
    const slow = new Promise<AuthorizationState>((resolve) => {
      answer = resolve
    })
    const flow = await flowWithUnknownSettlement({ readState: [slow] })
    const first = flow.pay()
    expect(await flow.pay()).toEqual(PAYMENT_IN_PROGRESS)
    answer(PAID)
    expect(await first).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState'])
  })

  test('is nobody else’s: another request or signature is not what was paid for', async () => {
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

describe('when the payment expires meanwhile', () => {
  test('and was paid, the report is still owed', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [PAID] })
    flow.clock.now += 300_000
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })

  test('and was not, it has expired: nothing is settled any more', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED] })
    flow.clock.now += 130_000
    expect(await flow.pay()).toEqual(expectedRejectedSettlement('expired'))
    expect(flow.calls()).toEqual(['readState'])
  })

  test('too late to settle again is too early to give up: a block may show it yet', async () => {
    const flow = await flowWithUnknownSettlement({ readState: [UNUSED, UNUSED, PAID] })
    flow.clock.now += 114_001
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('about to expire'))
    flow.clock.now += 15_998
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('about to expire'))
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['readState', 'readState', 'readState'])
  })
})

describe('money may have moved, so nothing is forgotten,', () => {
  test('when settling throws', async () => {
    const flow = createTestPaymentFlow({ settle: [new Error('broken')], readState: [PAID] })
    await expect(flow.pay()).rejects.toThrow('broken')
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
    expect(flow.calls()).toEqual(['verify', 'run', 'settle', 'readState'])
  })

  test('when the sale cannot be written down', async () => {
    let isBroken = true
    const flow = createTestPaymentFlow({
      readState: [PAID],
      withLedger: (ledger) => ({
        ...ledger,
        complete: (id, receipt) =>
          isBroken ? Promise.reject(new Error('store down')) : ledger.complete(id, receipt),
      }),
    })
    await expect(flow.pay()).rejects.toThrow('store down')
    isBroken = false
    expect(await flow.pay()).toEqual(expectedDelivery('0xmined'))
  })
})
