/** The pages for people, and their styles, scripts and images. */
import type { DomainReport } from '@mailgrade/core'
import { check } from '@mailgrade/operations/check'
import {
  isPaid,
  type Operation,
  type OperationResult,
  type PaidOperation,
} from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import type { ErrorLog } from '@mailgrade/operations/run-operation'
import { PATHS, reportPagePath, sampleReportPath } from '@mailgrade/operations/service-paths'
import type { Hono } from 'hono'
import type { DocumentedResponsesById } from '../discovery/documented-responses.js'
import { EXAMPLE_RUNTIME } from '../discovery/example-results.js'
import { addGetRoute, operationId, type RouteHandler } from '../http/add-route.js'
import {
  createHtmlProblemSender,
  HTML_HEADERS,
  HTML_TYPE,
  prefersHtml,
  sendHtml,
} from '../http/html-response.js'
import { readFormValues } from '../http/query-parameters.js'
import { type ConsumeRateLimit, rateLimit } from '../http/rate-limit.js'
import {
  type FreeReportOptions,
  type PaidReportOptions,
  paidReportHandler,
} from '../http/report-handlers.js'
import { type HttpEnv, type SendProblem, sendProblemJson } from '../http/respond.js'
import { addDocumentRoute, documentHandler, type StaticDocument } from '../http/static-document.js'
import { PRICING_TOOL_NAME } from '../mcp/server-card.js'
import type { ServiceInfo } from '../service-info.js'
import { memoizeAsync } from '../state/memoize-async.js'
import { type Assets, assetFolderPath, loadAssets } from '../web/assets.js'
import { staticPagePaths } from '../web/page-paths.js'
import {
  type CheckPageOptions,
  checkPageHandler,
  checkPageProblemSender,
  type LoadPages,
} from './check-page-handler.js'
import { domainsPageHandler, readDomainList } from './domains-page-handler.js'

export interface WebRoutesOptions {
  readonly operations: readonly Operation[]
  readonly service: ServiceInfo
  readonly operationAnswers: () => Promise<DocumentedResponsesById>
  /** The result that the home page shows. */
  readonly sampleCheck: () => Promise<OperationResult<DomainReport>>
  /** A report on a demo domain, as made at this time. */
  readonly sampleReport: (operation: PaidOperation, now: Date) => Promise<OperationResult>
  readonly wallClock: () => number
}

interface AddRoutesOptions extends FreeReportOptions, PaidReportOptions {
  readonly consumeRateLimit: ConsumeRateLimit
  /** The document that programs get at `/`. */
  readonly description: StaticDocument
  readonly waitBeforeProgress: CheckPageOptions['waitBeforeProgress']
  readonly log: FreeReportOptions['log'] & ErrorLog
}

export interface WebRoutes {
  /** A page for browsers, problem details for programs. */
  readonly sendProblem: SendProblem
  /** The page about the MCP endpoint, with the status of the problem. */
  readonly sendMcpPage: SendProblem
  addRoutes(http: Hono<HttpEnv>, options: AddRoutesOptions): void
}

/** These paths always return problem details, whatever the Accept header says. */
const API_PATHS = new Set<string>([...OPERATIONS.map(({ path }) => path), PATHS.mcp])

const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' }
const NO_STORE = { 'Cache-Control': 'no-store' }

export function createWebRoutes(routesOptions: WebRoutesOptions): WebRoutes {
  const { operations, service, operationAnswers, sampleCheck, sampleReport, wallClock } =
    routesOptions
  const assets = loadAssets()
  // Loaded with the first page, so an API-only service starts faster.
  const loadPages = memoizeAsync(async () => {
    const [{ createSitePages }, documented, sample] = await Promise.all([
      import('../web/site-pages.js'),
      operationAnswers(),
      sampleCheck(),
    ])
    const site = { ...service, operations, assets: assets.folder }
    return createSitePages(site, { documented: withOwnLinks(documented, service), sample })
  })
  const sendProblemPage = createHtmlProblemSender(async (c, problem) => {
    const pages = await loadPages()
    return c.req.path === PATHS.domains
      ? pages.domainsProblem(problem, readDomainList(c))
      : pages.problem(problem)
  })

  return {
    async sendProblem(c, ...problem) {
      if (API_PATHS.has(c.req.path) || !prefersHtml(c)) return sendProblemJson(c, ...problem)
      try {
        return await sendProblemPage(c, ...problem)
      } catch {
        return sendProblemJson(c, ...problem)
      }
    },
    sendMcpPage: createHtmlProblemSender(async () =>
      (await loadPages()).mcpEndpoint(PRICING_TOOL_NAME),
    ),
    addRoutes(http, options) {
      const description = documentHandler(options.description)
      const home = staticPageHandler(async () => (await loadPages()).home())
      addGetRoute(
        http,
        '/',
        (c, next) => (prefersHtml(c) ? next() : description(c)),
        (c, next) => (c.req.query('domain') === undefined ? home(c) : next()),
        ...checkPageHandlers(loadPages, options),
      )
      const domainsForm = staticPageHandler(async () => (await loadPages()).domainsForm())
      addGetRoute(
        http,
        PATHS.domains,
        (c, next) => (c.req.query('domains') === undefined ? domainsForm(c) : next()),
        domainsPageHandler(loadPages, options),
      )
      for (const operation of operations.filter(isPaid)) {
        const handlers = paidReportPageHandlers(operation, loadPages, options)
        addGetRoute(http, reportPagePath(operation), ...handlers)
        const sample = dailyPageHandler(wallClock, async (now) =>
          (await loadPages()).sampleReport(operation, await sampleReport(operation, now)),
        )
        addGetRoute(http, sampleReportPath(operation), sample)
      }
      for (const path of staticPagePaths(operations)) {
        const page = staticPageHandler(async () => (await loadPages()).staticPage(path))
        addGetRoute(http, path, page)
      }
      addAssetRoutes(http, assets)
    },
  }
}

