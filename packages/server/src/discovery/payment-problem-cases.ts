/** How a payment can fail, with the problems that the payment flow returns. */
import { internalProblem } from '../operations/internal-problem.js'
import type { Problem } from '../operations/run-operation.js'
import { type PaymentRequiredResult, requirePayment } from '../payments/payment-flow.js'
import type { PaymentOffer } from '../payments/payment-offer.js'
import {
  describePaymentError,
  HTTP_PAYMENT_TRANSPORT,
  LEDGER_UNAVAILABLE,
  malformedPayment,
  PAYMENT_IN_PROGRESS,
  SHUTTING_DOWN,
  settlementUnknown,
  TOO_MANY_PAYMENTS,
  verificationUnavailable,
} from '../payments/payment-problems.js'
import type { DocumentedHeader } from './openapi-headers.js'
import { type ProblemCase, problemCase } from './problem-case.js'

const RETRY: readonly DocumentedHeader[] = ['Retry-After']

export function paymentProblemCases(offer: PaymentOffer): ProblemCase[] {
  return [
    problemCase(malformedPayment(HTTP_PAYMENT_TRANSPORT)),
    rejectedCase(
      requirePayment(offer, 'payment_required'),
      ['PAYMENT-REQUIRED'],
      'No payment was sent',
    ),
    rejectedCase(
      requirePayment(offer, 'insufficient_funds'),
      ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE'],
      'The payment could not be settled',
    ),
    problemCase(PAYMENT_IN_PROGRESS, RETRY, {
      name: 'waiting',
      summary: 'Another request is processing the same payment',
    }),
    problemCase(internalProblem(true)),
    problemCase(verificationUnavailable(''), RETRY, {
      name: 'not_verified',
      summary: 'The payment could not be verified',
    }),
    problemCase(settlementUnknown(''), RETRY, {
      name: 'not_settled',
      summary: 'The outcome of the settlement is not known yet',
    }),
    problemCase(TOO_MANY_PAYMENTS, RETRY, {
      name: 'too_many_sales',
      summary: 'Too many payments are in progress',
    }),
    problemCase(LEDGER_UNAVAILABLE, RETRY),
    problemCase(SHUTTING_DOWN),
  ]
}

function rejectedCase(
  { reason, paymentRequired }: PaymentRequiredResult,
  headers: readonly DocumentedHeader[],
  summary: string,
): ProblemCase {
  const detail = describePaymentError(reason, HTTP_PAYMENT_TRANSPORT)
  const problem: Problem = { kind: 'problem', code: 'payment_required', detail, cause: reason }
  return problemCase(problem, headers, { name: reason, summary, extraFields: paymentRequired })
}
