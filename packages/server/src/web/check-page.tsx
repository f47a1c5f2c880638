/** The answer about a domain, with a link to share and what can be bought. */

import { findingsOf, isFault } from '@mailgrade/core'
import { check } from '../operations/check.js'
import type { Result } from '../operations/perform.js'
import type { ProblemDetails } from '../operations/problem-details.js'
import { CheckView } from './check/check-view.js'
import { AskForm } from './home.js'
import type { Page } from './layout.js'
import { CopyButton } from './parts/copied.js'
import { visibleReport } from './parts/visible.js'
import { ProblemNotice } from './problem-notice.js'
import { Shop } from './shop.js'
import { useLink, useSite } from './site.js'

type Report = Parameters<typeof CheckView>[0]['report']

export function checkPage(result: Result): Page {
  const report = visibleReport(result as Report)
  const name = report.unicodeDomain ?? report.domain
  return {
    title: `${name}: ${report.status}`,
    description: report.summary,
    isPrivate: true,
    body: (
      <>
        <AskForm domain={report.domain} />
        <CheckView report={report} />
        <Share domain={report.domain} />
        <Shop domain={report.domain} isClean={!findingsOf(report).some(isFault)} />
      </>
    ),
  }
}

/** `given` is what was asked for, as it came. */
export function uncheckedPage(trouble: ProblemDetails, given: string): Page {
  return {
    title: trouble.title,
    description: trouble.detail,
    isPrivate: true,
    body: (
      <>
        <AskForm domain={given.slice(0, 320)} />
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