/** The examples are the same everywhere, but their links must lead to this instance. */
function withOwnLinks(
  documented: DocumentedResponsesById,
  { baseUrl }: ServiceInfo,
): DocumentedResponsesById {
  return new Map(
    [...documented].map(([id, responses]) => {
      const json = JSON.stringify(responses.result)?.replaceAll(EXAMPLE_RUNTIME.baseUrl, baseUrl)
      return [id, { ...responses, result: json && JSON.parse(json) }]
    }),
  )
}

function staticPageHandler(body: () => Promise<string>) {
  return documentHandler({ type: HTML_TYPE, body, headers: HTML_HEADERS })
}

/** The page is made again with the first request of each day (UTC). */
function dailyPageHandler(
  wallClock: () => number,
  body: (now: Date) => Promise<string>,
): RouteHandler {
  let made = { day: '', handle: staticPageHandler(() => body(new Date(wallClock()))) }
  return (c) => {
    const now = new Date(wallClock())
    const day = now.toISOString().slice(0, 10)
    if (day !== made.day) made = { day, handle: staticPageHandler(() => body(now)) }
    return made.handle(c)
  }
}

/** A check as a page; it counts towards the rate limit. */
function checkPageHandlers(
  loadPages: LoadPages,
  { consumeRateLimit, ...options }: AddRoutesOptions,
): RouteHandler[] {
  return [
    operationId(check),
    rateLimit(consumeRateLimit, checkPageProblemSender(loadPages)),
    checkPageHandler({ ...options, loadPages }),
  ]
}

function paidReportPageHandlers(
  operation: PaidOperation,
  loadPages: LoadPages,
  options: AddRoutesOptions,
): RouteHandler[] {
  const sendProblem = createHtmlProblemSender(async (c, problem) => {
    // Without a payment, 402 is not an error: the visitor wants to see the price.
    const isPriceRequest = c.req.header('payment-signature') === undefined && problem.status === 402
    const values = readFormValues(c.req.url, operation)
    return (await loadPages()).reportOffer(operation, values, isPriceRequest ? null : problem)
  })
  const handle = paidReportHandler(operation, options, {
    isForm: true,
    sendProblem,
    async sendReport(c, delivered) {
      const pages = await loadPages()
      const values = readFormValues(c.req.url, operation)
      try {
        return await sendHtml(c, pages.deliveredReport({ operation, values, ...delivered }))
      } catch (error) {
        // The report is paid for, so send it as JSON if the page cannot be rendered.
        options.log.error(error, c.get('requestId'))
        return sendHtml(c, pages.deliveredReportJson({ operation, ...delivered }))
      }
    },
  })
  /** Pages must load before any payment is settled. */
  const loadPagesFirst: RouteHandler = async (_, next) => {
    await loadPages()
    return next()
  }
  return [operationId(operation), loadPagesFirst, handle]
}

function addAssetRoutes(http: Hono<HttpEnv>, { files, folder }: Assets): void {
  for (const { name, type, content } of files) {
    const body = () => content
    const immutable = documentHandler({ type, body, headers: IMMUTABLE })
    const uncached = documentHandler({ type, body, headers: NO_STORE })
    // During an upgrade, pages of another version get this version's file, uncached.
    addGetRoute(http, `${assetFolderPath(':version')}/${name}`, (c) =>
      assetFolderPath(c.req.param('version') ?? '') === folder ? immutable(c) : uncached(c),
    )
    if (name.startsWith('favicon')) addDocumentRoute(http, `/${name}`, { type, body })
  }
}
