/** The documents that programs read about the service, each at its path. */
import { serverIdentity } from '@mailgrade/operations/mcp/server-identity'
import type { Operation } from '@mailgrade/operations/operation'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Hono } from 'hono'
import {
  apiCatalog,
  LINKSET_TYPE,
  linkHeader,
  robotsText,
  sitemap,
} from '../discovery/api-catalog.js'
import type { DiscoverySource } from '../discovery/discovery-source.js'
import type { DocumentedResponsesById } from '../discovery/documented-responses.js'
import { llmsText } from '../discovery/llms-text.js'
import { openApiDocument } from '../discovery/openapi.js'
import { paymentManifest, serviceDescription } from '../discovery/service-description.js'
import type { HttpEnv } from '../http/respond.js'
import { addDocumentRoute, type StaticDocument } from '../http/static-document.js'
import {
  AI_CATALOG_PATH,
  PAYMENT_META_KEY,
  PAYMENT_RESPONSE_META_KEY,
  PRICING_TOOL_NAME,
  SERVER_CARD_PATHS,
  SERVER_CARD_TYPE,
} from '../mcp/server-card.js'
import type { GetPaymentOffer } from '../payments/payment-offer.js'
import type { ServiceInfo } from '../service-info.js'

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain; charset=utf-8'

export interface DiscoveryDocumentsOptions {
  readonly operations: readonly Operation[]
  readonly service: ServiceInfo
  readonly operationAnswers: () => Promise<DocumentedResponsesById>
  /** The payment offer of a paid operation over HTTP. */
  readonly getOffer: GetPaymentOffer
  /** The paths of all HTML pages. */
  readonly pages: readonly string[]
}

/** Adds all documents but the one at `/`, where browsers get the home page, and returns that one. */
export function addDocumentRoutes(
  http: Hono<HttpEnv>,
  options: DiscoveryDocumentsOptions,
): StaticDocument {
  const { [PATHS.description]: description, ...others } = createDiscoveryDocuments(options)
  for (const [path, document] of Object.entries(others)) addDocumentRoute(http, path, document)
  return description
}

function createDiscoveryDocuments(options: DiscoveryDocumentsOptions) {
  const { operations, service, operationAnswers, getOffer, pages } = options
  const { baseUrl } = service
  const source = createDiscoverySource(options)
  const catalogLink = { Link: linkHeader(baseUrl, ['api-catalog']) }
  const manifest: StaticDocument = {
    type: JSON_TYPE,
    body: async () => JSON.stringify(await paymentManifest(source, getOffer)),
  }
  return {
    [PATHS.description]: descriptionDocument(source),
    [PATHS.openapi]: {
      type: JSON_TYPE,
      body: async () =>
        JSON.stringify(openApiDocument(operations, service, await operationAnswers())),
      headers: catalogLink,
    },
    [PATHS.manifest]: manifest,
    // The path of another draft.
    [`${PATHS.manifest}.json` as const]: manifest,
    [PATHS.llms]: { type: TEXT_TYPE, body: () => llmsText(source) },
    [PATHS.apiCatalog]: {
      type: LINKSET_TYPE,
      body: () => JSON.stringify(apiCatalog(source)),
      headers: catalogLink,
    },
    [PATHS.sitemap]: { type: 'application/xml', body: () => sitemap(baseUrl, pages) },
    [PATHS.robots]: { type: TEXT_TYPE, body: () => robotsText(baseUrl) },
  } satisfies Record<string, StaticDocument>
}

function descriptionDocument(source: DiscoverySource): StaticDocument {
  const { baseUrl } = source.service
  return {
    type: JSON_TYPE,
    body: () => JSON.stringify(serviceDescription(source)),
    headers: { Link: linkHeader(baseUrl, ['api-catalog', 'service-desc', 'service-doc']) },
  }
}

/** What discovery/ needs from mcp/ and payments/. */
function createDiscoverySource({
  operations,
  service,
}: DiscoveryDocumentsOptions): DiscoverySource {
  return {
    operations,
    service,
    summary: serverIdentity(service).description,
    mcp: {
      path: PATHS.mcp,
      cardPath: SERVER_CARD_PATHS[0],
      cardType: SERVER_CARD_TYPE,
      catalogPath: AI_CATALOG_PATH,
      pricingTool: PRICING_TOOL_NAME,
      paymentKey: PAYMENT_META_KEY,
      receiptKey: PAYMENT_RESPONSE_META_KEY,
    },
  }
}
