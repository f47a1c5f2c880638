/** Why there is no result, and what to do next. */
import { type ProblemDetails, problemPath } from '../operations/problem-details.js'
import { visible } from './parts/visible.js'
import { useLink } from './site.js'

export function ProblemNotice({ code, title, detail, charged, requestId }: ProblemDetails) {
  const link = useLink()
  return (
    <section class="verdict fail" role="alert" data-problem={code} data-charged={charged}>
      <h1>{title}</h1>
      <p class="summary">{visible(detail)}</p>
      <p>
        <a href={link(problemPath(code))}>About this problem</a> · request <code>{requestId}</code>
      </p>
    </section>
  )
}
