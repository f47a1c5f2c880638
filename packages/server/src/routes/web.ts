/** The site for people: pages and what they are made of, each at its path. */
import type { Context, Hono } from 'hono'
import type { AnswersById } from '../discovery/answers.js'
import { type Document, handDocument } from '../http/document.js'
import { giveReport, type ReportOptions } from '../http/give-report.js'
import type { HttpEnv } from '../http/http-env.js'
import { asking, type Handle, mountGet, type Refuse } from '../http/mount.js'
import { once } from '../http/once.js'
import { PAGE_HEADERS, PAGE_TYPE, refuseByPage, sendPage, wantsPage } from '../http/page.js'
import { given } from '../http/parameters.js'
import { problem } from '../http/problem.js'
import { rateLimit, type TakeTurn } from '../http/rate-limit.js'
import { type SellOptions, sellReport } from '../http/sell-report.js'
import { check } from '../operations/check.js'
import { isPaid, type PaidOperation } from '../operations/operation.js'
import { reportPage } from '../operations/pages.js'
import { PATHS } from '../operations/paths.js'
import { OPERATIONS } from '../operations/table.js'
import type { ServiceInfo } from '../payments/service-info.js'
import { loadAssets } from '../web/assets.js'
import type { Pages } from '../web/open-site.js'
import { STILL_PATHS } from '../web/paths.js'
import { mountAssets } from './mount-assets.js'

export interface WebOptions {
  readonly service: ServiceInfo
  readonly answers: () => Promise<AnswersById>
  readonly onFault: (fault: unknown, requestId: string) => void
}

interface MountOptions extends ReportOptions, SellOptions {
  readonly takeTurn: TakeTurn
  /** What programs get at `/`. */
  readonly description: Document
}

export interface Web {
  /** Says no to people by a page, and to programs by a problem. */
  readonly refuse: Refuse
  mount(http: Hono<HttpEnv>, options: MountOptions): void
}

/** Whoever asks here gets problems, whatever else he would accept. */
const FOR_PROGRAMS = new Set<string>([...OPERATIONS.map(({ path }) => path), PATHS.mcp])

type Opened = () => Promise<Pages>

export function createWeb({ service, answers, onFault }: WebOptions): Web {
  const assets = loadAssets()
  // By need: a service that nobody looks at starts without its pages.
  const pages = once(async () => {
    const [{ openSite }, known] = await Promise.all([import('../web/open-site.js'), answers()])
    return openSite({ ...service, assets: assets.folder }, known)
  })
  const refuseOnPage = refuseByPage(async (_, words) => (await pages()).lost(words))

  return {
    async refuse(c, ...words) {
      if (FOR_PROGRAMS.has(c.req.path) || !wantsPage(c)) return problem(c, ...words)
      // Where even the page about it cannot be made, the problem itself must do.
      return Promise.resolve(refuseOnPage(c, ...words)).catch(() => problem(c, ...words))
    },
    mount(http, options) {
      const description = handDocument(options.description)
      const home = documentPage(async () => (await pages()).home())
      const answer = checkPages(pages, options)
      mountGet(http, '/', (c) => {
        if (!wantsPage(c)) return description(c)
        return c.req.query('domain') === undefined ? home(c) : answer(c)
      })
      for (const operation of OPERATIONS.filter(isPaid)) {
        const sale = salePages(operation, pages, { ...options, onFault })
        mountGet(http, reportPage(operation), asking(operation, sale))
      }
      for (const path of STILL_PATHS) {
        mountGet(
          http,
          path,
          documentPage(async () => (await pages()).still(path)),
        )
      }
      mountAssets(http, assets)
    },
  }
}

function documentPage(body: () => Promise<string>): Handle {
  return handDocument({ type: PAGE_TYPE, body, headers: PAGE_HEADERS })
}

/** A check, for people; it counts like any other. */
function checkPages(pages: Opened, { takeTurn, ...options }: MountOptions): Handle {
  const refuse = refuseByPage(async (c, words) =>
    (await pages()).unchecked(words, given(c.req.url, check)),
  )
  const write = async (c: Context<HttpEnv>, result: Parameters<Pages['checked']>[0]) =>
    sendPage(c, (await pages()).checked(result))
  const limited = rateLimit(takeTurn, refuse)(giveReport(check, options, { write, refuse }))
  return asking(check, limited)
}

function salePages(
  operation: PaidOperation,
  pages: Opened,
  { onFault, ...options }: MountOptions & Pick<WebOptions, 'onFault'>,
): Handle {
  const refuse = refuseByPage(async (c, words) => {
    // To have sent no payment is no mistake: people come to see the price.
    const isAsking = c.req.header('payment-signature') === undefined && words.status === 402
    const asked = given(c.req.url, operation)
    return (await pages()).unsold(operation, asked, isAsking ? null : words)
  })
  const sale = sellReport(operation, options, {
    refuse,
    async write(c, sold) {
      const site = await pages()
      try {
        return await sendPage(c, site.sold({ operation, ...sold }))
      } catch (fault) {
        // It is paid for: whoever cannot have it as a page gets it as it is.
        onFault(fault, c.get('requestId'))
        return sendPage(c, site.soldPlain({ operation, ...sold }))
      }
    },
  })
  return async function handleSale(c) {
    // Before any money moves it must be certain that there are pages.
    await pages()
    return sale(c)
  }
}
