/**
 * Why a payment is rejected (402) or cannot be processed (other problems), in our own words.
 * Facilitator and library messages are mapped, never passed on: they may hold call data or keys.
 */
import type { Problem } from '@mailgrade/operations/run-operation'

/** "Sign a new one" only where this payment can never be charged any more, or is not for this offer. */
const REASONS = {
  payment_required: 'Sign one of the offers in accepts and {howToSend}.',
  unsupported_version:
    'This service uses x402 version 2; X-PAYMENT is the header of version 1. You were not charged. Sign one of the offers in accepts and {howToSend}.',
  payment_already_used:
    'This payment was already used or canceled, or it paid for another request. You were not charged for this request. Sign a new payment.',
  wrong_scheme:
    'Only the scheme "exact" is accepted. You were not charged. Sign one of the offers in accepts.',
  wrong_network:
    'The payment is for another network. You were not charged. Sign one of the offers in accepts.',
  wrong_asset:
    'The payment uses another token. You were not charged. Sign one of the offers in accepts.',
  wrong_amount:
    'The amount does not match the price. You were not charged. Sign exactly the amount in accepts.',
  wrong_payee:
    'The payment goes to another payee. You were not charged. Sign it to the payTo in accepts.',
  wrong_terms:
    'The accepted terms differ from the offer. You were not charged. Copy an entry of accepts unchanged.',
  wrong_resource: 'The payment is for another resource. You were not charged. Sign this offer.',
  expired:
    'The payment has expired or is about to. You were not charged for this request. Sign a new one.',
  not_yet_valid:
    'The payment is not valid yet. You were not charged. Check your clock and send the same payment again when it is valid.',
  valid_too_long:
    'The payment is valid for more than an hour. You were not charged. Sign one with validBefore at most maxTimeoutSeconds from now.',
  invalid_signature:
    'The signature does not match the payer and these terms. You were not charged. Sign again.',
  insufficient_funds:
    'The payer does not have enough of the token. You were not charged. Add funds and send the same payment again.',
  payment_refused:
    'The payment was rejected. You were not charged. Pay with another wallet, or send the same payment again later.',
} as const

export type PaymentErrorReason = keyof typeof REASONS

/** How a transport (HTTP or MCP) carries a payment, for texts. */
export interface PaymentTransport {
  /** Completes "Sign one of the offers and …". */
  readonly howToSend: string
  /** A full sentence about the format. */
  readonly formatHint: string
}

export const HTTP_PAYMENT_TRANSPORT: PaymentTransport = {
  howToSend: 'send it in PAYMENT-SIGNATURE',
  formatHint: 'Send base64 of its JSON in one PAYMENT-SIGNATURE header.',
}

export function describePaymentError(
  reason: PaymentErrorReason,
  { howToSend }: PaymentTransport,
): string {
  return REASONS[reason].replace('{howToSend}', howToSend)
}

/** Each facilitator has its own codes; these patterns cover them. */
const FACILITATOR_REASONS: readonly [RegExp, PaymentErrorReason][] = [
  [/nonce_already|already_used|already_settled|duplicate/, 'payment_already_used'],
  [/insufficient/, 'insufficient_funds'],
  [/valid_before|expired/, 'expired'],
  [/valid_after|not_yet/, 'not_yet_valid'],
  [/value|amount/, 'wrong_amount'],
  [/recipient|pay_to/, 'wrong_payee'],
  [/network_mismatch|(invalid|wrong|unsupported)_network/, 'wrong_network'],
  [/signature/, 'invalid_signature'],
]

export function toPaymentErrorReason(
  facilitatorReason: string | null | undefined,
): PaymentErrorReason {
  const text = facilitatorReason?.toLowerCase() ?? ''
  return FACILITATOR_REASONS.find(([pattern]) => pattern.test(text))?.[1] ?? 'payment_refused'
}

const RETRY_SECONDS = 2
const RETRY_SAME_PAYMENT = `Send the same payment again in ${RETRY_SECONDS} seconds.`

/** Nothing was charged, and the same payment may work later. */
function tryLater(
  code: Problem['code'],
  cause: string,
  detail: string,
  retryAfterSeconds = RETRY_SECONDS,
): Problem {
  return { kind: 'problem', code, detail, charged: 'no', retryAfterSeconds, cause }
}

/** For an operation that failed: without a report there is no charge. */
export function notCharged(problem: Problem): Problem {
  return { ...problem, charged: 'no' }
}

export function malformedPayment({ formatHint }: PaymentTransport): Problem {
  return {
    kind: 'problem',
    code: 'malformed_payment',
    detail: `The payment is not an x402 version 2 payload with an EIP-3009 authorization. You were not charged. ${formatHint}`,
    cause: 'malformed payment',
  }
}

export const MALFORMED_IDENTIFIER: Problem = {
  kind: 'problem',
  code: 'malformed_payment',
  detail:
    'The payment-identifier extension needs info.id with 16 to 128 letters, digits, hyphens and underscores. You were not charged. Correct the id, or leave it out, and send the same payment again.',
  cause: 'malformed payment identifier',
}

export const IDENTIFIER_IN_PROGRESS: Problem = {
  kind: 'problem',
  code: 'report_not_ready',
  detail: `Another payment with this payment identifier is still in progress. This payment was not charged. Send the first payment again in ${RETRY_SECONDS} seconds.`,
  condition: 'waiting',
  charged: 'no',
  retryAfterSeconds: RETRY_SECONDS,
  cause: 'payment identifier in progress',
}

export const IDENTIFIER_USED: Problem = {
  kind: 'problem',
  code: 'identifier_used',
  detail:
    'An earlier payment with this payment identifier was charged, or may have been. This payment was not charged. Send the earlier payment again to get its report. To buy another report, use a new identifier.',
  charged: 'no',
  cause: 'payment identifier used',
}

