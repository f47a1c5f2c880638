/**
 * The paid resources, for x402 registries. No format is standard yet: the fields are those of
 * several drafts, which do not contradict each other.
 */
import { isPaid, type PaidOperation } from '@mailgrade/operations/operation'
import { endpointDocsPath, PATHS } from '@mailgrade/operations/service-paths'
import type { GetPaymentOffer } from '../payments/payment-offer.js'
import { toPaymentRequired } from '../payments/payment-offer.js'
import {
  type DiscoverySource,
  describeExtensions,
  HTTP_PAYMENT_INSTRUCTIONS,
  mcpPaymentInstructions,
  NOTHING_FOR_SALE,
  ownershipProofs,
  PAYMENT_RULES,
} from './discovery-source.js'

export async function paymentManifest(
  source: DiscoverySource,
  getOffer: GetPaymentOffer,
): Promise<object> {
  const { operations, service, summary, mcp } = source
  const { baseUrl, contactEmail, money } = service
  const paid = operations.filter(isPaid)
  return {
    version: 1,
    x402Version: 2,
    kind: 'resource-server',
    name: service.name,
    description: summary,
    sandbox: service.isSandbox,
    resources: paid.map(({ path }) => baseUrl + path),
    instructions: money
      ? `Prices are per request, in ${money}. ${HTTP_PAYMENT_INSTRUCTIONS} ${PAYMENT_RULES}`
      : NOTHING_FOR_SALE,
    ...(money !== null && { extensions: describeExtensions(service) }),
    ...(service.receiptSigner !== null && { receiptSigner: service.receiptSigner }),
    ...ownershipProofs(service),
    items: await Promise.all(paid.map((operation) => toItem(operation, baseUrl, getOffer))),
    mcp: {
      url: baseUrl + mcp.path,
      instructions: money ? mcpPaymentInstructions(source) : NOTHING_FOR_SALE,
    },
    openapi: baseUrl + PATHS.openapi,
    docs: baseUrl + PATHS.docs,
    ...(contactEmail !== null && { contact: contactEmail }),
  }
}

async function toItem(operation: PaidOperation, baseUrl: string, getOffer: GetPaymentOffer) {
  const offer = await getOffer(operation)
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
