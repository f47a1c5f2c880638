/** How a sale can fail, as the counter, the gate and the offers word it. */
import type { PaidOperation } from '../operations/operation.js'
import type { Problem } from '../operations/run-operation.js'
import { createPaidRequestHandler } from '../payments/handle-paid-request.js'
import { HTTP_PAYMENT_TRANSPORT } from '../payments/header-carrier.js'
import { describePaymentError } from '../payments/payment-error-reasons.js'
import { type PaymentRequiredResult, requirePayment } from '../payments/payment-flow.js'
import type { PaymentOffer } from '../payments/payment-offer.js'
import {
  internalProblem,
  LEDGER_UNAVAILABLE,
  malformedPayment,
  PAYMENT_IN_PROGRESS,
  settlementUnknown,
  TOO_MANY_PAYMENTS,
  verificationUnavailable,
} from '../payments/payment-problems.js'
import { EXAMPLE_REQUEST_ID, EXAMPLE_RUNTIME } from './example-results.js'
import type { DocumentedHeader } from './openapi-headers.js'
import { type ProblemCase, problemCase } from './problem-case.js'

const RETRY: readonly DocumentedHeader[] = ['Retry-After']

export async function paymentProblemCases(
  operation: PaidOperation,
  offer: PaymentOffer,
): Promise<ProblemCase[]> {
  return [
    problemCase(malformedPayment(HTTP_PAYMENT_TRANSPORT)),
    unsold(requirePayment(offer, 'payment_required'), ['PAYMENT-REQUIRED'], 'No payment was sent'),
    unsold(
      requirePayment(offer, 'insufficient_funds'),
      ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
      'The payment that was sent could not be settled',
    ),
    problemCase(PAYMENT_IN_PROGRESS, RETRY, {
      name: 'waiting',
      summary: 'The same payment is at work in another request',
    }),
    problemCase(internalProblem(true)),
    problemCase(verificationUnavailable(''), RETRY, {
      name: 'not_verified',
      summary: 'The payment could not be checked',
    }),
    problemCase(settlementUnknown(''), RETRY, {
      name: 'not_settled',
      summary: 'Nobody knows yet whether the payment was settled',
    }),
    problemCase(TOO_MANY_PAYMENTS, RETRY, {
      name: 'too_many_sales',
      summary: 'Too many sales are under way',
    }),
    problemCase(LEDGER_UNAVAILABLE, RETRY),
    problemCase(await closingOf(operation, offer)),
  ]
}

function unsold(
  { reason, paymentRequired }: PaymentRequiredResult,
  headers: readonly DocumentedHeader[],
  summary: string,
): ProblemCase {
  const detail = describePaymentError(reason, HTTP_PAYMENT_TRANSPORT)
  const problem: Problem = { kind: 'problem', code: 'payment_required', detail, cause: reason }
  return problemCase(problem, headers, { name: reason, summary, extraFields: paymentRequired })
}

/** What a counter says that is about to close. */
async function closingOf(operation: PaidOperation, offer: PaymentOffer): Promise<Problem> {
  const unreachable = () => {
    throw new Error(`${operation.id}: a closing counter sells nothing`)
  }
  const sell = createPaidRequestHandler({
    paymentFlow: unreachable,
    runOperation: unreachable,
    acquirePaymentSlot: unreachable,
    isDraining: () => true,
    now: EXAMPLE_RUNTIME.now,
    log: { payment: unreachable },
  })
  const bargain = await sell({
    operation,
    job: operation.prepare(operation.example),
    offerFor: async () => offer,
    payment: {},
    carrier: HTTP_PAYMENT_TRANSPORT,
    visitor: { requestId: EXAMPLE_REQUEST_ID, caller: '', signal: new AbortController().signal },
  })
  if (bargain.kind !== 'problem') throw new Error(`${operation.id}: ${bargain.kind}`)
  return bargain
}
