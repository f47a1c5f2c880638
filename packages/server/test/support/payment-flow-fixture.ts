/** A payment flow with scripted results, for cases that a real facilitator or chain rarely shows. */
import { expect } from 'vitest'
import type { OperationOutcome } from '../../src/operations/run-operation.js'
import type {
  AuthorizationState,
  Facilitator,
  SettleResult,
  VerifyResult,
} from '../../src/payments/facilitator.js'
import { createPaymentFlow } from '../../src/payments/payment-flow.js'
import type { PaymentErrorReason } from '../../src/payments/payment-problems.js'
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

type ScriptedResult<Result> = Result | Promise<Result> | Error

/** The results of each step in order; after that it succeeds, except `readState`, which throws. */
interface Script {
  readonly verify?: ScriptedResult<VerifyResult>[]
  readonly run?: ScriptedResult<OperationOutcome>[]
  readonly settle?: ScriptedResult<SettleResult>[]
  /** Null: there is no RPC endpoint. */
  readonly readState?: ScriptedResult<AuthorizationState>[] | null
  /** Wraps the ledger to inject faults. */
  readonly withLedger?: (ledger: Ledger) => Ledger
}

export function createTestPaymentFlow({ withLedger = (ledger) => ledger, ...script }: Script = {}) {
  const calls: string[] = []
  const clock = { now: TEST_NOW_SECONDS * 1_000 }
  const now = () => clock.now
  function play<Result>(
    name: string,
    results: readonly ScriptedResult<Result>[] = [],
    fallback?: Result,
  ) {
    const left = [...results]
    return async (): Promise<Result> => {
      calls.push(name)
      const result = left.shift() ?? fallback
      if (result === undefined) throw new Error(`unexpected call of ${name}`)
      if (result instanceof Error) throw result
      return result
    }
  }
  const facilitator: Facilitator = {
    verify: play('verify', script.verify, { kind: 'valid' }),
    settle: play('settle', script.settle, { kind: 'settled', transaction: '0xfirst' }),
    healthProblem: async () => null,
  }
  const flow = createPaymentFlow({
    facilitator,
    readAuthorizationState:
      script.readState === null ? null : play<AuthorizationState>('readState', script.readState),
    ledger: withLedger(createMemoryLedger({ now })),
    now,
  })
  const runOperation = play<OperationOutcome>('run', script.run, { kind: 'result', result: REPORT })
  const common = { offer: TEST_OFFER, transport: TEST_PAYMENT_TRANSPORT, runOperation }
  return {
    clock,
    /** The calls since the last time, in order. */
    calls: () => calls.splice(0),
    pay: (changes: PayloadChanges = {}, requestKey = 'score acme.test') =>
      flow({ ...common, payment: unsignedPayload(changes), requestKey }),
    payWith: (payment: unknown) => flow({ ...common, payment, requestKey: 'any' }),
  }
}

/** A flow whose first payment has an unknown settlement. */
export async function flowWithUnknownSettlement({ verify = [], settle = [], ...script }: Script) {
  const flow = createTestPaymentFlow({
    ...script,
    verify: [{ kind: 'valid' }, ...verify],
    settle: [{ kind: 'unknown', cause: 'lost' }, ...settle],
  })
  expect(await flow.pay()).toEqual(expectedUnknownSettlement('lost'))
  expect(flow.calls()).toEqual(['verify', 'run', 'settle'])
  return flow
}

export const expectedDelivery = (transaction = '0xfirst') => ({
  kind: 'delivered',
  report: JSON.stringify(REPORT),
  settlement: { success: true, transaction, network: 'eip155:8453', payer: TEST_PAYER },
  isRedelivery: false,
})

export const expectedRedelivery = (transaction?: string) => ({
  ...expectedDelivery(transaction),
  isRedelivery: true,
})

export const expectedPaymentRequired = (reason: PaymentErrorReason) => ({
  kind: 'paymentRequired',
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

export const expectedRejectedSettlement = (reason: PaymentErrorReason) => ({
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
  detail: expect.stringContaining('Do not sign a new payment. Send the same payment again'),
  retryAfterSeconds: 2,
  charged: 'unknown',
  cause: `settle: ${cause}`,
})
