/** The result page of the free check, with a link to share and the paid reports. */
import { type DomainReport, findingsBySeverity, isActionable } from '@mailgrade/core'
import type { FormValues } from '../http/query-parameters.js'
import { check } from '../operations/check.js'
import type { OperationResult } from '../operations/operation.js'
import type { ProblemDetails } from '../operations/problem-details.js'
import { CheckView } from './check/check-view.js'
import { DomainForm } from './home-page.js'
import { toQuery } from './input-fields.js'
import type { Page } from './layout.js'
import { PaidReports } from './paid-reports.js'
import { CopyButton } from './parts/copyable.js'
import { toPageDisplayReport } from './parts/page-display-text.js'
import { ProblemNotice, problemTitle } from './problem-page.js'
import { RequestedName } from './requested-name.js'
import { useLink, useSite } from './site-context.js'

export function checkPage(result: OperationResult<DomainReport>, given: FormValues): Page {
  const report = toPageDisplayReport(result)
  const name = report.unicodeDomain ?? report.domain
  // In a link, the domain that was checked takes the place of what was entered.
  const values = { ...given, domain: [report.domain] }
  return {
    title: `${name}: ${report.status}`,
    description: report.summary,
    isNoindex: true,
    body: (
      <>
        <DomainForm values={values} />
        <RequestedName report={report} path="/" values={values} />
        <CheckView report={report} values={values} />
        <Share values={values} />
        <PaidReports values={values} isClean={!findingsBySeverity(report).some(isActionable)} />
      </>
    ),
  }
}

export function checkProblemPage(problem: ProblemDetails, values: FormValues): Page {
  return {
    title: problemTitle(problem),
    description: problem.detail,
    isNoindex: true,
    body: (
      <>
        <DomainForm values={values} />
        <ProblemNotice {...problem} />
      </>
    ),
  }
}

function Share({ values }: { values: FormValues }) {
  const { baseUrl } = useSite()
  const link = useLink()
  const query = `?${toQuery(values)}`
  return (
    <p class="share">
      <a href={link(`/${query}`)}>Link to this page</a>
      <CopyButton text={`${baseUrl}/${query}`} what="the link to this page" />
      <a href={link(check.path + query)}>View as JSON</a>
    </p>
  )
}
