/** The result page of the free check, with a link to share and the paid reports. */
import { type DomainReport, findingsBySeverity, isActionable } from '@mailgrade/core'
import { check } from '../operations/check.js'
import type { OperationResult } from '../operations/operation.js'
import type { ProblemDetails } from '../operations/problem-details.js'
import { CheckView } from './check/check-view.js'
import { DomainForm } from './home-page.js'
import type { Page } from './layout.js'
import { PaidReports } from './paid-reports.js'
import { CopyButton } from './parts/copyable.js'
import { toPageDisplayReport } from './parts/page-display-text.js'
import { ProblemNotice, problemTitle } from './problem-page.js'
import { useLink, useSite } from './site-context.js'

export function checkPage(result: OperationResult<DomainReport>): Page {
  const report = toPageDisplayReport(result)
  const name = report.unicodeDomain ?? report.domain
  return {
    title: `${name}: ${report.status}`,
    description: report.summary,
    isNoindex: true,
    body: (
      <>
        <DomainForm domain={report.domain} />
        <CheckView report={report} />
        <Share domain={report.domain} />
        <PaidReports
          domain={report.domain}
          isClean={!findingsBySeverity(report).some(isActionable)}
        />
      </>
    ),
  }
}

/** `input` is what the person typed. */
export function checkProblemPage(problem: ProblemDetails, input: string): Page {
  return {
    title: problemTitle(problem),
    description: problem.detail,
    isNoindex: true,
    body: (
      <>
        <DomainForm domain={input.slice(0, 320)} />
        <ProblemNotice {...problem} />
      </>
    ),
  }
}

function Share({ domain }: { domain: string }) {
  const { baseUrl } = useSite()
  const link = useLink()
  const query = `?${new URLSearchParams({ domain })}`
  return (
    <p class="share">
      <a href={link(`/${query}`)}>Link to this page</a>
      <CopyButton text={`${baseUrl}/${query}`} what="the link to this page" />
      <a href={link(check.path + query)}>View as JSON</a>
    </p>
  )
}
