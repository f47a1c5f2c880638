/** A facilitator asked over HTTP. What it leaves open stays open: no answer is not a refusal. */
import { type FacilitatorConfig, HTTPFacilitatorClient } from '@x402/core/http'
import { SettleError, type SettleResponse, VerifyError } from '@x402/core/types'
import type { Facilitator, SettleResult, VerifyResult } from './facilitator.js'
import { toPaymentErrorReason } from './payment-error-reasons.js'
import type { NetworkId } from './payment-terms.js'

export interface RemoteFacilitatorOptions {
  readonly url: string
  readonly network: NetworkId
  readonly createAuthHeaders?: NonNullable<FacilitatorConfig['createAuthHeaders']>
  readonly verifyTimeoutMs?: number
  readonly settleTimeoutMs?: number
}

/** Reasons by which a facilitator says that it does not know either; Coinbase's, too. */
const OPEN = /pending|unexpected|time(d_)?out|unknown|internal|node_failure/i
/** Without a transaction it could not be sent, or its node broke off when it was. */
const FAILED = /transaction_failed/i

export function createRemoteFacilitator({
  network,
  verifyTimeoutMs = 5_000,
  settleTimeoutMs = 30_000,
  ...config
}: RemoteFacilitatorOptions): Facilitator {
  const quick = new HTTPFacilitatorClient({ ...config, timeoutMs: verifyTimeoutMs })
  const patient = new HTTPFacilitatorClient({ ...config, timeoutMs: settleTimeoutMs })

  return {
    async verify({ payload }, requirements) {
      const attempt = () => quick.verify(payload, requirements).then(verified, notVerified)
      const first = await attempt()
      // Checking twice costs nobody anything.
      return first.kind === 'unavailable' ? attempt() : first
    },
    settle({ payload }, requirements) {
      return patient.settle(payload, requirements).then(settled, notSettled)
    },
    async healthProblem() {
      try {
        const { kinds } = await quick.getSupported()
        const isServed = kinds.some(
          (kind) => kind.x402Version === 2 && kind.scheme === 'exact' && kind.network === network,
        )
        return isServed ? null : `the facilitator does not settle exact payments on ${network}`
      } catch {
        return 'the facilitator does not answer'
      }
    },
  }
}

function verified(response: { isValid: boolean; invalidReason?: string }): VerifyResult {
  if (response.isValid) return { kind: 'valid' }
  return OPEN.test(response.invalidReason ?? '')
    ? { kind: 'unavailable', cause: 'the facilitator cannot tell' }
    : { kind: 'invalid', reason: toPaymentErrorReason(response.invalidReason) }
}

/** Some facilitators give a verdict with an error status. */
function notVerified(error: unknown): VerifyResult {
  return error instanceof VerifyError && error.statusCode < 500 && isText(error.invalidReason)
    ? verified({ isValid: false, invalidReason: error.invalidReason })
    : { kind: 'unavailable', cause: nameOf(error) }
}

function settled(
  response: Pick<SettleResponse, 'success' | 'errorReason' | 'transaction'>,
): SettleResult {
  if (response.success) return { kind: 'settled', transaction: response.transaction }
  const reason = response.errorReason || 'unknown'
  return OPEN.test(reason) || (FAILED.test(reason) && response.transaction === '')
    ? { kind: 'unknown', cause: 'the facilitator cannot tell' }
    : { kind: 'refused', reason: toPaymentErrorReason(reason) }
}

function notSettled(error: unknown): SettleResult {
  return error instanceof SettleError && error.statusCode < 500
    ? settled({ success: false, transaction: '', ...reasonOf(error) })
    : { kind: 'unknown', cause: nameOf(error) }
}

function reasonOf({ errorReason }: SettleError) {
  return isText(errorReason) ? { errorReason } : {}
}

/** With an error status, nobody has looked at what the body holds. */
function isText(reason: unknown): reason is string {
  return typeof reason === 'string' && reason !== ''
}

/** Of what broke, `ECONNREFUSED` for one: its message may hold what it was sent. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = Object(error.cause) as { code?: unknown }
  return typeof code === 'string' ? code : error.name
}
