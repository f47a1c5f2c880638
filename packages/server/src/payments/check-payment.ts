/** Whether a payment keeps to the offer: what can be told without asking anybody. */
import type { PaymentRequirements } from '@x402/core/types'
import type { Payment } from './payment.js'
import type { PaymentErrorReason } from './payment-error-reasons.js'
import type { PaymentOffer } from './payment-offer.js'

/** A transaction takes a few seconds to be mined; with less left, it would only cost gas. */
const SECONDS_TO_SETTLE = 6
/** A node shows a block a little later than it was made, and clocks differ. */
const SECONDS_TO_BE_SEEN = 10

/** Compared one by one, so that the caller hears which; whatever is left must match as a whole. */
const FIELDS: readonly [keyof PaymentRequirements, PaymentErrorReason][] = [
  ['scheme', 'wrong_scheme'],
  ['network', 'wrong_network'],
  ['asset', 'wrong_asset'],
  ['amount', 'wrong_amount'],
  ['payTo', 'wrong_payee'],
  ['maxTimeoutSeconds', 'wrong_terms'],
]

export function checkPaymentTerms(
  payment: Payment,
  { resource, requirements }: PaymentOffer,
): PaymentErrorReason | null {
  const { accepted, resource: paidFor } = payment.payload
  for (const [field, reason] of FIELDS) {
    if (!isSame(accepted[field], requirements[field])) return reason
  }
  // A client may add to `extra`, but what we said there decides what is signed. What was added is
  // not looked at: to compare deep nesting takes a caller a moment and us many seconds.
  const isKept = ([name, value]: [string, unknown]) => accepted.extra[name] === value
  if (!Object.entries(requirements.extra).every(isKept)) return 'wrong_terms'
  const { to, value } = payment.authorization
  if (!isSame(to, requirements.payTo)) return 'wrong_payee'
  if (BigInt(value) !== BigInt(requirements.amount)) return 'wrong_amount'
  if (paidFor && pathOf(paidFor.url) !== pathOf(resource.url)) return 'wrong_resource'
  return null
}

/** By its times alone; `now` in seconds. */
export function checkValidityWindow(
  { validAfter, validBefore }: Payment,
  now: number,
): PaymentErrorReason | null {
  if (validBefore < now + SECONDS_TO_SETTLE) return 'expired'
  // EIP-3009: valid after that time, not at it.
  if (validAfter >= now) return 'not_yet_valid'
  return null
}

/** Whether it can no longer be carried out, and would be seen on the chain if it had been. */
export function isSafelyExpired({ validBefore }: Payment, now: number): boolean {
  return now >= validBefore + SECONDS_TO_BE_SEEN
}

/** Addresses are written in either case. */
function isSame(given: unknown, offered: unknown): boolean {
  return String(given).toLowerCase() === String(offered).toLowerCase()
}

/** Callers know us by other names, too, and may add their query; the path says what is sold. */
function pathOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).pathname : null
}
