/** A payment as it arrives: read, not yet believed. */
import { createHash } from 'node:crypto'
import type { PaymentPayload } from '@x402/core/types'
import { z } from 'zod'
import { isChecksumAddress } from './checksum.js'

/** The scheme takes the case of an address's letters for a checksum, which callers may not have made. */
const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/)
  .transform((text) => (isChecksumAddress(text) ? text : text.toLowerCase()))
/** What a chain can hold: 256 bits. */
const whole = z.string().refine((text) => /^\d{1,78}$/.test(text) && BigInt(text) < 2n ** 256n)

/** Some clients write null for what they leave out. */
const given = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined)

const requirements = z.object({
  scheme: z.string(),
  network: z.string().regex(/^[^:]+:[^:]+$/),
  asset: z.string(),
  amount: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  extra: z.record(z.string(), z.unknown()).default({}),
})

const authorization = z.object({
  from: address,
  to: address,
  value: whole,
  validAfter: whole,
  validBefore: whole,
  nonce: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
})

/** x402 v2, scheme exact by EIP-3009. A contract’s signature may be longer than a key’s 65 bytes. */
const payload = z.object({
  x402Version: z.literal(2),
  resource: given(z.looseObject({ url: z.string() })),
  accepted: requirements,
  payload: z.object({
    signature: z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,4000}$/),
    authorization,
  }),
  extensions: given(z.record(z.string(), z.unknown())),
})

export interface Payment {
  /** The same for whatever could spend the same money: an authorization is used once on chain. */
  readonly id: string
  /** The same only for the very same payment, signature and all. */
  readonly fingerprint: string
  readonly payer: string
  readonly validAfter: number
  readonly validBefore: number
  readonly authorization: z.output<typeof authorization>
  /** For the facilitator. */
  readonly payload: PaymentPayload
}

export function parsePayment(text: unknown): Payment | null {
  const parsed = payload.safeParse(text)
  if (!parsed.success) return null
  const { accepted } = parsed.data
  const { authorization, signature } = parsed.data.payload
  const { from, nonce, validAfter, validBefore } = authorization
  return {
    id: [accepted.network, accepted.asset, from, nonce].join(' ').toLowerCase(),
    fingerprint: sha256(JSON.stringify([authorization, signature]).toLowerCase()),
    payer: from,
    validAfter: Number(validAfter),
    validBefore: Number(validBefore),
    authorization,
    payload: parsed.data as PaymentPayload,
  }
}

/** The header: base64 of the payment’s JSON. */
export function decodePaymentHeader(header: string): unknown {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(header)) return null
  try {
    return JSON.parse(Buffer.from(header, 'base64').toString('utf8'))
  } catch {
    return null
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
