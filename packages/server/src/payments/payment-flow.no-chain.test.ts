import { describe, expect, test } from 'vitest'
import {
  expectedDelivery,
  expectedUnknownSettlement,
  flowWithUnknownSettlement,
} from '../../test/support/payment-flow-fixture.js'
import type { SettleResult, VerifyResult } from './facilitator.js'

const SETTLED: SettleResult = { kind: 'settled', transaction: '0xsecond' }

describe('where no chain can be asked, the facilitator’s word must do', () => {
  const trace = null

  test('used means paid, by a transaction that nobody can name', async () => {
    const verify: VerifyResult[] = [{ kind: 'invalid', reason: 'payment_already_used' }]
    const gate = await flowWithUnknownSettlement({ trace, verify })
    expect(await gate.buy()).toEqual(expectedDelivery(''))
    expect(gate.calls()).toEqual(['verify'])
  })

  test('valid means unused, and it is settled again', async () => {
    const gate = await flowWithUnknownSettlement({ trace, settle: [SETTLED] })
    expect(await gate.buy()).toEqual(expectedDelivery('0xsecond'))
    expect(gate.calls()).toEqual(['verify', 'settle'])
  })

  test.each(['insufficient_funds', 'expired', 'payment_refused'] as const)(
    '%s means nothing: it may be what the first settlement has left behind',
    async (reason) => {
      const verify: VerifyResult[] = [
        { kind: 'invalid', reason },
        { kind: 'invalid', reason: 'payment_already_used' },
      ]
      const gate = await flowWithUnknownSettlement({ trace, verify })
      expect(await gate.buy()).toEqual(expectedUnknownSettlement(reason))
      expect(await gate.buy()).toEqual(expectedDelivery(''))
      expect(gate.calls()).toEqual(['verify', 'verify'])
    },
  )

  test('no word leaves it in doubt', async () => {
    const gate = await flowWithUnknownSettlement({
      trace,
      verify: [{ kind: 'unavailable', cause: 'down' }],
    })
    expect(await gate.buy()).toEqual(expectedUnknownSettlement('down'))
    expect(await gate.buy()).toEqual(expectedDelivery())
    expect(gate.calls()).toEqual(['verify', 'verify', 'settle'])
  })
})
