/** The site for people: pages and what they are made of, each at its path. */
import type { Context, Hono } from 'hono'
import type { DocumentedResponsesById } from '../discovery/documented-responses.js'
import {
  addGetRoute,
  type RouteHandler,
  type SendProblem,
  withOperationId,
} from '../http/add-route.js'
import { type FreeReportOptions, freeReportHandler } from '../http/free-report-handler.js'
import {
  createHtmlProblemSender,
  HTML_HEADERS,
  HTML_TYPE,
  prefersHtml,
  sendHtml,
} from '../http/html-response.js'
import type { HttpEnv } from '../http/http-env.js'
import { memoizeAsync } from '../http/memoize-async.js'
import { type PaidReportOptions, paidReportHandler } from '../http/paid-report-handler.js'
import { sendProblemJson } from '../http/problem-response.js'
import { firstParameterValue } from '../http/query-parameters.js'
import { type ConsumeRateLimit, withRateLimit } from '../http/rate-limit.js'
import { documentHandler, type StaticDocument } from '../http/static-document.js'
import { check } from '../operations/check.js'
import { isPaid, type PaidOperation } from '../operations/operation.js'
import { OPERATIONS } from '../operations/operations.js'
import { PATHS, reportPagePath } from '../operations/service-paths.js'
import type { ServiceInfo } from '../service-info.js'
import { loadAssets } from '../web/assets.js'
import { STATIC_PAGE_PATHS } from '../web/page-paths.js'
import type { SitePages } from '../web/site-pages.js'
import { addAssetRoutes } from './asset-routes.js'

export interface WebRoutesOptions {
  readonly service: ServiceInfo
  readonly operationAnswers: () => Promise<DocumentedResponsesById>
  readonly onFault: (fault: unknown, requestId: string) => void
}

interface MountOptions extends FreeReportOptions, PaidReportOptions {
  readonly consumeRateLimit: ConsumeRateLimit
  /** What programs get at `/`. */
  readonly description: StaticDocument
}

export interface WebRoutes {
  /** Says no to people by a page, and to programs by a problem. */
  readonly sendProblem: SendProblem
  addRoutes(http: Hono<HttpEnv>, options: MountOptions): void
}

/** Whoever asks here gets problems, whatever else he would accept. */
const FOR_PROGRAMS = new Set<string>([...OPERATIONS.map(({ path }) => path), PATHS.mcp])

type Opened = () => Promise<SitePages>

export function createWebRoutes({
  service,
  operationAnswers,
  onFault,
}: WebRoutesOptions): WebRoutes {
  const assets = loadAssets()
  // By need: a service that nobody looks at starts without its pages.
  const pages = memoizeAsync(async () => {
    const [{ createSitePages: openSite }, known] = await Promise.all([
      import('../web/site-pages.js'),
      operationAnswers(),
    ])
    return openSite({ ...service, assets: assets.folder }, known)
  })
  const refuseOnPage = createHtmlProblemSender(async (_, words) => (await pages()).problem(words))

  return {
    async sendProblem(c, ...words) {
      if (FOR_PROGRAMS.has(c.req.path) || !prefersHtml(c)) return sendProblemJson(c, ...words)
      // Where even the page about it cannot be made, the problem itself must do.
      return Promise.resolve(refuseOnPage(c, ...words)).catch(() => sendProblemJson(c, ...words))
    },
    addRoutes(http, options) {
      const description = documentHandler(options.description)
      const home = documentPage(async () => (await pages()).home())
      const answer = checkPages(pages, options)
      addGetRoute(http, '/', (c) => {
        if (!prefersHtml(c)) return description(c)
        return c.req.query('domain') === undefined ? home(c) : answer(c)
      })
      for (const operation of OPERATIONS.filter(isPaid)) {
        const sale = salePages(operation, pages, { ...options, onFault })
        addGetRoute(http, reportPagePath(operation), withOperationId(operation, sale))
      }
      for (const path of STATIC_PAGE_PATHS) {
        addGetRoute(
          http,
          path,
          documentPage(async () => (await pages()).staticPage(path)),
        )
      }
      addAssetRoutes(http, assets)
    },
  }
}

function documentPage(body: () => Promise<string>): RouteHandler {
  return documentHandler({ type: HTML_TYPE, body, headers: HTML_HEADERS })
}

/** A check, for people; it counts like any other. */
function checkPages(pages: Opened, { consumeRateLimit, ...options }: MountOptions): RouteHandler {
  const refuse = createHtmlProblemSender(async (c, words) =>
    (await pages()).checkProblem(words, firstParameterValue(c.req.url, check)),
  )
  const write = async (c: Context<HttpEnv>, result: Parameters<SitePages['checkResult']>[0]) =>
    sendHtml(c, (await pages()).checkResult(result))
  const limited = withRateLimit(
    consumeRateLimit,
    refuse,
  )(freeReportHandler(check, options, { sendReport: write, sendProblem: refuse }))
  return withOperationId(check, limited)
}

function salePages(
  operation: PaidOperation,
  pages: Opened,
  { onFault, ...options }: MountOptions & Pick<WebRoutesOptions, 'onFault'>,
): RouteHandler {
  const refuse = createHtmlProblemSender(async (c, words) => {
    // To have sent no payment is no mistake: people come to see the price.
    const isAsking = c.req.header('payment-signature') === undefined && words.status === 402
    const asked = firstParameterValue(c.req.url, operation)
    return (await pages()).reportOffer(operation, asked, isAsking ? null : words)
  })
  const sale = paidReportHandler(operation, options, {
    sendProblem: refuse,
    async sendReport(c, sold) {
      const site = await pages()
      try {
        return await sendHtml(c, site.deliveredReport({ operation, ...sold }))
      } catch (fault) {
        // It is paid for: whoever cannot have it as a page gets it as it is.
        onFault(fault, c.get('requestId'))
        return sendHtml(c, site.deliveredReportJson({ operation, ...sold }))
      }
    },
  })
  return async function handleSale(c) {
    // Before any money moves it must be certain that there are pages.
    await pages()
    return sale(c)
  }
}
