/** What a report costs and how to pay for it, in the terms of x402 v2. */
import { hasTool, type PaidOperation } from '@mailgrade/operations/operation'
import type { PaymentRequired, PaymentRequirements, ResourceInfo } from '@x402/core/types'
import { convertToTokenAmount } from '@x402/core/utils'
import { z } from 'zod'
import { memoizeAsync } from '../state/memoize-async.js'
import { type BazaarSample, httpBazaarExtension, mcpBazaarExtension } from './bazaar-extension.js'
import { paymentIdentifierExtension } from './payment.js'
import type { PaymentErrorReason } from './payment-problems.js'
import { MAX_TIMEOUT_SECONDS, NETWORKS, type PaymentTerms, USDC_DECIMALS } from './payment-terms.js'

export interface PaymentOffer {
  readonly resource: ResourceInfo
  readonly requirements: PaymentRequirements
  readonly extensions: Record<string, unknown>
}

export type GetPaymentOffer = (operation: PaidOperation) => Promise<PaymentOffer>

export interface PaymentOffersOptions {
  readonly terms: PaymentTerms
  readonly locateResource: ResourceLocator
  readonly serviceName: string
  /** Absolute; catalogs show it beside the name. */
  readonly iconUrl: string
  /** The result of the operation for its own example. */
  readonly exampleResult: (operation: PaidOperation) => Promise<object>
}

/** Creates each offer on first use and keeps it. */
export function createPaymentOffers(options: PaymentOffersOptions): GetPaymentOffer {
  const { terms, locateResource, serviceName, iconUrl, exampleResult } = options
  const offers = new Map<string, () => Promise<PaymentOffer>>()

  async function createOffer(operation: PaidOperation): Promise<PaymentOffer> {
    const { summary, paymentNote, description, price } = operation
    const sentences = [`${summary}.`, paymentNote, description].filter(Boolean)
    const location = locateResource(operation, await exampleResult(operation))
    return createPaymentOffer(
      { ...location, description: sentences.join(' '), price, serviceName, iconUrl },
      terms,
    )
  }

  return (operation) => {
    const getOffer = offers.get(operation.id) ?? memoizeAsync(() => createOffer(operation))
    offers.set(operation.id, getOffer)
    return getOffer()
  }
}

/** Where a transport offers an operation, and how catalogs describe it. */
export type ResourceLocator = (
  operation: PaidOperation,
  result: object,
) => Pick<PaidResource, 'url' | 'extensions'>

export function httpResourceLocator(baseUrl: string): ResourceLocator {
  return (operation, result) => ({
    url: baseUrl + operation.path,
    extensions: {
      ...httpBazaarExtension(toBazaarSample(operation, result)),
      ...paymentIdentifierExtension(),
    },
  })
}

/** All tools share one URL; catalogs distinguish them by tool name. */
export function mcpResourceLocator(mcpUrl: string): ResourceLocator {
  return (operation, result) => {
    if (!hasTool(operation)) throw new Error(`${operation.id} has no MCP tool`)
    const bazaar = mcpBazaarExtension(toBazaarSample(operation, result), operation.tool.name)
    return { url: mcpUrl, extensions: { ...bazaar, ...paymentIdentifierExtension() } }
  }
}

function toBazaarSample({ input, output, example }: PaidOperation, result: object): BazaarSample {
  return { input, output, query: example, result }
}

/** Facilitators reject more than 500 with misleading errors, and the offer must fit into a header. */
const MAX_DESCRIPTION = 400
/** Facilitators reject longer names too. */
const MAX_SERVICE_NAME = 32

export interface PaidResource {
  /** Absolute, and the same whichever host name the caller used. */
  readonly url: string
  readonly description: string
  /** In US dollars, as a decimal: `0.01`. */
  readonly price: string
  readonly serviceName: string
  readonly iconUrl: string
  readonly extensions: Record<string, unknown>
}

