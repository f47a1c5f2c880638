/** A gate between doubles, for what no honest facilitator or chain does on demand. */
import { expect } from 'vitest'
import type { OperationOutcome } from '../../src/operations/run-operation.js'
import type {
  AuthorizationState,
  Facilitator,
  SettleResult,
  VerifyResult,
} from '../../src/payments/facilitator.js'
import type { PaymentErrorReason } from '../../src/payments/payment-error-reasons.js'
import { createPaymentFlow } from '../../src/payments/payment-flow.js'
import type { Ledger } from '../../src/state/ledger.js'
import { createMemoryLedger } from '../../src/state/memory-ledger.js'
import {
  type PayloadChanges,
  TEST_NOW_SECONDS,
  TEST_OFFER,
  TEST_PAYER,
  unsignedPayload,
} from './payment-fixtures.js'

const META = { checkedAt: '2026-01-01T00:00:00Z', resolvers: [], dnsQueries: 0, durationMs: 0 }
export const TEST_PAYMENT_TRANSPORT = { howToSend: 'hand it over', formatHint: 'Fold it once.' }
const REPORT = { score: 94, meta: META }

type Answer<Kind> = Kind | Promise<Kind> | Error

/** What each answers, one after the other; after that, all is well, and the chain is not asked. */
interface Script {
  readonly verify?: Answer<VerifyResult>[]
  readonly work?: Answer<OperationOutcome>[]
  readonly settle?: Answer<SettleResult>[]
  /** Null: no chain can be asked. */
  readonly trace?: Answer<AuthorizationState>[] | null
  /** Around the ledger, for its faults. */
  readonly withLedger?: (ledger: Ledger) => Ledger
}

export function createTestPaymentFlow({ withLedger = (ledger) => ledger, ...script }: Script = {}) {
  const calls: string[] = []
  const clock = { now: TEST_NOW_SECONDS * 1_000 }
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
    healthProblem: async () => null,
  }
  const gate = createPaymentFlow({
    facilitator,
    readAuthorizationState:
      script.trace === null ? null : play<AuthorizationState>('trace', script.trace),
    ledger: withLedger(createMemoryLedger({ now })),
    now,
  })
  const work = play<OperationOutcome>('work', script.work, { kind: 'result', result: REPORT })
  return {
    clock,
    /** Who was asked since this was last asked, in order. */
    calls: () => calls.splice(0),
    buy: (changes: PayloadChanges = {}, request = 'score acme.test') =>
      gate({
        offer: TEST_OFFER,
        payment: unsignedPayload(changes),
        carrier: TEST_PAYMENT_TRANSPORT,
        request,
        work,
      }),
    bring: (payment: unknown) =>
      gate({ offer: TEST_OFFER, payment, carrier: TEST_PAYMENT_TRANSPORT, request: 'any', work }),
  }
}

/** A gate where the first settlement has been lost sight of. */
export async function flowWithUnknownSettlement({ verify = [], settle = [], ...script }: Script) {
  const gate = createTestPaymentFlow({
    ...script,
    verify: [{ kind: 'valid' }, ...verify],
    settle: [{ kind: 'unknown', cause: 'lost' }, ...settle],
  })
  expect(await gate.buy()).toEqual(expectedUnknownSettlement('lost'))
  expect(gate.calls()).toEqual(['verify', 'work', 'settle'])
  return gate
}

export const expectedDelivery = (transaction = '0xfirst') => ({
  kind: 'sold',
  report: JSON.stringify(REPORT),
  settlement: { success: true, transaction, network: 'eip155:8453', payer: TEST_PAYER },
  isRedelivery: false,
})

export const expectedRedelivery = (transaction?: string) => ({
  ...expectedDelivery(transaction),
  isRedelivery: true,
})

export const expectedPaymentRequired = (reason: PaymentErrorReason) => ({
  kind: 'challenge',
  reason,
  paymentRequired: {
    x402Version: 2,
    error: reason,
    resource: TEST_OFFER.resource,
    accepts: [TEST_OFFER.requirements],
    extensions: TEST_OFFER.extensions,
  },
  settlement: null,
})

export const expectedRefusedSettlement = (reason: PaymentErrorReason) => ({
  ...expectedPaymentRequired(reason),
  settlement: {
    success: false,
    errorReason: reason,
    transaction: '',
    network: 'eip155:8453',
    payer: TEST_PAYER,
  },
})

export const expectedUnknownSettlement = (cause: string) => ({
  kind: 'problem',
  code: 'facilitator_unavailable',
  detail: expect.stringContaining('Do not sign a new one: send the same payment again'),
  retryAfterSeconds: 2,
  charged: 'unknown',
  cause: `settle: ${cause}`,
})
