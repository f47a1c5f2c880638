import { describe, expect, test } from 'vitest'
import {
  expectedDelivery,
  expectedUnknownSettlement,
  flowWithUnknownSettlement,
} from '../../test/support/payment-flow-fixture.js'
import type { SettleResult, VerifyResult } from './facilitator.js'

const SETTLED: SettleResult = { kind: 'settled', transaction: '0xsecond' }

describe('where no chain can be asked, the facilitator’s word must do', () => {
  const readState = null

  test('used means paid, by a transaction that nobody can name', async () => {
    const verify: VerifyResult[] = [{ kind: 'invalid', reason: 'payment_already_used' }]
    const flow = await flowWithUnknownSettlement({ readState, verify })
    expect(await flow.pay()).toEqual(expectedDelivery(''))
    expect(flow.calls()).toEqual(['verify'])
  })

  test('valid means unused, and it is settled again', async () => {
    const flow = await flowWithUnknownSettlement({ readState, settle: [SETTLED] })
    expect(await flow.pay()).toEqual(expectedDelivery('0xsecond'))
    expect(flow.calls()).toEqual(['verify', 'settle'])
  })

  test.each(['insufficient_funds', 'expired', 'payment_refused'] as const)(
    '%s means nothing: it may be what the first settlement has left behind',
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

  test('no word leaves it in doubt', async () => {
    const flow = await flowWithUnknownSettlement({
      readState,
      verify: [{ kind: 'unavailable', cause: 'down' }],
    })
    expect(await flow.pay()).toEqual(expectedUnknownSettlement('down'))
    expect(await flow.pay()).toEqual(expectedDelivery())
    expect(flow.calls()).toEqual(['verify', 'verify', 'settle'])
  })
})