export function createPaymentOffer(
  resource: PaidResource,
  { network, asset, payTo }: PaymentTerms,
): PaymentOffer {
  return {
    resource: {
      url: resource.url,
      description: truncate(resource.description, MAX_DESCRIPTION),
      mimeType: 'application/json',
      ...asciiServiceName(resource.serviceName),
      tags: ['email', 'dns', 'spf', 'dkim', 'dmarc'],
      iconUrl: resource.iconUrl,
    },
    requirements: {
      scheme: 'exact',
      network,
      asset,
      amount: toTokenAmount(resource.price),
      payTo,
      maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
      extra: { ...NETWORKS[network].eip712Domain },
    },
    extensions: resource.extensions,
  }
}

/** Converts dollars to the token's smallest unit. */
export function toTokenAmount(price: string): string {
  return convertToTokenAmount(price, USDC_DECIMALS)
}

const cache = new WeakMap<PaymentOffer, Map<PaymentErrorReason, PaymentRequired>>()

/** Returns the same object for the same reason, so its JSON is encoded once. */
export function toPaymentRequired(
  offer: PaymentOffer,
  reason: PaymentErrorReason,
): PaymentRequired {
  const byReason = cache.get(offer) ?? new Map<PaymentErrorReason, PaymentRequired>()
  cache.set(offer, byReason)
  const { resource, requirements, extensions } = offer
  const paymentRequired = byReason.get(reason) ?? {
    x402Version: 2,
    error: reason,
    resource,
    accepts: [requirements],
    extensions,
  }
  byReason.set(reason, paymentRequired)
  return paymentRequired
}

/** The part of x402's PaymentRequired that we publish in OpenAPI and MCP schemas. */
export const paymentRequiredSchema = z.object({
  x402Version: z.literal(2).describe('The x402 version'),
  error: z.string().describe('`payment_required`, or why we rejected the payment'),
  resource: z
    .object({
      url: z.url().describe('The URL you pay for'),
      description: z.string().describe('What it returns'),
      mimeType: z.string().describe('The result’s media type'),
      serviceName: z.string().optional().describe('Who sells it, in ASCII only'),
      tags: z.array(z.string()).describe('What it is about, for catalogs'),
      iconUrl: z.url().describe('The service’s icon, for catalogs'),
    })
    .describe('What you pay for'),
  accepts: z
    .array(
      z.object({
        scheme: z.literal('exact').describe('The price is exactly `amount`'),
        network: z.string().describe('The chain as a CAIP-2 id'),
        amount: z.string().describe('In units of 1/1,000,000 USDC'),
        asset: z.string().describe('The token contract: USDC'),
        payTo: z.string().describe('The payee’s wallet address'),
        maxTimeoutSeconds: z.int().describe('How long you can take to pay, in seconds'),
        extra: z
          .object({
            name: z.string().describe('The token’s name in its EIP-712 domain'),
            version: z.string().describe('The token’s version in its EIP-712 domain'),
          })
          .describe('What else the signature needs'),
      }),
    )
    .describe('Sign one of these'),
  extensions: z
    .record(z.string(), z.unknown())
    .describe(
      'x402 extensions: `bazaar` for catalogs, `payment-identifier` for retries, and `offer-receipt` if the operator signs offers',
    ),
})

/** x402 allows ASCII only; the name is left out if nothing remains. */
function asciiServiceName(name: string): Pick<ResourceInfo, 'serviceName'> {
  const serviceName = truncate(name.replace(/[^\x20-\x7e]/g, '').trim(), MAX_SERVICE_NAME)
  return serviceName === '' ? {} : { serviceName }
}

/** Cuts after the last full sentence that fits, if there is one. */
function truncate(text: string, length: number): string {
  if (text.length <= length) return text
  const sentences = /^.*\.(?= )/s.exec(text.slice(0, length))?.[0]
  return sentences ?? `${text.slice(0, length - 3)}...`
}
