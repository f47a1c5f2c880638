/**
 * What is sold, for registries of x402 resources. No form of it is settled: the members are those
 * of several drafts, which do not get into each other's way.
 */
import { isPaid, type PaidOperation } from '../operations/operation.js'
import { endpointPage } from '../operations/pages.js'
import { PATHS } from '../operations/paths.js'
import { challengeOf } from '../payments/offer.js'
import type { OfferFor } from '../payments/offers.js'
import { PAYING_OVER_HTTP, PAYING_RULES, payingOverMcp } from './paying.js'
import type { Source } from './source.js'

export async function paymentManifest(source: Source, offerFor: OfferFor): Promise<object> {
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
    instructions: `Prices are per request, in ${money}. ${PAYING_OVER_HTTP} ${PAYING_RULES}`,
    items: await Promise.all(paid.map((operation) => itemOf(operation, baseUrl, offerFor))),
    mcp: { url: baseUrl + mcp.path, instructions: payingOverMcp(source) },
    openapi: baseUrl + PATHS.openapi,
    docs: baseUrl + PATHS.docs,
    ...(contactEmail !== null && { contact: contactEmail }),
  }
}

async function itemOf(operation: PaidOperation, baseUrl: string, offerFor: OfferFor) {
  const offer = await offerFor(operation)
  const { x402Version, resource, accepts, extensions } = challengeOf(offer, 'payment_required')
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
    docs: baseUrl + endpointPage(operation),
  }
}
