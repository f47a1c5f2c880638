/** A payment flow with scripted results, for cases that a real facilitator or chain rarely shows. */

import type { OperationOutcome } from '@mailgrade/operations/run-operation'
import { expect } from 'vitest'
import type {
  AuthorizationState,
  Facilitator,
  SettleClaim,
  VerifyContext,
  VerifyResult,
} from '../../src/payments/facilitator.js'
import type { IssueReceipt } from '../../src/payments/offer-receipt.js'
import { createPaymentFlow } from '../../src/payments/payment-flow.js'
import type { PaymentErrorReason } from '../../src/payments/payment-problems.js'
import { createTroubleBudget } from '../../src/payments/trouble-budget.js'
import type { Ledger } from '../../src/state/ledger.js'
import { createLocalLedger } from './ledgers.js'
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

/** What a facilitator claims, and what the chain shows then. */
export const CLAIMS_PAID = {
  kind: 'sent',
  isClaimedPaid: true,
  transaction: '0xfirst',
  cause: 'not seen on the chain',
} as const satisfies SettleClaim
export const CLAIMS_FAILURE = {
  kind: 'sent',
  isClaimedPaid: false,
  transaction: null,
  cause: 'lost',
} as const satisfies SettleClaim
export const PAID: AuthorizationState = { kind: 'paid', transaction: '0xfirst' }
export const UNUSED: AuthorizationState = {
  kind: 'unused',
  hasReverted: false,
  isPending: false,
}

type ScriptedResult<Result> = Result | Promise<Result> | Error

/** The results of each step in order; after that it succeeds, and the chain shows the payment. */
interface Script {
  readonly verify?: ScriptedResult<VerifyResult>[]
  readonly run?: ScriptedResult<OperationOutcome>[]
  readonly settle?: ScriptedResult<SettleClaim>[]
  readonly readState?: ScriptedResult<AuthorizationState>[]
  /** The transactions that the facilitator records before it answers; null: it records none. */
  readonly recorded?: readonly string[] | null
  /** What each of them costs. */
  readonly gasUsd?: number
  /** Unsold attempts a minute. */
  readonly limit?: number
  readonly issueReceipt?: IssueReceipt
  /** Wraps the ledger to inject faults. */
  readonly withLedger?: (ledger: Ledger) => Ledger
}

export function createTestPaymentFlow({
  withLedger = (ledger) => ledger,
  recorded = null,
  gasUsd = 0,
  limit = 1_000,
  issueReceipt,
  ...script
}: Script = {}) {
  const calls: string[] = []
  const contexts: VerifyContext[] = []
  const waits: number[] = []
  let isCallerGone = false
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
  const settle = play<SettleClaim>('settle', script.settle, CLAIMS_PAID)
  const verify = play<VerifyResult>('verify', script.verify, { kind: 'valid' })
  const toRecord = [...(recorded ?? [])]
  const facilitator: Facilitator = {
    recordsTransactions: recorded !== null,
    verify(_payment, _offer, context) {
      contexts.push(context)
      return verify()
    },
    async settle(_payment, _requirements, recordTransaction) {
      const hash = toRecord.shift()
      const cost = { gasUsd, isContract: false }
      const refused = hash && (await recordTransaction(hash, cost).catch((error: Error) => error))
      if (refused) return { kind: 'notSent', reason: null, cause: refused.message }
      return settle()
    },
    healthProblem: async () => null,
  }
  const ledger = withLedger(createLocalLedger({ now }))
  const flow = createPaymentFlow({
    facilitator,
    readAuthorizationState: play('readState', script.readState, PAID),
    ledger,
    trouble: createTroubleBudget({ limit, now }),
    now,
    ...(issueReceipt && { issueReceipt }),
    async wait(ms) {
      waits.push(ms)
    },
  })
  const runOperation = play<OperationOutcome>('run', script.run, { kind: 'result', result: REPORT })
  const common = {
    offer: TEST_OFFER,
    transport: TEST_PAYMENT_TRANSPORT,
    caller: '192.0.2.1',
    purchaseKey: null,
    onSent: (act: () => void) => isCallerGone || act(),
    runOperation,
  }
  return {
    clock,
    /** As it happens now and then, with a chain whose clock agrees with ours. */
    forgetOld: () => ledger.forgetOld(clock.now / 1_000),
    /** The pauses between reads of the chain since the last time. */
    waits: () => waits.splice(0),
    /** From now on callers are gone when their report is ready. */
    loseCallers(areGone = true) {
      isCallerGone = areGone
    },
    /** What the facilitator was told about each payment that it verified. */
    contexts,
    /** The calls since the last time, in order. */
    calls: () => calls.splice(0),
    pay: (
      changes: PayloadChanges = {},
      requestKey = 'score acme.test',
      caller = common.caller,
      offer = common.offer,
    ) => flow({ ...common, payment: unsignedPayload(changes), requestKey, caller, offer }),
    payWith: (payment: unknown) => flow({ ...common, payment, requestKey: 'any' }),
    /** The same purchase with these answers. */
    ask: (answers: string, changes: PayloadChanges = {}, purchaseKey = 'plan acme.test') =>
      flow({
        ...common,
        payment: unsignedPayload(changes),
        requestKey: `${purchaseKey} ${answers}`,
        purchaseKey,
      }),
  }
}

/** A flow whose first payment has an unknown settlement. */
export async function flowWithUnknownSettlement({
  readState = [],
  settle = [],
  ...script
}: Script) {
  const flow = createTestPaymentFlow({
    ...script,
    settle: [CLAIMS_FAILURE, ...settle],
    readState: [UNUSED, UNUSED, UNUSED, ...readState],
  })
  expect(await flow.pay()).toEqual(expectedUnknownSettlement('lost'))
  expect(flow.calls()).toEqual(['verify', 'run', 'settle', 'readState', 'readState', 'readState'])
  expect(flow.waits()).toEqual([500, 1_500])
  return flow
}

export const expectedDelivery = (transaction = '0xfirst') => ({
  kind: 'delivered',
  report: JSON.stringify(REPORT),
  settlement: { success: true, transaction, network: 'eip155:8453', payer: TEST_PAYER },
  isRedelivery: false,
  reference: expect.stringMatching(/^[\w-]{43}$/),
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
  detail: expect.stringContaining('Don’t sign a new payment. Send the same payment again'),
  retryAfterSeconds: 2,
  charged: 'unknown',
  cause: `settle: ${cause}`,
})
