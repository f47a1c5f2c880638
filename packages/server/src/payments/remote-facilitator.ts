/**
 * A facilitator over HTTP. What it says about a settlement is only ever a claim. The client of
 * `@x402/core` follows redirects and reads a response of any size, so we send the requests ourselves.
 */
import { z } from 'zod'
import type { Facilitator, SettleClaim, VerifyResult } from './facilitator.js'
import type { Payment } from './payment.js'
import type { PaymentOffer } from './payment-offer.js'
import { toPaymentErrorReason } from './payment-problems.js'
import type { NetworkId } from './payment-terms.js'

export interface RemoteFacilitatorOptions extends FacilitatorHttpOptions {
  readonly network: NetworkId
  readonly verifyTimeoutMs?: number
  readonly settleTimeoutMs?: number
}

/** Reasons that mean the facilitator does not know, including Coinbase's. */
const AMBIGUOUS_REASON = /pending|unexpected|time(d_)?out|unknown|internal|node_failure/i

const verifyResponse = z.object({
  isValid: z.boolean(),
  invalidReason: z.string().min(1).nullish(),
})
const settleResponse = z.object({
  success: z.boolean(),
  transaction: z.unknown().optional(),
  errorReason: z.unknown().optional(),
})
const supportedResponse = z.object({
  kinds: z.array(
    z.looseObject({ x402Version: z.number(), scheme: z.string(), network: z.string() }),
  ),
})

export function createRemoteFacilitator({
  network,
  verifyTimeoutMs = 5_000,
  settleTimeoutMs = 30_000,
  ...options
}: RemoteFacilitatorOptions): Facilitator {
  const request = createFacilitatorRequest(options)

  async function verifyOnce(body: object): Promise<VerifyResult> {
    try {
      const response = await request('verify', body, verifyTimeoutMs)
      return toVerifyResult(response.status, verifyResponse.parse(response.body))
    } catch (error) {
      return { kind: 'unavailable', cause: errorCode(error) }
    }
  }

  return {
    recordsTransactions: false,
    async verify(payment, { offer }) {
      const body = toRequestBody(payment, offer)
      const first = await verifyOnce(body)
      // Verifying twice is free and changes nothing.
      return first.kind === 'unavailable' ? verifyOnce(body) : first
    },
    async settle(payment, { offer }) {
      try {
        const body = toRequestBody(payment, offer)
        const response = await request('settle', body, settleTimeoutMs)
        return toSettleClaim(response.status, settleResponse.parse(response.body))
      } catch (error) {
        return { ...UNCLEAR, cause: errorCode(error) }
      }
    },
    async healthProblem() {
      try {
        const { body } = await request('supported', null, verifyTimeoutMs)
        const isSupported = supportedResponse
          .parse(body)
          .kinds.some(
            (kind) => kind.x402Version === 2 && kind.scheme === 'exact' && kind.network === network,
          )
        return isSupported ? null : `the facilitator does not settle exact payments on ${network}`
      } catch {
        return 'the facilitator does not answer'
      }
    },
  }
}

/** Only the signed part is the buyer's: a facilitator shows the rest to others in our name. */
function toRequestBody(
  { payload: { x402Version, payload } }: Payment,
  { resource, requirements, extensions }: PaymentOffer,
): object {
  return {
    x402Version,
    paymentPayload: { x402Version, resource, accepted: requirements, payload, extensions },
    paymentRequirements: requirements,
  }
}

function toVerifyResult(
  status: number,
  { isValid, invalidReason }: z.output<typeof verifyResponse>,
): VerifyResult {
  if (isValid && status < 300) return { kind: 'valid' }
  // Some facilitators send an invalid result with an error status.
  const isAmbiguous = isValid || status >= 500 || AMBIGUOUS_REASON.test(invalidReason ?? '')
  return isAmbiguous
    ? { kind: 'unavailable', cause: 'ambiguous facilitator response' }
    : { kind: 'invalid', reason: toPaymentErrorReason(invalidReason) }
}

const UNCLEAR = { kind: 'sent', isClaimedPaid: false, transaction: null } as const

function toSettleClaim(
  status: number,
  { success, transaction, errorReason }: z.output<typeof settleResponse>,
): SettleClaim {
  const isClaimedPaid = success && status < 300
  return {
    kind: 'sent',
    isClaimedPaid,
    transaction: isTransactionHash(transaction) ? transaction : null,
    cause: isClaimedPaid ? 'not seen on the chain' : toCause(errorReason),
  }
}

/** Our word for the facilitator's reason, which may hold call data or keys. */
function toCause(errorReason: unknown): string {
  return typeof errorReason === 'string' ? toPaymentErrorReason(errorReason) : 'no reason'
}

function isTransactionHash(text: unknown): text is string {
  return typeof text === 'string' && /^0x[0-9a-fA-F]{64}$/.test(text)
}

/** A code such as `ECONNREFUSED`; the message may hold what was sent. */
function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { cause } = error
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : error.name
}

interface FacilitatorHttpOptions {
  readonly url: string
  readonly createAuthHeaders?: CreateAuthHeaders
}

type Endpoint = 'verify' | 'settle' | 'supported'

/** Headers that authorize requests, by endpoint. */
type CreateAuthHeaders = () => Promise<Partial<Record<Endpoint, Record<string, string>>>>

interface FacilitatorResponse {
  readonly status: number
  /** Parsed but not validated. */
  readonly body: unknown
}

type FacilitatorRequest = (
  endpoint: Endpoint,
  body: object | null,
  timeoutMs: number,
) => Promise<FacilitatorResponse>

/** An ordinary response has less than 1 KB; a list of supported kinds has a few. */
const MAX_RESPONSE_BYTES = 64 * 1024

/** Rejects if there is no complete JSON response in time. */
export function createFacilitatorRequest({
  url,
  createAuthHeaders,
}: FacilitatorHttpOptions): FacilitatorRequest {
  const baseUrl = url.replace(/\/+$/, '')
  return async function requestFacilitator(endpoint, body, timeoutMs) {
    const headers = (await createAuthHeaders?.())?.[endpoint] ?? {}
    const response = await fetch(`${baseUrl}/${endpoint}`, {
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
      // A redirect would send the payment to someone else.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    return { status: response.status, body: JSON.parse(await readText(response)) }
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    // Leaving the loop cancels the stream and closes the connection.
    if (bytes > MAX_RESPONSE_BYTES) throw new ResponseTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

class ResponseTooLarge extends Error {
  override readonly name = 'ResponseTooLarge'
}
