import { describe, expect, test } from 'vitest'
import {
  CARRIER,
  challenged,
  openGate,
  refused,
  sold,
  soldAgain,
} from '../../test/support/gate-story.js'
import { NOW, type PayloadChanges } from '../../test/support/payment-fixtures.js'
import type { Outcome } from '../operations/perform.js'
import { LedgerUnavailable } from '../state/ledger.js'
import type { Settled } from './facilitator.js'
import type { Reason } from './reasons.js'
import { BUSY, malformed, NO_LEDGER } from './setbacks.js'

const NXDOMAIN: Outcome = {
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
    const gate = openGate()
    expect(await gate.buy()).toEqual(sold())
    expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
  })

  test('is handed out again without asking anybody', async () => {
    const gate = openGate()
    await gate.buy()
    gate.calls()
    expect(await gate.buy()).toEqual(soldAgain())
    expect(gate.calls()).toEqual([])
  })

  test('is not handed out for another request, or to whom changes the signature', async () => {
    const gate = openGate()
    await gate.buy()
    gate.calls()
    expect(await gate.buy({}, 'score other.test')).toEqual(challenged('payment_already_used'))
    expect(await gate.buy(OTHER_SIGNATURE)).toEqual(challenged('payment_already_used'))
    expect(gate.calls()).toEqual([])
  })
})

describe('nobody is asked about', () => {
  test('what is no payment', async () => {
    const gate = openGate()
    expect(await gate.bring({ x402Version: 1 })).toEqual(malformed(CARRIER))
    expect(await gate.bring(null)).toEqual(malformed(CARRIER))
    expect(gate.calls()).toEqual([])
  })

  test.each<[string, PayloadChanges, Reason]>([
    ['for too little', { accepted: { amount: '1' } }, 'wrong_amount'],
    ['to somebody else', { authorization: { to: `0x${'9'.repeat(40)}` } }, 'wrong_payee'],
    ['that has expired', { authorization: { validBefore: String(NOW + 5) } }, 'expired'],
    ['before its time', { authorization: { validAfter: String(NOW + 1) } }, 'not_yet_valid'],
  ])('a payment %s', async (_, changes, reason) => {
    const gate = openGate()
    expect(await gate.buy(changes)).toEqual(challenged(reason))
    expect(gate.calls()).toEqual([])
  })
})

describe('without a charge, and with the payment as good as before, ends', () => {
  test('one that does not verify: no work is done for it', async () => {
    const gate = openGate({ verify: [{ kind: 'invalid', reason: 'insufficient_funds' }] })
    expect(await gate.buy()).toEqual(challenged('insufficient_funds'))
    expect(gate.calls()).toEqual(['verify'])
    expect(await gate.buy()).toEqual(sold())
  })

  test('one that cannot be verified: that is no refusal', async () => {
    const gate = openGate({ verify: [{ kind: 'unavailable', cause: 'down' }] })
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
    expect(await gate.buy()).toEqual(sold())
  })

  test('one for a report that there is not: nothing is settled', async () => {
    const gate = openGate({ work: [NXDOMAIN] })
    expect(await gate.buy()).toEqual({ ...NXDOMAIN, charged: 'no' })
    expect(gate.calls()).toEqual(['verify', 'work'])
    expect(await gate.buy({}, 'score other.test')).toEqual(sold())
  })

  test.each(['verify', 'work'] as const)('one whose %s throws', async (step) => {
    const gate = openGate({ [step]: [new Error('broken')] })
    await expect(gate.buy()).rejects.toThrow('broken')
    expect(gate.calls()).not.toContain('settle')
    expect(await gate.buy()).toEqual(sold())
  })

  test('one whose report cannot be kept', async () => {
    let isBroken = true
    const gate = openGate({
      withLedger: (ledger) => ({
        ...ledger,
        pledge: (id, report) =>
          isBroken ? Promise.reject(new Error('store down')) : ledger.pledge(id, report),
      }),
    })
    await expect(gate.buy()).rejects.toThrow('store down')
    expect(gate.calls()).toEqual(['verify', 'work'])
    isBroken = false
    expect(await gate.buy()).toEqual(sold())
  })

  test('one whose pledge fails, and it is let go of once: by then another may have it', async () => {
    let releases = 0
    const gate = openGate({
      withLedger: (ledger) => ({
        ...ledger,
        pledge: () => Promise.reject(new LedgerUnavailable('store down')),
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
    ['claim', []],
    ['pledge', ['verify', 'work']],
  ] as const)('one where no ledger can vouch for the payment, at its %s', async (step, calls) => {
    let isBroken = true
    const gate = openGate({
      withLedger: (ledger) => ({
        ...ledger,
        [step]: (...given: [never, never]) =>
          isBroken ? Promise.reject(new LedgerUnavailable('store down')) : ledger[step](...given),
      }),
    })
    expect(await gate.buy()).toEqual({ ...NO_LEDGER, cause: 'store down' })
    expect(gate.calls()).toEqual(calls)
    isBroken = false
    expect(await gate.buy()).toEqual(sold())
  })

  test('one that is refused: the report is withheld, and a receipt says so', async () => {
    const gate = openGate({ settle: [{ kind: 'refused', reason: 'insufficient_funds' }] })
    expect(await gate.buy()).toEqual(refused('insufficient_funds'))
    expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
    expect(await gate.buy()).toEqual(sold())
    expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
  })
})

describe('of two who come at once with the same payment', () => {
  test('one is served and one waits, whatever the other asks for', async () => {
    const settlement = later<Settled>()
    const gate = openGate({ settle: [settlement.promise] })
    const first = gate.buy()
    expect(await gate.buy()).toEqual(BUSY)
    expect(await gate.buy({}, 'score other.test')).toEqual(BUSY)
    expect(await gate.buy(OTHER_SIGNATURE)).toEqual(BUSY)
    settlement.give({ kind: 'settled', transaction: '0xfirst' })
    expect(await first).toEqual(sold())
    expect(await gate.buy()).toEqual(soldAgain())
    expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
  })

  test('those with different payments are both served', async () => {
    const gate = openGate()
    const nonce = `0x${'77'.repeat(32)}`
    const both = [gate.buy(), gate.buy({ authorization: { nonce } })]
    expect(await Promise.all(both)).toEqual([sold(), sold()])
    expect(gate.calls().sort()).toEqual(['settle', 'settle', 'verify', 'verify', 'work', 'work'])
  })
})

test('too many sales at once: nobody is asked, nothing is charged', async () => {
  const gate = openGate({
    withLedger: (ledger) => ({ ...ledger, claim: async () => ({ kind: 'full' }) }),
  })
  expect(await gate.buy()).toMatchObject({
    kind: 'problem',
    code: 'overloaded',
    retryAfterSeconds: 2,
  })
  expect(gate.calls()).toEqual([])
})