export const PAYMENT_IN_PROGRESS: Problem = {
  kind: 'problem',
  code: 'report_not_ready',
  detail: `Another request is still processing this payment. You are charged at most once. ${RETRY_SAME_PAYMENT}`,
  condition: 'waiting',
  charged: 'unknown',
  retryAfterSeconds: RETRY_SECONDS,
  cause: 'payment in progress',
}

/** `where` is for operators: what there is too much of. */
export function tooManyPayments(where: string): Problem {
  return tryLater(
    'overloaded',
    `too many payments: ${where}`,
    `Too many payments are in progress. You were not charged. ${RETRY_SAME_PAYMENT}`,
  )
}

/** Failed transactions have cost as much gas as this service spends on them in an hour. */
export const SALES_PAUSED = tryLater(
  'facilitator_unavailable',
  'gas budget',
  'Too many payments failed on the chain in the last hour, so no new ones are sent. You were not charged. Try again in 10 minutes.',
  600,
)

export const LEDGER_UNAVAILABLE = tryLater(
  'ledger_unavailable',
  'the ledger is unavailable',
  `The payment ledger is unavailable. You were not charged. ${RETRY_SAME_PAYMENT}`,
)

/** A payment started now could be cut off between the charge and the report. */
export const SHUTTING_DOWN: Problem = {
  kind: 'problem',
  code: 'shutting_down',
  detail:
    'This instance is shutting down. You were not charged. Send the same payment again; another instance will process it.',
  charged: 'no',
  cause: 'draining',
}

export function verificationUnavailable(cause: string): Problem {
  return tryLater(
    'facilitator_unavailable',
    `verify: ${cause}`,
    `The payment could not be verified. You were not charged. ${RETRY_SAME_PAYMENT}`,
  )
}

/** As the in-process facilitator names it. */
export const GAS_TOO_EXPENSIVE = 'GasTooExpensive'

/** Verified, but not sent to the chain. */
export function settlementNotSent(cause: string): Problem {
  const [detail, seconds] =
    cause === GAS_TOO_EXPENSIVE
      ? [
          'Gas costs more than this report right now, so the payment was not sent. You were not charged. Try again in a minute.',
          60,
        ]
      : [`The payment could not be sent to the chain. You were not charged. ${RETRY_SAME_PAYMENT}`]
  return tryLater('facilitator_unavailable', `settle: ${cause}`, detail, seconds)
}

/** The payer was charged, now or earlier, and the report could not be made again. */
export function reportNotMade({ detail, cause }: Problem): Problem {
  return {
    kind: 'problem',
    code: 'report_not_ready',
    detail: `The payment was received, but the report could not be made. ${detail} Send the same payment again within 24 hours. You are not charged again.`,
    condition: 'analysis_failed',
    charged: 'unknown',
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  }
}

export function tooManyUnsoldAttempts(limit: number, resetSeconds: number): Problem {
  return tryLater(
    'rate_limited',
    'unsold attempts',
    `Limit reached: ${limit} paid requests a minute that end without a report. You were not charged. Send the same payment again in ${resetSeconds} seconds.`,
    resetSeconds,
  )
}

/** For a payment that may have been received already. */
export function outcomeLimited({ retryAfterSeconds = RETRY_SECONDS }: Problem): Problem {
  return {
    kind: 'problem',
    code: 'rate_limited',
    detail: `This payment may have been received already, and you reached the limit of paid requests that end without a report. Send the same payment again in ${retryAfterSeconds} seconds. You pay only once.`,
    charged: 'unknown',
    retryAfterSeconds,
    cause: 'unsold attempts',
  }
}

export function payerOnHold(seconds: number): Problem {
  const minutes = Math.ceil(seconds / 60)
  return {
    kind: 'problem',
    code: 'rate_limited',
    detail: `An earlier payment of this wallet failed on the chain. You were not charged. Pay with another wallet, or try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    charged: 'no',
    retryAfterSeconds: seconds,
    cause: 'payer on hold',
  }
}

export const TOO_MANY_UNKNOWN = tryLater(
  'rate_limited',
  'too many unknown outcomes',
  'The outcome of earlier payments of this wallet is still unknown. You were not charged for this one. Send the earlier payments again first, then this one.',
  60,
)

export function settlementUnknown(cause: string): Problem {
  return {
    kind: 'problem',
    code: 'facilitator_unavailable',
    detail: `The payment was submitted, but its outcome is not known yet. You may have been charged. Do not sign a new payment. ${RETRY_SAME_PAYMENT} You get the report and pay only once.`,
    charged: 'unknown',
    retryAfterSeconds: RETRY_SECONDS,
    cause: `settle: ${cause}`,
  }
}

/** The detail of a 402 response: the price, and what to do or why the payment was not accepted. */
export function paymentRequiredDetail(
  reason: PaymentErrorReason,
  price: string,
  transport: PaymentTransport,
): string {
  return `This report costs ${describePrice(price)}. ${describePaymentError(reason, transport)}`
}

/** In words: "one US cent (0.01 USDC)". `price` is in US dollars. */
function describePrice(price: string): string {
  const cents = Math.round(Number(price) * 100)
  const [count, unit] = cents % 100 === 0 ? [cents / 100, 'US dollar'] : [cents, 'US cent']
  return `${count === 1 ? `one ${unit}` : `${count} ${unit}s`} (${price} USDC)`
}

/** Whether the payment that came with the request was charged; undefined if none came. */
export function chargedBy(reason: PaymentErrorReason): 'no' | undefined {
  return reason === 'payment_required' ? undefined : 'no'
}
