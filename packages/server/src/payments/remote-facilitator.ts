/** A facilitator over HTTP. A missing or ambiguous response is never taken as a rejection. */
import { type FacilitatorConfig, HTTPFacilitatorClient } from '@x402/core/http'
import { SettleError, type SettleResponse, VerifyError } from '@x402/core/types'
import type { Facilitator, SettleResult, VerifyResult } from './facilitator.js'
import { toPaymentErrorReason } from './payment-problems.js'
import type { NetworkId } from './payment-terms.js'

export interface RemoteFacilitatorOptions {
  readonly url: string
  readonly network: NetworkId
  readonly createAuthHeaders?: NonNullable<FacilitatorConfig['createAuthHeaders']>
  readonly verifyTimeoutMs?: number
  readonly settleTimeoutMs?: number
}

/** Reasons that mean the facilitator does not know the outcome, including Coinbase's. */
const AMBIGUOUS_REASON = /pending|unexpected|time(d_)?out|unknown|internal|node_failure/i
/** Ambiguous without a transaction hash: sending may have failed before or after the broadcast. */
const FAILED_TRANSACTION = /transaction_failed/i

export function createRemoteFacilitator({
  network,
  verifyTimeoutMs = 5_000,
  settleTimeoutMs = 30_000,
  ...config
}: RemoteFacilitatorOptions): Facilitator {
  const verifyClient = new HTTPFacilitatorClient({ ...config, timeoutMs: verifyTimeoutMs })
  const settleClient = new HTTPFacilitatorClient({ ...config, timeoutMs: settleTimeoutMs })

  return {
    async verify({ payload }, requirements) {
      const attempt = () =>
        verifyClient.verify(payload, requirements).then(toVerifyResult, verifyErrorToResult)
      const first = await attempt()
      // Verifying twice is free and changes nothing.
      return first.kind === 'unavailable' ? attempt() : first
    },
    settle({ payload }, requirements) {
      return settleClient.settle(payload, requirements).then(toSettleResult, settleErrorToResult)
    },
    async healthProblem() {
      try {
        const { kinds } = await verifyClient.getSupported()
        const isSupported = kinds.some(
          (kind) => kind.x402Version === 2 && kind.scheme === 'exact' && kind.network === network,
        )
        return isSupported ? null : `the facilitator does not settle exact payments on ${network}`
      } catch {
        return 'the facilitator does not answer'
      }
    },
  }
}

function toVerifyResult(response: { isValid: boolean; invalidReason?: string }): VerifyResult {
  if (response.isValid) return { kind: 'valid' }
  return AMBIGUOUS_REASON.test(response.invalidReason ?? '')
    ? { kind: 'unavailable', cause: 'ambiguous facilitator response' }
    : { kind: 'invalid', reason: toPaymentErrorReason(response.invalidReason) }
}

/** Some facilitators send an invalid result with an error status. */
function verifyErrorToResult(error: unknown): VerifyResult {
  return error instanceof VerifyError && error.statusCode < 500 && isReason(error.invalidReason)
    ? toVerifyResult({ isValid: false, invalidReason: error.invalidReason })
    : { kind: 'unavailable', cause: errorCode(error) }
}

function toSettleResult(
  response: Pick<SettleResponse, 'success' | 'errorReason' | 'transaction'>,
): SettleResult {
  if (response.success) return { kind: 'settled', transaction: response.transaction }
  const reason = response.errorReason || 'unknown'
  const isAmbiguous =
    AMBIGUOUS_REASON.test(reason) ||
    (FAILED_TRANSACTION.test(reason) && response.transaction === '')
  return isAmbiguous
    ? { kind: 'unknown', cause: 'ambiguous facilitator response' }
    : { kind: 'rejected', reason: toPaymentErrorReason(reason) }
}

function settleErrorToResult(error: unknown): SettleResult {
  if (!(error instanceof SettleError) || error.statusCode >= 500) {
    return { kind: 'unknown', cause: errorCode(error) }
  }
  const { errorReason } = error
  return toSettleResult({
    success: false,
    transaction: '',
    ...(isReason(errorReason) && { errorReason }),
  })
}

/** The x402 client does not validate the body of an error response. */
function isReason(reason: unknown): reason is string {
  return typeof reason === 'string' && reason !== ''
}

/** A code such as `ECONNREFUSED`; the message may hold what was sent. */
function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { cause } = error
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
    ? cause.code
    : error.name
}
