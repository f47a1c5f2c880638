/** The service in one object, for an agent that reads nothing else. */
import { membersOf } from '../operations/members.js'
import { hasTool, isPaid, type Operation } from '../operations/operation.js'
import { endpointPage } from '../operations/pages.js'
import { PATHS } from '../operations/paths.js'
import { API_VERSION } from '../operations/table.js'
import { amountOf } from '../payments/offer.js'
import { USDC_DECIMALS } from '../payments/terms.js'
import { PAYING_OVER_HTTP, PAYING_RULES, payingOverMcp } from './paying.js'
import type { Source } from './source.js'

export function serviceDescription(source: Source): object {
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
      amount: amountOf(operation.price),
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
  const parameters = membersOf(operation.input)
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
    docs: baseUrl + endpointPage(operation),
  }
}

function paymentOf(source: Source) {
  return {
    protocol: 'x402',
    x402Version: 2,
    scheme: 'exact',
    money: source.money,
    decimals: USDC_DECIMALS,
    overHttp: PAYING_OVER_HTTP,
    overMcp: payingOverMcp(source),
    rules: PAYING_RULES,
  }
}

function limitOf({ service: { limit, windowSeconds } }: Source) {
  return {
    requests: limit,
    windowSeconds,
    scope: 'One IPv4 address or one IPv6 /64, over all free endpoints and tools together',
  }
}

function mcpOf({ operations, service: { baseUrl }, mcp }: Source) {
  return {
    url: baseUrl + mcp.path,
    transport: 'streamable-http',
    card: baseUrl + mcp.cardPath,
    tools: [...operations.filter(hasTool).map(({ tool }) => tool.name), mcp.pricingTool],
  }
}

function discoveryOf({ service: { baseUrl }, mcp }: Source) {
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
