/** Why there is no result, and what to do next. */
import { type ProblemDetails, problemPagePath } from '../operations/problem-details.js'
import { toPageDisplayText } from './parts/page-display-text.js'
import { useLink } from './site-context.js'

export function ProblemNotice({ code, title, detail, charged, requestId }: ProblemDetails) {
  const link = useLink()
  return (
    <section class="verdict fail" role="alert" data-problem={code} data-charged={charged}>
      <h1>{title}</h1>
      <p class="summary">{toPageDisplayText(detail)}</p>
      <p>
        <a href={link(problemPagePath(code))}>About this problem</a> · request{' '}
        <code>{requestId}</code>
      </p>
    </section>
  )
}
