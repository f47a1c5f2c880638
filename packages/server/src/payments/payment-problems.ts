/** Ways in which a sale does not come about that are neither the report’s fault nor the price’s. */
import type { Problem } from '../operations/run-operation.js'
import {
  describePaymentError,
  type PaymentErrorReason,
  type PaymentTransport,
} from './payment-error-reasons.js'

const RETRY_SECONDS = 2

/** Something broke on our side; with a payment on the way, nobody knows whether before or after it. */
export function internalProblem(hasPayment: boolean): Problem {
  return {
    kind: 'problem',
    code: 'internal',
    ...(hasPayment && { charged: 'unknown' }),
    detail: hasPayment
      ? 'The fault is ours. Do not sign a new payment: send the same one again in a moment. If it was charged, you get the report for it.'
      : 'The fault is ours. Try again in a moment.',
    cause: 'fault',
  }
}

/** The report did not come about, and so it cost nothing. */
export function notCharged(problem: Problem): Problem {
  return { ...problem, charged: 'no' }
}

export function malformedPayment({ formatHint }: PaymentTransport): Problem {
  return {
    kind: 'problem',
    code: 'malformed_payment',
    detail: `The payment is not an x402 version 2 payload with an EIP-3009 authorization. ${formatHint}`,
    cause: 'malformed payment',
  }
}

export const PAYMENT_IN_PROGRESS: Problem = {
  kind: 'problem',
  code: 'report_not_ready',
  detail:
    'This payment is being worked on in another request. Send it again in a moment to get that report.',
  condition: 'waiting',
  charged: 'unknown',
  retryAfterSeconds: RETRY_SECONDS,
  cause: 'payment in progress',
}

export const TOO_MANY_PAYMENTS: Problem = {
  kind: 'problem',
  code: 'overloaded',
  detail: 'Too many sales are under way. Nothing was charged; send the same payment again.',
  charged: 'no',
  retryAfterSeconds: RETRY_SECONDS,
  cause: 'too many sales',
}

export const LEDGER_UNAVAILABLE: Problem = {
  kind: 'problem',
  code: 'ledger_unavailable',
  detail:
    'What keeps a payment from being taken twice cannot be reached. Nothing was charged; send the same payment again in a moment.',
  charged: 'no',
  retryAfterSeconds: RETRY_SECONDS,
  cause: 'the ledger cannot be reached',
}

export function verificationUnavailable(cause: string): Problem {
  return {
    kind: 'problem',
    code: 'facilitator_unavailable',
    detail:
      'The payment could not be checked. Nothing was charged; send the same payment again in a moment.',
    charged: 'no',
    retryAfterSeconds: RETRY_SECONDS,
    cause: `verify: ${cause}`,
  }
}

export function settlementUnknown(cause: string): Problem {
  return {
    kind: 'problem',
    code: 'facilitator_unavailable',
    detail:
      'The payment was sent to be settled, and its outcome is not known yet. Do not sign a new one: send the same payment again in a moment, and you will get the report and pay once.',
    charged: 'unknown',
    retryAfterSeconds: RETRY_SECONDS,
    cause: `settle: ${cause}`,
  }
}

/** A payment accepted now could be cut off between settlement and delivery. */
export const SHUTTING_DOWN: Problem = {
  kind: 'problem',
  code: 'shutting_down',
  detail: 'Nothing was charged. Send the same payment again; another instance accepts it.',
  charged: 'no',
  cause: 'draining',
}

/** The detail of a 402 response: the price, or why the payment was not accepted. */
export function paymentRequiredDetail(
  reason: PaymentErrorReason,
  price: string,
  transport: PaymentTransport,
): string {
  const advice = describePaymentError(reason, transport)
  return reason === 'payment_required' ? `Payment required: ${price} USDC. ${advice}` : advice
}
