/** The site for people: pages and what they are made of, each at its path. */
import type { Context, Hono } from 'hono'
import type { AnswersById } from './discovery/answers.js'
import { type Document, handDocument, mountDocument } from './http/document.js'
import { giveReport, type ReportOptions } from './http/give-report.js'
import { NOWHERE } from './http/http-app.js'
import type { HttpEnv } from './http/http-env.js'
import { type Handle, mountGet } from './http/mount.js'
import { once } from './http/once.js'
import { PAGE_HEADERS, PAGE_TYPE, refuseByPage, sendPage, wantsPage } from './http/page.js'
import { problem } from './http/problem.js'
import { rateLimit, type TakeTurn } from './http/rate-limit.js'
import { type SellOptions, sellReport } from './http/sell-report.js'
import { check } from './operations/check.js'
import { isPaid, type PaidOperation } from './operations/operation.js'
import { reportPage } from './operations/pages.js'
import { OPERATIONS } from './operations/table.js'
import { loadAssets } from './web/assets.js'
import type { Pages } from './web/open-site.js'
import { STILL_PATHS } from './web/paths.js'
import type { Site } from './web/site.js'

export interface WebOptions extends ReportOptions, SellOptions {
  readonly site: Omit<Site, 'assets'>
  readonly answers: () => Promise<AnswersById>
  readonly takeTurn: TakeTurn
  /** What programs get at `/`. */
  readonly description: Document
}

export function mountWeb(http: Hono<HttpEnv>, options: WebOptions): void {
  const assets = loadAssets()
  const site = { ...options.site, assets: assets.folder }
  // By need: a service that nobody looks at starts without its pages.
  const pages = once(async () => {
    const [{ openSite }, answers] = await Promise.all([
      import('./web/open-site.js'),
      options.answers(),
    ])
    return openSite(site, answers)
  })

  const description = handDocument(options.description)
  const home = documentPage(async () => (await pages()).home())
  const answer = checkPages(pages, options)
  mountGet(http, '/', (c) => {
    if (!wantsPage(c)) return description(c)
    return c.req.query('domain') === undefined ? home(c) : answer(c)
  })
  for (const operation of OPERATIONS.filter(isPaid)) {
    mountGet(http, reportPage(operation), salePages(operation, pages, options))
  }
  for (const path of STILL_PATHS) {
    mountGet(
      http,
      path,
      documentPage(async () => (await pages()).still(path)),
    )
  }
  const lost = refuseByPage(async (_, problem) => (await pages()).lost(problem))
  http.notFound((c) => (wantsPage(c) ? lost : problem)(c, 'not_found', NOWHERE))
  for (const { name, type, content } of assets.files) {
    const headers = { 'Cache-Control': 'public, max-age=31536000, immutable' }
    mountDocument(http, `${assets.folder}/${name}`, { type, body: () => content, headers })
    if (name.startsWith('favicon')) mountDocument(http, `/${name}`, { type, body: () => content })
  }
}

type Opened = () => Promise<Pages>

function documentPage(body: () => Promise<string>): Handle {
  return handDocument({ type: PAGE_TYPE, body, headers: PAGE_HEADERS })
}

/** A check, for people; it counts like any other. */
function checkPages(pages: Opened, { takeTurn, ...options }: WebOptions): Handle {
  const refuse = refuseByPage(async (c, problem) => (await pages()).unchecked(problem, given(c)))
  const write = async (c: Context<HttpEnv>, result: Parameters<Pages['checked']>[0]) =>
    sendPage(c, (await pages()).checked(result))
  return rateLimit(takeTurn, refuse)(giveReport(check, options, { write, refuse }))
}

function salePages(operation: PaidOperation, pages: Opened, options: WebOptions): Handle {
  const refuse = refuseByPage(async (c, problem) => {
    // To have sent no payment is no mistake: people come to see the price.
    const isAsking = c.req.header('payment-signature') === undefined && problem.status === 402
    return (await pages()).unsold(operation, given(c), isAsking ? null : problem)
  })
  return sellReport(operation, options, {
    refuse,
    write: async (c, sold) => sendPage(c, (await pages()).sold({ operation, ...sold })),
  })
}

function given(c: Context<HttpEnv>): string {
  return c.req.query('domain') ?? c.req.query('email') ?? ''
}
