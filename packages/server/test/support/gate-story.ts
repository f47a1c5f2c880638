/** A gate between doubles, for what no honest facilitator or chain does on demand. */
import { expect } from 'vitest'
import type { Outcome } from '../../src/operations/perform.js'
import type { Facilitator, Settled, Trace, Verified } from '../../src/payments/facilitator.js'
import { createGate } from '../../src/payments/gate.js'
import type { Reason } from '../../src/payments/reasons.js'
import type { Ledger } from '../../src/state/ledger.js'
import { createMemoryLedger } from '../../src/state/memory-ledger.js'
import { NOW, OFFER, PAYER, type PayloadChanges, payloadOf } from './payment-fixtures.js'

const META = { checkedAt: '2026-01-01T00:00:00Z', resolvers: [], dnsQueries: 0, durationMs: 0 }
export const CARRIER = { sendIt: 'hand it over', form: 'Fold it once.' }
const REPORT = { score: 94, meta: META }

type Answer<Kind> = Kind | Promise<Kind> | Error

/** What each answers, one after the other; after that, all is well, and the chain is not asked. */
interface Script {
  readonly verify?: Answer<Verified>[]
  readonly work?: Answer<Outcome>[]
  readonly settle?: Answer<Settled>[]
  /** Null: no chain can be asked. */
  readonly trace?: Answer<Trace>[] | null
  /** Around the ledger, for its faults. */
  readonly withLedger?: (ledger: Ledger) => Ledger
}

export function openGate({ withLedger = (ledger) => ledger, ...script }: Script = {}) {
  const calls: string[] = []
  const clock = { now: NOW * 1_000 }
  const now = () => clock.now
  function play<Kind>(name: string, answers: readonly Answer<Kind>[] = [], otherwise?: Kind) {
    const left = [...answers]
    return async (): Promise<Kind> => {
      calls.push(name)
      const answer = left.shift() ?? otherwise
      if (answer === undefined) throw new Error(`nobody expected ${name}`)
      if (answer instanceof Error) throw answer
      return answer
    }
  }
  const facilitator: Facilitator = {
    verify: play('verify', script.verify, { kind: 'valid' }),
    settle: play('settle', script.settle, { kind: 'settled', transaction: '0xfirst' }),
    complaint: async () => null,
  }
  const gate = createGate({
    facilitator,
    trace: script.trace === null ? null : play<Trace>('trace', script.trace),
    ledger: withLedger(createMemoryLedger({ now })),
    now,
  })
  const work = play<Outcome>('work', script.work, { kind: 'result', result: REPORT })
  return {
    clock,
    /** Who was asked since this was last asked, in order. */
    calls: () => calls.splice(0),
    buy: (changes: PayloadChanges = {}, request = 'score acme.test') =>
      gate({ offer: OFFER, payment: payloadOf(changes), carrier: CARRIER, request, work }),
    bring: (payment: unknown) =>
      gate({ offer: OFFER, payment, carrier: CARRIER, request: 'any', work }),
  }
}

/** A gate where the first settlement has been lost sight of. */
export async function afterLoss({ verify = [], settle = [], ...script }: Script) {
  const gate = openGate({
    ...script,
    verify: [{ kind: 'valid' }, ...verify],
    settle: [{ kind: 'unknown', cause: 'lost' }, ...settle],
  })
  expect(await gate.buy()).toEqual(inDoubt('lost'))
  expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
  return gate
}

export const sold = (transaction = '0xfirst') => ({
  kind: 'sold',
  report: JSON.stringify(REPORT),
  receipt: { success: true, transaction, network: 'eip155:8453', payer: PAYER },
  isAgain: false,
})

export const soldAgain = (transaction?: string) => ({ ...sold(transaction), isAgain: true })

export const challenged = (reason: Reason) => ({
  kind: 'challenge',
  reason,
  required: {
    x402Version: 2,
    error: reason,
    resource: OFFER.resource,
    accepts: [OFFER.requirements],
    extensions: OFFER.extensions,
  },
  receipt: null,
})

export const refused = (reason: Reason) => ({
  ...challenged(reason),
  receipt: {
    success: false,
    errorReason: reason,
    transaction: '',
    network: 'eip155:8453',
    payer: PAYER,
  },
})

export const inDoubt = (cause: string) => ({
  kind: 'problem',
  code: 'facilitator_unavailable',
  detail: expect.stringContaining('Do not sign a new one: send the same payment again'),
  retryAfterSeconds: 2,
  charged: 'unknown',
  cause: `settle: ${cause}`,
})
