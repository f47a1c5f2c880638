/**
 * Why a payment is rejected (402) or cannot be processed (other problems), in our own words.
 * Facilitator and library messages are mapped, never passed on: they may hold call data or keys.
 */
import type { Problem } from '@mailgrade/operations/run-operation'
import { fillText } from '../content/fill-text.js'
import { CONTENT, type TextPlaces } from '../content/generated/content.js'
import { MAX_ANSWERS } from '../state/ledger-rules.js'

export type PaymentErrorReason = keyof TextPlaces['payment-errors']

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
  const values: Record<TextPlaces['payment-errors'][PaymentErrorReason], string> = { howToSend }
  return fillText(CONTENT.texts['payment-errors'][reason], values)
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
const SOON = { seconds: RETRY_SECONDS }

type Details = TextPlaces['payment-problems']

function writeDetail<Key extends keyof Details>(
  key: Key,
  values: Readonly<Record<Details[Key], string | number>>,
): string {
  return fillText(CONTENT.texts['payment-problems'][key], values)
}

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
    detail: writeDetail('malformed_payment', { formatHint }),
    cause: 'malformed payment',
  }
}

export const MALFORMED_IDENTIFIER: Problem = {
  kind: 'problem',
  code: 'malformed_payment',
  detail: writeDetail('malformed_identifier', {}),
  cause: 'malformed payment identifier',
}

export const IDENTIFIER_IN_PROGRESS: Problem = {
  kind: 'problem',
  code: 'report_not_ready',
  detail: writeDetail('identifier_in_progress', SOON),
  condition: 'waiting',
  charged: 'no',
  retryAfterSeconds: RETRY_SECONDS,
  cause: 'payment identifier in progress',
}

export const IDENTIFIER_USED: Problem = {
  kind: 'problem',
  code: 'identifier_used',
  detail: writeDetail('identifier_used', {}),
  charged: 'no',
  cause: 'payment identifier used',
}

export const PAYMENT_IN_PROGRESS: Problem = {
  kind: 'problem',
  code: 'report_not_ready',
  detail: writeDetail('payment_in_progress', SOON),
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
    writeDetail('too_many_payments', SOON),
  )
}

/** Failed transactions have cost as much gas as this service spends on them in an hour. */
export const SALES_PAUSED = tryLater(
  'facilitator_unavailable',
  'gas budget',
  writeDetail('sales_paused', {}),
  600,
)

export const LEDGER_UNAVAILABLE = tryLater(
  'ledger_unavailable',
  'the ledger is unavailable',
  writeDetail('ledger_unavailable', SOON),
)

/** A payment started now could be cut off between the charge and the report. */
export const SHUTTING_DOWN: Problem = {
  kind: 'problem',
  code: 'shutting_down',
  detail: writeDetail('shutting_down', {}),
  charged: 'no',
  cause: 'draining',
}

export function verificationUnavailable(cause: string): Problem {
  return tryLater(
    'facilitator_unavailable',
    `verify: ${cause}`,
    writeDetail('verification_unavailable', SOON),
  )
}

/** As the in-process facilitator names it. */
export const GAS_TOO_EXPENSIVE = 'GasTooExpensive'

/** Verified, but not sent to the chain. */
export function settlementNotSent(cause: string): Problem {
  const [detail, seconds] =
    cause === GAS_TOO_EXPENSIVE
      ? [writeDetail('gas_too_expensive', {}), 60]
      : [writeDetail('settlement_not_sent', SOON)]
  return tryLater('facilitator_unavailable', `settle: ${cause}`, detail, seconds)
}

/** The payer was charged, now or earlier, and the report could not be made again. */
export function reportNotMade({ detail, cause }: Problem): Problem {
  return {
    kind: 'problem',
    code: 'report_not_ready',
    detail: writeDetail('report_not_made', { reason: detail }),
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
    writeDetail('too_many_unsold_attempts', { limit, seconds: resetSeconds }),
    resetSeconds,
  )
}

/** For a payment that may have been received already. */
export function outcomeLimited({ retryAfterSeconds = RETRY_SECONDS }: Problem): Problem {
  return {
    kind: 'problem',
    code: 'rate_limited',
    detail: writeDetail('outcome_limited', { seconds: retryAfterSeconds }),
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
    detail: writeDetail('payer_on_hold', {
      time: minutes === 1 ? 'a minute' : `${minutes} minutes`,
    }),
    charged: 'no',
    retryAfterSeconds: seconds,
    cause: 'payer on hold',
  }
}

export const TOO_MANY_UNKNOWN = tryLater(
  'rate_limited',
  'too many unknown outcomes',
  writeDetail('too_many_unknown', {}),
  60,
)

export function settlementUnknown(cause: string): Problem {
  return {
    kind: 'problem',
    code: 'facilitator_unavailable',
    detail: writeDetail('settlement_unknown', SOON),
    charged: 'unknown',
    retryAfterSeconds: RETRY_SECONDS,
    cause: `settle: ${cause}`,
  }
}

export const ANSWERS_USED_UP = writeDetail('answers_used_up', { count: MAX_ANSWERS })
export const ANSWERS_OVER = writeDetail('answers_over', {})

/** The detail of a 402 response: the price, and what to do or why the payment was not accepted. */
export function paymentRequiredDetail(
  reason: PaymentErrorReason,
  price: string,
  transport: PaymentTransport,
  explanation = describePaymentError(reason, transport),
): string {
  return writeDetail('price', { price: describePrice(price), reason: explanation })
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
