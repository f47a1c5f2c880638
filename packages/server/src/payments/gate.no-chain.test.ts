import { describe, expect, test } from 'vitest'
import { afterLoss, inDoubt, sold } from '../../test/support/gate-story.js'
import type { Settled, Verified } from './facilitator.js'

const SETTLED: Settled = { kind: 'settled', transaction: '0xsecond' }

describe('where no chain can be asked, the facilitator’s word must do', () => {
  const trace = null

  test('used means paid, by a transaction that nobody can name', async () => {
    const verify: Verified[] = [{ kind: 'invalid', reason: 'payment_already_used' }]
    const gate = await afterLoss({ trace, verify })
    expect(await gate.buy()).toEqual(sold(''))
    expect(gate.calls()).toEqual(['verify'])
  })

  test('valid means unused, and it is settled again', async () => {
    const gate = await afterLoss({ trace, settle: [SETTLED] })
    expect(await gate.buy()).toEqual(sold('0xsecond'))
    expect(gate.calls()).toEqual(['verify', 'settle'])
  })

  test.each(['insufficient_funds', 'expired', 'payment_refused'] as const)(
    '%s means nothing: it may be what the first settlement has left behind',
    async (reason) => {
      const verify: Verified[] = [
        { kind: 'invalid', reason },
        { kind: 'invalid', reason: 'payment_already_used' },
      ]
      const gate = await afterLoss({ trace, verify })
      expect(await gate.buy()).toEqual(inDoubt(reason))
      expect(await gate.buy()).toEqual(sold(''))
      expect(gate.calls()).toEqual(['verify', 'verify'])
    },
  )

  test('no word leaves it in doubt', async () => {
    const gate = await afterLoss({ trace, verify: [{ kind: 'unavailable', cause: 'down' }] })
    expect(await gate.buy()).toEqual(inDoubt('down'))
    expect(await gate.buy()).toEqual(sold())
    expect(gate.calls()).toEqual(['verify', 'verify', 'settle'])
  })
})
