/**
 * Why a payment is not taken: our codes, and a sentence for each. What a facilitator or a library
 * says is translated, never passed on: it may hold call data, keys in addresses, or nonsense.
 */

const REASONS = {
  payment_required: 'Sign one of the offers in accepts and {sendIt}.',
  payment_already_used:
    'The authorization has been used or cancelled, or paid for another request. Sign a new one.',
  wrong_scheme: 'Only the scheme exact is accepted. Sign one of the offers in accepts.',
  wrong_network: 'The payment is for another network. Sign one of the offers in accepts.',
  wrong_asset: 'The payment is in another token. Sign one of the offers in accepts.',
  wrong_amount: 'The amount is not the price. Sign exactly the amount in accepts.',
  wrong_payee: 'The payment goes to somebody else. Sign it to payTo in accepts.',
  wrong_terms: 'The accepted terms are not the ones offered. Repeat an entry of accepts unchanged.',
  wrong_resource: 'The payment was made out for another resource. Sign this offer.',
  expired: 'The authorization has expired, or is about to. Sign a new one.',
  not_yet_valid: 'The authorization is not valid yet. Sign one that is, and check your clock.',
  invalid_signature: 'The signature is not the payer’s over these terms. Sign again.',
  insufficient_funds: 'The payer has not enough of the token. Add funds and sign again.',
  payment_refused: 'The payment was refused, and nothing was charged. Sign a new one.',
} as const

export type PaymentErrorReason = keyof typeof REASONS

/** Where a payment travels, in words: a header, or a member of a message. */
export interface PaymentTransport {
  /** What to do with it: `Sign one of the offers and …`. */
  readonly howToSend: string
  /** A sentence for who got its form wrong. */
  readonly formatHint: string
}

export function describePaymentError(
  reason: PaymentErrorReason,
  { howToSend }: PaymentTransport,
): string {
  return REASONS[reason].replace('{sendIt}', howToSend)
}

/** Facilitators name reasons each in their own way; these words tell them apart. */
const FOREIGN: readonly [RegExp, PaymentErrorReason][] = [
  [/nonce_already|already_used|already_settled|duplicate/, 'payment_already_used'],
  [/insufficient/, 'insufficient_funds'],
  [/valid_before|expired/, 'expired'],
  [/valid_after|not_yet/, 'not_yet_valid'],
  [/value|amount/, 'wrong_amount'],
  [/recipient|pay_to/, 'wrong_payee'],
  [/network_mismatch|(invalid|wrong|unsupported)_network/, 'wrong_network'],
  [/signature/, 'invalid_signature'],
]

export function toPaymentErrorReason(foreign: string | undefined): PaymentErrorReason {
  const text = foreign?.toLowerCase() ?? ''
  return FOREIGN.find(([words]) => words.test(text))?.[1] ?? 'payment_refused'
}
