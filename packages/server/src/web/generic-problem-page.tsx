/** For people at an address that leads nowhere, and for whatever else has no page of its own. */
import type { ProblemDetails } from '../operations/problem-details.js'
import { DomainForm } from './home-page.js'
import type { Page } from './layout.js'
import { ProblemNotice } from './problem-notice.js'

export function genericProblemPage(problem: ProblemDetails): Page {
  return {
    title: problem.title,
    description: problem.detail,
    isNoindex: true,
    body: (
      <>
        <ProblemNotice {...problem} />
        <DomainForm domain="" />
      </>
    ),
  }
}
