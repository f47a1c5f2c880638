/**
 * What is sold, for registries of x402 resources. No form of it is settled: the members are those
 * of several drafts, which do not get into each other's way.
 */
import { isPaid, type PaidOperation } from '../operations/operation.js'
import { endpointDocsPath } from '../operations/pages.js'
import { PATHS } from '../operations/service-paths.js'
import type { GetPaymentOffer } from '../payments/payment-offer.js'
import { toPaymentRequired } from '../payments/payment-offer.js'
import type { DiscoverySource } from './discovery-source.js'
import {
  HTTP_PAYMENT_INSTRUCTIONS,
  mcpPaymentInstructions,
  PAYMENT_RULES,
} from './payment-instructions.js'

export async function paymentManifest(
  source: DiscoverySource,
  offerFor: GetPaymentOffer,
): Promise<object> {
  const { operations, service, summary, money, mcp } = source
  const { baseUrl, contactEmail } = service
  const paid = operations.filter(isPaid)
  return {
    version: 1,
    x402Version: 2,
    kind: 'resource-server',
    name: service.name,
    description: summary,
    sandbox: service.isSandbox,
    resources: paid.map(({ path }) => baseUrl + path),
    instructions: `Prices are per request, in ${money}. ${HTTP_PAYMENT_INSTRUCTIONS} ${PAYMENT_RULES}`,
    items: await Promise.all(paid.map((operation) => itemOf(operation, baseUrl, offerFor))),
    mcp: { url: baseUrl + mcp.path, instructions: mcpPaymentInstructions(source) },
    openapi: baseUrl + PATHS.openapi,
    docs: baseUrl + PATHS.docs,
    ...(contactEmail !== null && { contact: contactEmail }),
  }
}

async function itemOf(operation: PaidOperation, baseUrl: string, offerFor: GetPaymentOffer) {
  const offer = await offerFor(operation)
  const { x402Version, resource, accepts, extensions } = toPaymentRequired(
    offer,
    'payment_required',
  )
  return {
    resource: resource.url,
    type: 'http',
    method: 'GET',
    x402Version,
    description: resource.description,
    mimeType: resource.mimeType,
    usd: operation.price,
    accepts,
    extensions,
    docs: baseUrl + endpointDocsPath(operation),
  }
}
