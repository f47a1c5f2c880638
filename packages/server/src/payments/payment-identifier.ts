/**
 * The x402 payment-identifier extension: an id that the client chooses, so a client that signs again
 * for the same purchase is not charged again. The ledger holds a digest of it, for each payer.
 */
import {
  declarePaymentIdentifierExtension,
  isValidPaymentId,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier'
import { z } from 'zod'
import { type Payment, sha256 } from './payment.js'

export function paymentIdentifierExtension() {
  return { [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension() }
}

/** Clients echo the declaration without an id, and some send null for what they leave out. */
const extensionSchema = z
  .object({
    info: z.object({ id: z.string().refine(isValidPaymentId).nullish() }),
  })
  .nullish()

export type PaymentIdentifier =
  | { readonly kind: 'valid'; readonly digest: string | null }
  | { readonly kind: 'invalid' }

export function readPaymentIdentifier({ payer, payload }: Payment): PaymentIdentifier {
  const parsed = extensionSchema.safeParse(payload.extensions?.[PAYMENT_IDENTIFIER])
  if (!parsed.success) return { kind: 'invalid' }
  const id = parsed.data?.info.id
  // With the payer, because anyone may send the id of someone else.
  return { kind: 'valid', digest: id ? sha256(`${payer.toLowerCase()} ${id}`) : null }
}
