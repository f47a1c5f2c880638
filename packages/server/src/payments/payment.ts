/** Parses a payment payload, and checks what needs no network: its terms and its times. */
import { createHash } from 'node:crypto'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import {
  declarePaymentIdentifierExtension,
  isValidPaymentId,
  PAYMENT_IDENTIFIER,
} from '@x402/extensions/payment-identifier'
import { z } from 'zod'
import type { PaymentErrorReason } from './payment-problems.js'
import { type HexText, isChecksumAddress } from './payment-terms.js'

const hex = (pattern: RegExp) =>
  z.custom<HexText>((value) => typeof value === 'string' && pattern.test(value))

/** viem rejects a mixed-case address with a wrong checksum; in lower case there is none to check. */
const address = hex(/^0x[0-9a-fA-F]{40}$/).transform(
  (text): HexText => (isChecksumAddress(text) ? text : `0x${text.slice(2).toLowerCase()}`),
)
const uint256 = z
  .string()
  .refine((text) => /^\d{1,78}$/.test(text) && BigInt(text) < 2n ** 256n)
  // `010` is the same payment as `10`.
  .transform((text) => BigInt(text).toString())

/** Some clients send null for what they leave out. */
const nullable = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined)

const requirementsSchema = z.object({
  scheme: z.string(),
  network: z.string().regex(/^[^:]+:[^:]+$/),
  asset: z.string(),
  amount: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.record(z.string(), z.unknown()).default({}),
})

const authorizationSchema = z.object({
  from: address,
  to: address,
  value: uint256,
  validAfter: uint256,
  validBefore: uint256,
  nonce: hex(/^0x[0-9a-fA-F]{64}$/),
})

/** x402 v2, scheme exact with EIP-3009. A contract wallet's signature may exceed 65 bytes. */
const payloadSchema = z.object({
  x402Version: z.literal(2),
  resource: nullable(z.looseObject({ url: z.string() })),
  accepted: requirementsSchema,
  payload: z.object({
    signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,4000}$/),
    authorization: authorizationSchema,
  }),
  extensions: nullable(z.record(z.string(), z.unknown())),
})

export interface Payment {
  /** Identifies the authorization, which the chain accepts once; a digest, because it is stored. */
  readonly id: string
  /** Identifies the exact payment, including its signature. */
  readonly fingerprint: string
  readonly payer: string
  /** Known only to the payer and to us until the payment is on the chain. */
  readonly signature: string
  readonly validAfter: number
  readonly validBefore: number
  readonly authorization: z.output<typeof authorizationSchema>
  /** Sent to the facilitator. */
  readonly payload: PaymentPayload
}

export function parsePayment(input: unknown): Payment | null {
  const parsed = payloadSchema.safeParse(input)
  if (!parsed.success) return null
  const { accepted } = parsed.data
  const { authorization, signature } = parsed.data.payload
  const { from, nonce, validAfter, validBefore } = authorization
  return {
    id: paymentId({ network: accepted.network, asset: accepted.asset, from, nonce }),
    fingerprint: sha256(JSON.stringify([authorization, signature]).toLowerCase()),
    payer: from,
    signature: signature.toLowerCase(),
    validAfter: Number(validAfter),
    validBefore: Number(validBefore),
    authorization,
    payload: parsed.data as PaymentPayload,
  }
}

interface AuthorizationKey {
  readonly network: string
  readonly asset: string
  readonly from: string
  readonly nonce: string
}

/** The same for a payment that was sent to us and for its transfer on the chain. */
export function paymentId({ network, asset, from, nonce }: AuthorizationKey): string {
  return sha256([network, asset, from, nonce].join(' ').toLowerCase())
}

/** The same for all payments that are offered with these terms, whatever they buy. */
export function paymentTermsId({
  network,
  asset,
  payTo,
}: Readonly<Record<'network' | 'asset' | 'payTo', string>>): string {
  return sha256([network, asset, payTo].join(' ').toLowerCase())
}

/** Decodes the PAYMENT-SIGNATURE header, which is base64 of JSON; null if it is malformed. */
export function decodePaymentHeader(header: string): unknown {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return null
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
  } catch {
    return null
  }
}

