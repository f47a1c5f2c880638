/** All pages of the site, rendered to HTML. */
import type { DomainReport, MechanismReports } from '@mailgrade/core'
import type { AcceptedEntry, CheckedDomain } from '@mailgrade/operations/check-domains'
import {
  isPaid,
  type Operation,
  type OperationResult,
  type PaidOperation,
} from '@mailgrade/operations/operation'
import { type ProblemDetails, problemPagePath } from '@mailgrade/operations/problem-details'
import { endpointDocsPath, PATHS } from '@mailgrade/operations/service-paths'
import type { Child } from 'hono/jsx'
import { CONTENT } from '../content/generated/content.js'
import type { DocumentedResponsesById } from '../discovery/documented-responses.js'
import type { FormValues } from '../http/query-parameters.js'
import { faqPage } from './about/faq-page.js'
import {
  CheckProgress,
  CheckResult,
  checkedValues,
  checkPage,
  checkProblemPage,
  FinishedCheck,
} from './check-page.js'
import { withDocsMenu } from './docs/docs-menu.js'
import { docsPage, FIRST_OPERATION_ID, operatorsPage } from './docs/docs-page.js'
import { endpointDocsPage } from './docs/endpoint-docs-page.js'
import { findingsDocsPage } from './docs/findings-docs-page.js'
import { guidePage } from './docs/guide-page.js'
import { mcpEndpointPage } from './docs/mcp-endpoint-page.js'
import { problemDocsPage, problemsDocsPage } from './docs/problem-docs-pages.js'
import type { SortOrder } from './domains/domain-rows.js'
import {
  DomainResults,
  DomainsProgress,
  domainsFormPage,
  domainsProblemPage,
  domainsProgressPage,
  domainsResultPage,
  FinishedDomain,
} from './domains/domains-page.js'
import { homePage } from './home-page.js'
import { CUT, type Page, renderAroundCuts, renderFragment, renderPage } from './layout.js'
import { findingPage } from './learn/finding-page.js'
import { learnPage } from './learn/learn-page.js'
import { mechanismPage } from './learn/mechanism-page.js'
import { MECHANISM_NAMES } from './learn/mechanisms.js'
import {
  FINDING_IDS,
  findingPagePath,
  GUIDE_NAMES,
  guidePath,
  mechanismPagePath,
  PROBLEM_CODES,
} from './page-paths.js'
import { savedReportsPage } from './paid-reports.js'
import { ProblemNotice, problemPage } from './problem-page.js'
import { prosePage } from './prose.js'
import {
  type DeliveredReport,
  deliveredReportJsonPage,
  deliveredReportPage,
  hasReportView,
  reportOfferPage,
  sampleReportPage,
} from './report-page.js'
import type { SiteInfo } from './site-context.js'

export interface SitePages {
  home(): string
  /** A page whose content is fixed, by its path. */
  staticPage(path: string): string
  /** `values` is what the person entered. */
  checkResult(result: OperationResult<DomainReport>, values: FormValues): string
  checkInPieces(domain: string, values: FormValues): CheckInPieces
  checkProblem(problem: ProblemDetails, values: FormValues): string
  domainsForm(): string
  /** In the order entered. */
  domainsResult(checked: readonly CheckedDomain[], order: SortOrder): string
  domainsInPieces(entries: readonly AcceptedEntry[], order: SortOrder): DomainsInPieces
  /** `list` is what the person entered. */
  domainsProblem(problem: ProblemDetails, list: string): string
  deliveredReport(delivered: DeliveredReport): string
  /** The report as JSON, in case its view fails. */
  deliveredReportJson(delivered: DeliveredReport): string
  /** `report` is about a demo domain. */
  sampleReport(operation: PaidOperation, report: OperationResult): string
  reportOffer(operation: PaidOperation, values: FormValues, problem: ProblemDetails | null): string
  problem(problem: ProblemDetails): string
  /** What browsers get at the URL for MCP clients. `pricingTool` is the tool without an operation. */
  mcpEndpoint(pricingTool: string): string
}

/** The result page, sent while the checks are running. */
export interface CheckInPieces {
  readonly start: string
  finished(reports: Partial<MechanismReports>): string
  result(result: OperationResult<DomainReport>): string
  problem(problem: ProblemDetails): string
}

/** The table of several domains, sent while the checks are running. */
interface DomainsInPieces {
  readonly start: string
  finished(checked: CheckedDomain): string
  /** In the order entered. */
  result(checked: readonly CheckedDomain[]): string
  problem(problem: ProblemDetails): string
}

interface SiteContent {
  readonly documented: DocumentedResponsesById
  /** The result that the home page shows. */
  readonly sample: DomainReport
}

