/** The answer about a domain, with a link to share and what can be bought. */

import { findingsBySeverity, isActionable } from '@mailgrade/core'
import { check } from '../operations/check.js'
import type { ProblemDetails } from '../operations/problem-details.js'
import type { OperationResult } from '../operations/run-operation.js'
import { CheckView } from './check/check-view.js'
import { DomainForm } from './home-page.js'
import type { Page } from './layout.js'
import { PaidReports } from './paid-reports.js'
import { CopyButton } from './parts/copyable.js'
import { toPageDisplayReport } from './parts/page-display-text.js'
import { ProblemNotice } from './problem-notice.js'
import { useLink, useSite } from './site-context.js'

type Report = Parameters<typeof CheckView>[0]['report']

export function checkPage(result: OperationResult): Page {
  const report = toPageDisplayReport(result as Report)
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

/** `given` is what was asked for, as it came. */
export function checkProblemPage(trouble: ProblemDetails, given: string): Page {
  return {
    title: trouble.title,
    description: trouble.detail,
    isNoindex: true,
    body: (
      <>
        <DomainForm domain={given.slice(0, 320)} />
        <ProblemNotice {...trouble} />
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
      <a href={link(check.path + query)}>The same as JSON</a>
    </p>
  )
}
