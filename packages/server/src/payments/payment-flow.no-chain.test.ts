import { describe, expect, test } from 'vitest'
import {
  expectedDelivery,
  expectedUnknownSettlement,
  flowWithUnknownSettlement,
} from '../../test/support/payment-flow-fixture.js'
import type { SettleResult, VerifyResult } from './facilitator.js'

const SETTLED: SettleResult = { kind: 'settled', transaction: '0xsecond' }

describe('reconciling without an RPC endpoint relies on the facilitator', () => {
  const readState = null

  test('already used means paid, with an unknown transaction', async () => {
    const verify: VerifyResult[] = [{ kind: 'invalid', reason: 'payment_already_used' }]
    const flow = await flowWithUnknownSettlement({ readState, verify })
    expect(await flow.pay()).toEqual(expectedDelivery(''))
    expect(flow.calls()).toEqual(['verify'])
  })

  test('valid means unused, and the payment is settled again', async () => {
    const flow = await flowWithUnknownSettlement({ readState, settle: [SETTLED] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xsecond'))
    expect(flow.calls()).toEqual(['verify', 'settle'])
  })

  test.each(['insufficient_funds', 'expired', 'payment_refused'] as const)(
    '%s leaves the settlement unknown, because the first attempt may have caused it',
    async (reason) => {
      const verify: VerifyResult[] = [
        { kind: 'invalid', reason },
        { kind: 'invalid', reason: 'payment_already_used' },
      ]
      const flow = await flowWithUnknownSettlement({ readState, verify })
      expect(await flow.pay()).toEqual(expectedUnknownSettlement(reason))
      expect(await flow.pay()).toEqual(expectedDelivery(''))
      expect(flow.calls()).toEqual(['verify', 'verify'])
    },
  )

  test('an unavailable facilitator leaves the settlement unknown', async () => {
    const flow = await flowWithUnknownSettlement({
      readState,
      verify: [{ kind: 'unavailable', cause: 'down' }],
    })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('down'))
    expect(await flow.pay()).toEqual(expectedDelivery())
    expect(flow.calls()).toEqual(['verify', 'verify', 'settle'])
  })
})
