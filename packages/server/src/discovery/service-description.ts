/** The service in one object, for an agent that reads nothing else. */

import { hasTool, isPaid, type Operation } from '../operations/operation.js'
import { API_VERSION } from '../operations/operations.js'
import { endpointDocsPath } from '../operations/pages.js'
import { listSchemaFields } from '../operations/schema-fields.js'
import { PATHS } from '../operations/service-paths.js'
import { toTokenAmount } from '../payments/payment-offer.js'
import { USDC_DECIMALS } from '../payments/payment-terms.js'
import type { DiscoverySource } from './discovery-source.js'
import {
  HTTP_PAYMENT_INSTRUCTIONS,
  mcpPaymentInstructions,
  PAYMENT_RULES,
} from './payment-instructions.js'

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
    network: terms.network,
    asset: terms.asset,
    payTo: terms.payTo,
    payment: paymentOf(source),
    freeLimit: limitOf(source),
    free: operations
      .filter((operation) => !isPaid(operation))
      .map((operation) => endpointOf(operation, baseUrl)),
    paid: operations.filter(isPaid).map((operation) => ({
      ...endpointOf(operation, baseUrl),
      usd: operation.price,
      amount: toTokenAmount(operation.price),
    })),
    mcp: mcpOf(source),
    discovery: discoveryOf(source),
    monitoring: service.monitoringUrl && {
      url: service.monitoringUrl,
      summary: 'Watches domains every day. Another service, with terms of its own.',
    },
  }
}

function endpointOf(operation: Operation, baseUrl: string) {
  const { id, path, summary, description } = operation
  const parameters = listSchemaFields(operation.input)
  const url = baseUrl + path
  return {
    id,
    method: 'GET',
    url,
    // RFC 6570.
    urlTemplate: `${url}{?${parameters.map(({ name }) => name).join(',')}}`,
    summary,
    description,
    parameters: parameters.map(({ name, isRequired, description: words }) => ({
      name,
      required: isRequired,
      description: words,
    })),
    tool: hasTool(operation) ? operation.tool.name : null,
    docs: baseUrl + endpointDocsPath(operation),
  }
}

function paymentOf(source: DiscoverySource) {
  return {
    protocol: 'x402',
    x402Version: 2,
    scheme: 'exact',
    money: source.money,
    decimals: USDC_DECIMALS,
    overHttp: HTTP_PAYMENT_INSTRUCTIONS,
    overMcp: mcpPaymentInstructions(source),
    rules: PAYMENT_RULES,
  }
}

function limitOf({ service: { limit, windowSeconds } }: DiscoverySource) {
  return {
    requests: limit,
    windowSeconds,
    scope: 'One IPv4 address or one IPv6 /64, over all free endpoints and tools together',
  }
}

function mcpOf({ operations, service: { baseUrl }, mcp }: DiscoverySource) {
  return {
    url: baseUrl + mcp.path,
    transport: 'streamable-http',
    card: baseUrl + mcp.cardPath,
    tools: [...operations.filter(hasTool).map(({ tool }) => tool.name), mcp.pricingTool],
  }
}

function discoveryOf({ service: { baseUrl }, mcp }: DiscoverySource) {
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