/** Compared one by one to name the field that differs. Only addresses are the same in any case. */
const FIELD_REASONS: readonly [
  keyof PaymentRequirements,
  PaymentErrorReason,
  (actual: unknown, expected: unknown) => boolean,
][] = [
  ['scheme', 'wrong_scheme', equals],
  ['network', 'wrong_network', equals],
  ['asset', 'wrong_asset', equalsIgnoringCase],
  ['amount', 'wrong_amount', equals],
  ['payTo', 'wrong_payee', equalsIgnoringCase],
  ['maxTimeoutSeconds', 'wrong_terms', equals],
]

/** What of an offer a payment has to match. */
interface PaymentOfferTerms {
  readonly resource: { readonly url: string }
  readonly requirements: PaymentRequirements
}

export function checkPaymentTerms(
  payment: Payment,
  { resource, requirements }: PaymentOfferTerms,
): PaymentErrorReason | null {
  const { accepted, resource: paidResource } = payment.payload
  for (const [field, reason, isSame] of FIELD_REASONS) {
    if (!isSame(accepted[field], requirements[field])) return reason
  }
  // A client may add to `extra`. Additions are not compared: deep nesting would cost us seconds.
  const isUnchanged = ([name, value]: [string, unknown]) => accepted.extra[name] === value
  if (!Object.entries(requirements.extra).every(isUnchanged)) return 'wrong_terms'
  const { to, value } = payment.authorization
  if (!equalsIgnoringCase(to, requirements.payTo)) return 'wrong_payee'
  if (BigInt(value) !== BigInt(requirements.amount)) return 'wrong_amount'
  if (paidResource && urlPath(paidResource.url) !== urlPath(resource.url)) return 'wrong_resource'
  return null
}

/**
 * We ask for two minutes. A clock may be wrong and a client may add some time, but one that is valid
 * for years would have to be remembered for years.
 */
export const MAX_VALID_SECONDS = 60 * 60

/** A transaction takes seconds to be mined; with less time left it would only cost gas. */
const SECONDS_TO_SETTLE = 6

/** `now` is in seconds. */
export function checkValidityWindow(
  { validAfter, validBefore }: Payment,
  now: number,
): PaymentErrorReason | null {
  if (validBefore < now + SECONDS_TO_SETTLE) return 'expired'
  // EIP-3009: valid only after that time, not at it.
  if (validAfter >= now) return 'not_yet_valid'
  if (validBefore > now + MAX_VALID_SECONDS) return 'valid_too_long'
  return null
}

/** A number may be written as text. */
function equals(actual: unknown, expected: unknown): boolean {
  return String(actual) === String(expected)
}

function equalsIgnoringCase(actual: unknown, expected: unknown): boolean {
  return String(actual).toLowerCase() === String(expected).toLowerCase()
}

/** Callers may use another host name or add a query; the path identifies the resource. */
function urlPath(url: string): string | null {
  return URL.canParse(url) ? new URL(url).pathname : null
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

/**
 * The x402 payment-identifier extension: an id that the client chooses, so a client that signs again
 * for the same purchase is not charged again. The ledger holds a digest of it, for each payer.
 */
export function paymentIdentifierExtension() {
  return { [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension() }
}

/** Clients echo the declaration without an id, and some send null for what they leave out. */
const extensionSchema = z
  .object({
    info: z.object({ id: z.string().refine(isValidPaymentId).nullish() }),
  })
  .nullish()

type PaymentIdentifier =
  | { readonly kind: 'valid'; readonly digest: string | null }
  | { readonly kind: 'invalid' }

export function readPaymentIdentifier({ payer, payload }: Payment): PaymentIdentifier {
  const parsed = extensionSchema.safeParse(payload.extensions?.[PAYMENT_IDENTIFIER])
  if (!parsed.success) return { kind: 'invalid' }
  const id = parsed.data?.info.id
  // With the payer, because anyone may send the id of someone else.
  return { kind: 'valid', digest: id ? sha256(`${payer.toLowerCase()} ${id}`) : null }
}
