/** What a report costs and how to pay for it, as an x402 v2 client reads it. */
import type { PaymentRequired, PaymentRequirements, ResourceInfo } from '@x402/core/types'
import { convertToTokenAmount } from '@x402/core/utils'
import type { PaymentErrorReason } from './payment-error-reasons.js'
import { MAX_TIMEOUT_SECONDS, NETWORKS, type PaymentTerms, USDC_DECIMALS } from './payment-terms.js'

export interface PaymentOffer {
  readonly resource: ResourceInfo
  readonly requirements: PaymentRequirements
  readonly extensions: Record<string, unknown>
}

/** Facilitators refuse more, with errors that do not say so. */
const MAX_DESCRIPTION = 500
const MAX_SERVICE_NAME = 32

export interface PaidResource {
  /** Where it is sold: absolute, and the same whatever name the caller knows us by. */
  readonly url: string
  readonly description: string
  /** In US dollars, as a decimal: `0.01`. */
  readonly price: string
  readonly serviceName: string
  readonly extensions: Record<string, unknown>
}

export function createPaymentOffer(
  goods: PaidResource,
  { network, asset, payTo }: PaymentTerms,
): PaymentOffer {
  return {
    resource: {
      url: goods.url,
      description: cut(goods.description, MAX_DESCRIPTION),
      mimeType: 'application/json',
      ...serviceNameOf(goods.serviceName),
      tags: ['email', 'dns', 'spf', 'dkim', 'dmarc'],
    },
    requirements: {
      scheme: 'exact',
      network,
      asset,
      amount: toTokenAmount(goods.price),
      payTo,
      maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
      extra: { ...NETWORKS[network].domain },
    },
    extensions: goods.extensions,
  }
}

/** Dollars in the token's own units. */
export function toTokenAmount(price: string): string {
  return convertToTokenAmount(price, USDC_DECIMALS)
}

const challenges = new WeakMap<PaymentOffer, Map<PaymentErrorReason, PaymentRequired>>()

/**
 * The offer as a challenge: why this request was not answered, and what would have it answered. The
 * same object for the same reason, so that it is written once.
 */
export function toPaymentRequired(
  offer: PaymentOffer,
  reason: PaymentErrorReason,
): PaymentRequired {
  const known = challenges.get(offer) ?? new Map<PaymentErrorReason, PaymentRequired>()
  challenges.set(offer, known)
  const { resource, requirements, extensions } = offer
  const challenge = known.get(reason) ?? {
    x402Version: 2,
    error: reason,
    resource,
    accepts: [requirements],
    extensions,
  }
  known.set(reason, challenge)
  return challenge
}

/** In ASCII, or not at all. */
function serviceNameOf(name: string): Pick<ResourceInfo, 'serviceName'> {
  const serviceName = cut(name.replace(/[^\x20-\x7e]/g, '').trim(), MAX_SERVICE_NAME)
  return serviceName === '' ? {} : { serviceName }
}

/** After a sentence, if one ends in time. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text
  const sentences = /^.*\.(?= )/s.exec(text.slice(0, length))?.[0]
  return sentences ?? `${text.slice(0, length - 3)}...`
}
