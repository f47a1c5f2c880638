import { describe, expect, test } from 'vitest'
import {
  createTestPaymentFlow,
  expectedDelivery,
  expectedPaymentRequired,
  expectedRedelivery,
  expectedRefusedSettlement,
  expectedUnknownSettlement,
  flowWithUnknownSettlement,
} from '../../test/support/payment-flow-fixture.js'
import type { AuthorizationState, SettleResult } from './facilitator.js'
import { PAYMENT_IN_PROGRESS } from './payment-problems.js'

const LOST: SettleResult = { kind: 'unknown', cause: 'lost' }
const SETTLED: SettleResult = { kind: 'settled', transaction: '0xsecond' }
const USED: SettleResult = { kind: 'refused', reason: 'payment_already_used' }
const PAID: AuthorizationState = { kind: 'paid', transaction: '0xmined' }
const UNUSED: AuthorizationState = { kind: 'unused' }
const VOID: AuthorizationState = { kind: 'void' }
const NO_CHAIN: AuthorizationState = { kind: 'unknown', cause: 'no chain' }

describe('a settlement that was lost sight of', () => {
  test('is looked for on the chain: paid, and the report that was made is handed out', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [PAID] })
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
    expect(gate.calls()).toEqual(['trace'])
    expect(await gate.buy()).toEqual(expectedRedelivery('0xmined'))
    expect(gate.calls()).toEqual([])
  })

  test('is made again when the chain knows of none, without new work', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [UNUSED], settle: [SETTLED] })
    expect(await gate.buy()).toEqual(expectedDelivery('0xsecond'))
    expect(gate.calls()).toEqual(['trace', 'settle'])
  })

  test('stays in doubt when that is lost, too', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [UNUSED, PAID], settle: [LOST] })
    expect(await gate.buy()).toEqual(expectedUnknownSettlement('lost'))
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
    expect(gate.calls()).toEqual(['trace', 'settle', 'trace'])
  })

  test('was mined meanwhile, when the second is refused and the chain shows the first', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [UNUSED, PAID], settle: [USED] })
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
    expect(gate.calls()).toEqual(['trace', 'settle', 'trace'])
  })

  test('is on its way when the second is refused for it, though no block shows the first', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [UNUSED, UNUSED, PAID], settle: [USED] })
    expect(await gate.buy()).toEqual(expectedUnknownSettlement('payment_already_used'))
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
  })

  test.each([
    ['unused', UNUSED, 'insufficient_funds'],
    ['void', VOID, 'payment_already_used'],
  ] as const)(
    'is refused when the second is for lack of funds and the chain still says %s',
    async (_, trace, reason) => {
      const settle: SettleResult[] = [{ kind: 'refused', reason: 'insufficient_funds' }]
      const gate = await flowWithUnknownSettlement({ trace: [UNUSED, trace], settle })
      expect(await gate.buy()).toEqual(expectedRefusedSettlement(reason))
      expect(await gate.buy()).toEqual(expectedDelivery())
      expect(gate.calls()).toEqual(['trace', 'settle', 'trace', 'verify', 'work', 'settle'])
    },
  )

  test('stays in doubt when the second is refused and the chain says nothing', async () => {
    const gate = await flowWithUnknownSettlement({
      trace: [UNUSED, NO_CHAIN, PAID],
      settle: [USED],
    })
    expect(await gate.buy()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
  })

  test('is over when its authorization went elsewhere', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [VOID] })
    expect(await gate.buy()).toEqual(expectedRefusedSettlement('payment_already_used'))
    expect(gate.calls()).toEqual(['trace'])
    expect(await gate.buy()).toEqual(expectedDelivery())
    expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
  })

  test('stays in doubt while the chain says nothing', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [NO_CHAIN, NO_CHAIN, PAID] })
    expect(await gate.buy()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await gate.buy()).toEqual(expectedUnknownSettlement('no chain'))
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
    expect(gate.calls()).toEqual(['trace', 'trace', 'trace'])
  })

  test('stays in doubt when finding out throws', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [new Error('broken'), PAID] })
    await expect(gate.buy()).rejects.toThrow('broken')
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
  })

  test('is looked for by one at a time', async () => {
    let answer: (trace: AuthorizationState) => void = () => {}
    const slow = new Promise<AuthorizationState>((resolve) => {
      answer = resolve
    })
    const gate = await flowWithUnknownSettlement({ trace: [slow] })
    const first = gate.buy()
    expect(await gate.buy()).toEqual(PAYMENT_IN_PROGRESS)
    answer(PAID)
    expect(await first).toEqual(expectedDelivery('0xmined'))
    expect(gate.calls()).toEqual(['trace'])
  })

  test('is nobody else’s: another request or signature is not what was paid for', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [PAID] })
    expect(await gate.buy({}, 'score other.test')).toEqual(
      expectedPaymentRequired('payment_already_used'),
    )
    const signature = `0x${'cd'.repeat(65)}`
    expect(await gate.buy({ signature })).toEqual(expectedPaymentRequired('payment_already_used'))
    expect(gate.calls()).toEqual([])
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
  })
})

describe('when the payment expires meanwhile', () => {
  test('and was paid, the report is still owed', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [PAID] })
    gate.clock.now += 300_000
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
  })

  test('and was not, it has expired: nothing is settled any more', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [UNUSED] })
    gate.clock.now += 130_000
    expect(await gate.buy()).toEqual(expectedRefusedSettlement('expired'))
    expect(gate.calls()).toEqual(['trace'])
  })

  test('too late to settle again is too early to give up: a block may show it yet', async () => {
    const gate = await flowWithUnknownSettlement({ trace: [UNUSED, UNUSED, PAID] })
    gate.clock.now += 114_001
    expect(await gate.buy()).toEqual(expectedUnknownSettlement('about to expire'))
    gate.clock.now += 15_998
    expect(await gate.buy()).toEqual(expectedUnknownSettlement('about to expire'))
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
    expect(gate.calls()).toEqual(['trace', 'trace', 'trace'])
  })
})

describe('money may have moved, so nothing is forgotten,', () => {
  test('when settling throws', async () => {
    const gate = createTestPaymentFlow({ settle: [new Error('broken')], trace: [PAID] })
    await expect(gate.buy()).rejects.toThrow('broken')
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
    expect(gate.calls()).toEqual(['verify', 'work', 'settle', 'trace'])
  })

  test('when the sale cannot be written down', async () => {
    let isBroken = true
    const gate = createTestPaymentFlow({
      trace: [PAID],
      withLedger: (ledger) => ({
        ...ledger,
        complete: (id, receipt) =>
          isBroken ? Promise.reject(new Error('store down')) : ledger.complete(id, receipt),
      }),
    })
    await expect(gate.buy()).rejects.toThrow('store down')
    isBroken = false
    expect(await gate.buy()).toEqual(expectedDelivery('0xmined'))
  })
})
