/** For people at an address that leads nowhere, and for whatever else has no page of its own. */
import type { ProblemDetails } from '../operations/problem-details.js'
import { AskForm } from './home.js'
import type { Page } from './layout.js'
import { ProblemNotice } from './problem-notice.js'

export function lostPage(problem: ProblemDetails): Page {
  return {
    title: problem.title,
    description: problem.detail,
    isPrivate: true,
    body: (
      <>
        <ProblemNotice {...problem} />
        <AskForm domain="" />
      </>
    ),
  }
}
