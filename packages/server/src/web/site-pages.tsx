/** All pages of the site, rendered to HTML. */
import type { DomainReport } from '@mailgrade/core'
import type { DocumentedResponsesById } from '../discovery/documented-responses.js'
import type { FormValues } from '../http/query-parameters.js'
import {
  isPaid,
  type Operation,
  type OperationResult,
  type PaidOperation,
} from '../operations/operation.js'
import { type ProblemDetails, problemPagePath } from '../operations/problem-details.js'
import { endpointDocsPath, PATHS } from '../operations/service-paths.js'
import { checkPage, checkProblemPage } from './check-page.js'
import { docsPage } from './docs/docs-page.js'
import { endpointDocsPage } from './docs/endpoint-docs-page.js'
import { findingsDocsPage } from './docs/findings-docs-page.js'
import { guidePage } from './docs/guide-page.js'
import { problemDocsPage, problemsDocsPage } from './docs/problem-docs-pages.js'
import { homePage } from './home-page.js'
import { type Page, renderPage } from './layout.js'
import { GUIDE_NAMES, guidePath, PROBLEM_CODES } from './page-paths.js'
import { problemPage } from './problem-page.js'
import {
  type DeliveredReport,
  deliveredReportJsonPage,
  deliveredReportPage,
  hasReportView,
  reportOfferPage,
} from './report-page.js'
import type { SiteInfo } from './site-context.js'

export interface SitePages {
  home(): string
  /** A page whose content is fixed, by its path. */
  staticPage(path: string): string
  /** `values` is what the person entered. */
  checkResult(result: OperationResult<DomainReport>, values: FormValues): string
  checkProblem(problem: ProblemDetails, values: FormValues): string
  deliveredReport(delivered: DeliveredReport): string
  /** The report as JSON, in case its view fails. */
  deliveredReportJson(delivered: DeliveredReport): string
  reportOffer(operation: PaidOperation, values: FormValues, problem: ProblemDetails | null): string
  problem(problem: ProblemDetails): string
}

export function createSitePages(site: SiteInfo, documented: DocumentedResponsesById): SitePages {
  const { operations } = site
  const pages = staticPages(operations, documented)
  // Checked here, before anyone can pay for a report that has no page.
  const missing = operations.filter(isPaid).find(({ id }) => !hasReportView(id))
  if (missing) throw new Error(`${missing.id} has no view`)
  return {
    home: () => renderPage(homePage(), site),
    staticPage(path) {
      const createPage = pages.get(path)
      if (!createPage) throw new Error(`there is no page at ${path}`)
      return renderPage(createPage(), site)
    },
    checkResult: (result, values) => renderPage(checkPage(result, values), site),
    checkProblem: (problem, values) => renderPage(checkProblemPage(problem, values), site),
    deliveredReport: (delivered) => renderPage(deliveredReportPage(delivered), site),
    deliveredReportJson: (delivered) => renderPage(deliveredReportJsonPage(delivered), site),
    reportOffer: (...offer) => renderPage(reportOfferPage(...offer), site),
    problem: (problem) => renderPage(problemPage(problem), site),
  }
}

function staticPages(
  operations: readonly Operation[],
  documented: DocumentedResponsesById,
): ReadonlyMap<string, () => Page> {
  return new Map<string, () => Page>([
    [PATHS.docs, docsPage],
    ...operations.map((operation) => {
      const createPage = () => endpointDocsPage(operation, documented.get(operation.id))
      return [endpointDocsPath(operation), createPage] as const
    }),
    [PATHS.findings, findingsDocsPage],
    ...GUIDE_NAMES.map((name) => [guidePath(name), () => guidePage(name)] as const),
    [PATHS.problems, problemsDocsPage],
    ...PROBLEM_CODES.map((code) => [problemPagePath(code), () => problemDocsPage(code)] as const),
  ])
}
