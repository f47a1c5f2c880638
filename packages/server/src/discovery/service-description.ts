/** The service as JSON: all of it for agents that read only `/`, the paid part for x402 registries. */
import {
  describeOffer,
  hasTool,
  isPaid,
  type Operation,
  type PaidOperation,
} from '@mailgrade/operations/operation'
import { API_VERSION } from '@mailgrade/operations/operations'
import { listSchemaFields } from '@mailgrade/operations/schema-fields'
import { endpointDocsPath, PATHS } from '@mailgrade/operations/service-paths'
import {
  type GetPaymentOffer,
  toPaymentRequired,
  toTokenAmount,
} from '../payments/payment-offer.js'
import { USDC_DECIMALS } from '../payments/payment-terms.js'
import {
  type DiscoverySource,
  describeExtensions,
  HTTP_PAYMENT_INSTRUCTIONS,
  mcpPaymentInstructions,
  NOTHING_FOR_SALE,
  ownershipProofs,
  PAYMENT_RULES,
} from './discovery-source.js'

export function serviceDescription(source: DiscoverySource): object {
  const { operations, service, summary } = source
  const { baseUrl, terms } = service
  return {
    name: service.name,
    summary,
    version: API_VERSION,
    sandbox: service.isSandbox,
    url: baseUrl,
    site: service.siteUrl ?? baseUrl,
    contact: service.contactEmail,
    docs: {
      overview: baseUrl + PATHS.docs,
      findings: baseUrl + PATHS.findings,
      problems: baseUrl + PATHS.problems,
    },
    network: terms?.network ?? null,
    asset: terms?.asset ?? null,
    payTo: terms?.payTo ?? null,
    payment: terms && describePayment(source),
    freeLimit: describeLimit(source),
    free: operations
      .filter((operation) => !isPaid(operation))
      .map((operation) => describeEndpoint(operation, baseUrl)),
    paid: operations.filter(isPaid).map((operation) => ({
      ...describeEndpoint(operation, baseUrl),
      usd: operation.price,
      amount: toTokenAmount(operation.price),
    })),
    mcp: describeMcp(source),
    discovery: listDocuments(source),
    monitoring: service.monitoringUrl && {
      url: service.monitoringUrl,
      summary: 'Monitors domains daily. A separate service with its own terms.',
    },
  }
}

function describeEndpoint(operation: Operation, baseUrl: string) {
  const { id, path, summary, repeatable = [] } = operation
  const parameters = listSchemaFields(operation.input)
  const url = baseUrl + path
  return {
    id,
    method: 'GET',
    url,
    // RFC 6570; a star marks a parameter that may be repeated.
    urlTemplate: `${url}{?${parameters.map(({ name }) => (repeatable.includes(name) ? `${name}*` : name)).join(',')}}`,
    summary,
    description: describeOffer(operation),
    parameters: parameters.map(({ name, isRequired, description: text }) => ({
      name,
      required: isRequired,
      description: text,
    })),
    tool: hasTool(operation) ? operation.tool.name : null,
    docs: baseUrl + endpointDocsPath(operation),
  }
}

function describePayment(source: DiscoverySource) {
  return {
    protocol: 'x402',
    x402Version: 2,
    scheme: 'exact',
    money: source.service.money,
    decimals: USDC_DECIMALS,
    overHttp: HTTP_PAYMENT_INSTRUCTIONS,
    overMcp: mcpPaymentInstructions(source),
    rules: PAYMENT_RULES,
  }
}

function describeLimit({ service: { limit, windowSeconds } }: DiscoverySource) {
  return {
    requests: limit,
    windowSeconds,
    scope: 'Per IPv4 address or IPv6 /64, across all free endpoints and tools',
  }
}

function describeMcp({ operations, service: { baseUrl }, mcp }: DiscoverySource) {
  return {
    url: baseUrl + mcp.path,
    transport: 'streamable-http',
    card: baseUrl + mcp.cardPath,
    tools: [...operations.filter(hasTool).map(({ tool }) => tool.name), mcp.pricingTool],
  }
}

function listDocuments({ service: { baseUrl }, mcp }: DiscoverySource) {
  return {
    openapi: baseUrl + PATHS.openapi,
    x402: baseUrl + PATHS.manifest,
    llms: baseUrl + PATHS.llms,
    apiCatalog: baseUrl + PATHS.apiCatalog,
    aiCatalog: baseUrl + mcp.catalogPath,
    serverCard: baseUrl + mcp.cardPath,
    sitemap: baseUrl + PATHS.sitemap,
    robots: baseUrl + PATHS.robots,
    alive: baseUrl + PATHS.alive,
    ready: baseUrl + PATHS.ready,
  }
}

/**
 * The paid resources. No format is standard yet: the fields are those of several drafts, which do not
 * contradict each other.
 */
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