export function createSitePages(site: SiteInfo, { documented, sample }: SiteContent): SitePages {
  const { operations } = site
  const pages = staticPages(operations, documented)
  // Checked here, before anyone can pay for a report that has no page.
  const missing = operations.filter(isPaid).find(({ id }) => !hasReportView(id))
  if (missing) throw new Error(`${missing.id} has no view`)
  return {
    home: () => renderPage(homePage(sample), site),
    staticPage(path) {
      const createPage = pages.get(path)
      if (!createPage) throw new Error(`there is no page at ${path}`)
      return renderPage(createPage(), site)
    },
    checkResult(result, values) {
      const body = <CheckResult result={result} given={values} />
      const { domain } = result
      return renderPage(checkPage(domain, checkedValues(domain, values), body), site)
    },
    checkInPieces: (domain, values) => checkInPieces(domain, values, site),
    checkProblem: (problem, values) => renderPage(checkProblemPage(problem, values), site),
    domainsForm: () => renderPage(domainsFormPage(), site),
    domainsResult: (checked, order) => renderPage(domainsResultPage(checked, order), site),
    domainsInPieces: (entries, order) => domainsInPieces(entries, order, site),
    domainsProblem: (problem, list) => renderPage(domainsProblemPage(problem, list), site),
    deliveredReport: (delivered) => renderPage(deliveredReportPage(delivered), site),
    deliveredReportJson: (delivered) => renderPage(deliveredReportJsonPage(delivered), site),
    sampleReport: (...sample) => renderPage(sampleReportPage(...sample), site),
    reportOffer: (...offer) => renderPage(reportOfferPage(...offer), site),
    problem: (problem) => renderPage(problemPage(problem), site),
    mcpEndpoint: (pricingTool) =>
      renderPage(withDocsMenu(PATHS.mcp, mcpEndpointPage(pricingTool)), site),
  }
}

function checkInPieces(domain: string, values: FormValues, site: SiteInfo): CheckInPieces {
  const page = (body: Child) => checkPage(domain, checkedValues(domain, values), body)
  const { start, add, finish } = inPieces(
    page,
    <CheckProgress domain={domain}>{CUT}</CheckProgress>,
    site,
  )
  return {
    start,
    finished: (reports) => add(<FinishedCheck reports={reports} />),
    result: (result) => finish(<CheckResult result={result} given={values} />),
    problem: (problem) => finish(<ProblemNotice {...problem} />),
  }
}

function domainsInPieces(
  entries: readonly AcceptedEntry[],
  order: SortOrder,
  site: SiteInfo,
): DomainsInPieces {
  const page = (body: Child) => domainsProgressPage(entries, body)
  const { start, add, finish } = inPieces(
    page,
    <DomainsProgress entries={entries}>{CUT}</DomainsProgress>,
    site,
  )
  return {
    start,
    finished: (checked) => add(<FinishedDomain checked={checked} />),
    result: (checked) => finish(<DomainResults checked={checked} order={order} />),
    problem: (problem) => finish(<ProblemNotice {...problem} />),
  }
}

/** A page that is sent up to the cut in `progress`, then bit by bit, then with its result. */
function inPieces(page: (body: Child) => Page, progress: Child, site: SiteInfo) {
  const body = (
    <>
      {progress}
      {CUT}
    </>
  )
  const [start, afterProgress, end] = renderAroundCuts(page(body), site)
  return {
    start,
    add: (part: Child) => renderFragment(part, site),
    finish: (result: Child) => afterProgress + renderFragment(result, site) + end,
  }
}

function staticPages(
  operations: readonly Operation[],
  documented: DocumentedResponsesById,
): ReadonlyMap<string, () => Page> {
  return new Map([
    ...documentationPages(operations, documented),
    ...(operations.some(isPaid) ? [[PATHS.reports, savedReportsPage] as const] : []),
    [PATHS.learn, learnPage],
    ...MECHANISM_NAMES.map((name) => [mechanismPagePath(name), () => mechanismPage(name)] as const),
    ...FINDING_IDS.map((id) => [findingPagePath(id), () => findingPage(id)] as const),
    [PATHS.faq, faqPage],
    [PATHS.privacy, () => prosePage(CONTENT.pages.privacy)],
    [PATHS.terms, () => prosePage(CONTENT.pages.terms)],
  ])
}

/** Each has the menu of the documentation. */
function documentationPages(
  operations: readonly Operation[],
  documented: DocumentedResponsesById,
): (readonly [string, () => Page])[] {
  const pages: (readonly [string, () => Page])[] = [
    [PATHS.docs, () => docsPage(documented.get(FIRST_OPERATION_ID))],
    [PATHS.operators, operatorsPage],
    ...operations.map((operation) => {
      const createPage = () => endpointDocsPage(operation, documented.get(operation.id))
      return [endpointDocsPath(operation), createPage] as const
    }),
    [PATHS.findings, findingsDocsPage],
    ...GUIDE_NAMES.map((name) => [guidePath(name), () => guidePage(name)] as const),
    [PATHS.problems, problemsDocsPage],
    ...PROBLEM_CODES.map((code) => [problemPagePath(code), () => problemDocsPage(code)] as const),
  ]
  return pages.map(([path, createPage]) => [path, () => withDocsMenu(path, createPage())])
}
