/** All pages of the site, as text. */

import { isPaid, type PaidOperation } from '../operations/operation.js'
import { OPERATIONS } from '../operations/operations.js'
import type { ProblemDetails } from '../operations/problem-details.js'
import type { OperationResult } from '../operations/run-operation.js'
import { checkPage, checkProblemPage } from './check-page.js'
import { genericProblemPage } from './generic-problem-page.js'
import { homePage } from './home-page.js'
import { renderPage } from './layout.js'
import {
  type DeliveredReport,
  deliveredReportJsonPage,
  deliveredReportPage,
  REPORT_VIEWS,
  reportOfferPage,
} from './report-page.js'
import type { SiteInfo } from './site-context.js'
import { type EndpointResponsesById, staticPages } from './static-pages.js'

export interface SitePages {
  home(): string
  /** One that stands still, by its path. */
  staticPage(path: string): string
  checkResult(result: OperationResult): string
  checkProblem(problem: ProblemDetails, given: string): string
  deliveredReport(sold: DeliveredReport): string
  /** Without a view of its own. */
  deliveredReportJson(sold: DeliveredReport): string
  reportOffer(operation: PaidOperation, given: string, problem: ProblemDetails | null): string
  problem(problem: ProblemDetails): string
}

export function createSitePages(site: SiteInfo, documented: EndpointResponsesById): SitePages {
  const still = staticPages(documented)
  const unseen = OPERATIONS.filter(isPaid).find(({ id }) => !(id in REPORT_VIEWS))
  // Found out before anybody pays for it.
  if (unseen) throw new Error(`${unseen.id} has no view`)
  return {
    home: () => renderPage(homePage(), site),
    staticPage(path) {
      const make = still.get(path)
      if (!make) throw new Error(`there is no page at ${path}`)
      return renderPage(make(), site)
    },
    checkResult: (result) => renderPage(checkPage(result), site),
    checkProblem: (problem, given) => renderPage(checkProblemPage(problem, given), site),
    deliveredReport: (sold) => renderPage(deliveredReportPage(sold), site),
    deliveredReportJson: (sold) => renderPage(deliveredReportJsonPage(sold), site),
    reportOffer: (...sale) => renderPage(reportOfferPage(...sale), site),
    problem: (problem) => renderPage(genericProblemPage(problem), site),
  }
}
