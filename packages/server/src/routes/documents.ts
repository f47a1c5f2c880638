/** Everything that machines read about the service, and where each of it stands. */
import type { AnswersById } from '../discovery/answers.js'
import { apiCatalog, LINKSET_TYPE } from '../discovery/api-catalog.js'
import { linkHeader } from '../discovery/link-header.js'
import { llmsText } from '../discovery/llms-text.js'
import { openApiDocument } from '../discovery/openapi.js'
import { paymentManifest } from '../discovery/payment-manifest.js'
import { robotsText } from '../discovery/robots.js'
import { serviceDescription } from '../discovery/service-description.js'
import { sitemap } from '../discovery/sitemap.js'
import type { Source } from '../discovery/source.js'
import type { Document } from '../http/document.js'
import { identityOf, PRICING_TOOL } from '../mcp/identity.js'
import { PAYMENT, RECEIPT } from '../mcp/replies.js'
import { AI_CATALOG_PATH, SERVER_CARD_PATHS, SERVER_CARD_TYPE } from '../mcp/server-card.js'
import type { Operation } from '../operations/operation.js'
import { PATHS } from '../operations/paths.js'
import { moneyOf } from '../payments/money.js'
import type { OfferFor } from '../payments/offers.js'
import type { ServiceInfo } from '../payments/service-info.js'

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain; charset=utf-8'

export interface DocumentsOptions {
  readonly operations: readonly Operation[]
  readonly service: ServiceInfo
  readonly answers: () => Promise<AnswersById>
  /** What a paid operation is sold for at its path. */
  readonly offerFor: OfferFor
  /** The paths of all pages for people. */
  readonly pages: readonly string[]
}

export function documentsOf(options: DocumentsOptions) {
  const { operations, service, answers, offerFor, pages } = options
  const { baseUrl } = service
  const source = sourceOf(options)
  const catalogLink = { Link: linkHeader(baseUrl, ['api-catalog']) }
  const manifest: Document = {
    type: JSON_TYPE,
    body: async () => JSON.stringify(await paymentManifest(source, offerFor)),
  }
  return {
    [PATHS.description]: descriptionOf(source),
    [PATHS.openapi]: {
      type: JSON_TYPE,
      body: async () => JSON.stringify(openApiDocument(operations, service, await answers())),
      headers: catalogLink,
    },
    [PATHS.manifest]: manifest,
    // Another draft looks for it here.
    [`${PATHS.manifest}.json` as const]: manifest,
    [PATHS.llms]: { type: TEXT_TYPE, body: () => llmsText(source) },
    [PATHS.apiCatalog]: {
      type: LINKSET_TYPE,
      body: () => JSON.stringify(apiCatalog(source)),
      headers: catalogLink,
    },
    [PATHS.sitemap]: { type: 'application/xml', body: () => sitemap(baseUrl, pages) },
    [PATHS.robots]: { type: TEXT_TYPE, body: () => robotsText(baseUrl) },
  } satisfies Record<string, Document>
}

function descriptionOf(source: Source): Document {
  const { baseUrl } = source.service
  return {
    type: JSON_TYPE,
    body: () => JSON.stringify(serviceDescription(source)),
    headers: { Link: linkHeader(baseUrl, ['api-catalog', 'service-desc', 'service-doc']) },
  }
}

/** What no folder of documents may look up for itself. */
function sourceOf({ operations, service }: DocumentsOptions): Source {
  return {
    operations,
    service,
    summary: identityOf(service).description,
    money: moneyOf(service),
    mcp: {
      path: PATHS.mcp,
      cardPath: SERVER_CARD_PATHS[0],
      cardType: SERVER_CARD_TYPE,
      catalogPath: AI_CATALOG_PATH,
      pricingTool: PRICING_TOOL,
      paymentKey: PAYMENT,
      receiptKey: RECEIPT,
    },
  }
}
