/** Why there is no result and what to do next, as a page or as part of one. */
import { type ProblemDetails, problemPagePath } from '../operations/problem-details.js'
import type { ProblemCode } from '../operations/problem-types.js'
import { PATHS } from '../operations/service-paths.js'
import { DomainForm } from './home-page.js'
import type { Page } from './layout.js'
import { toPageDisplayText } from './parts/page-display-text.js'
import { useLink } from './site-context.js'

/** Friendlier than the titles of the API. */
const PAGE_TITLES: Partial<Record<ProblemCode, string>> = {
  not_found: 'Page not found',
  internal: 'Something went wrong on our side',
  dns_unavailable: 'We couldn’t reach DNS',
  dns_timeout: 'DNS didn’t answer in time',
  unknown_domain: 'This domain doesn’t exist',
}

const INPUT_TITLES = new Map([
  ['domain', 'That isn’t a domain we can check'],
  ['email', 'That isn’t an email address we can check'],
  ['selector', 'That isn’t a DKIM selector'],
  ['ip', 'That isn’t an IP address'],
  ['sender', 'That isn’t a sender address'],
  ['helo', 'That isn’t a HELO name'],
  ['rua', 'That isn’t an address for reports'],
  ['uses', 'That isn’t a service we know'],
  ['unused', 'That isn’t a service we know'],
])

export function problemTitle({ code, title, parameter }: ProblemDetails): string {
  if (code !== 'invalid_input') return PAGE_TITLES[code] ?? title
  return INPUT_TITLES.get(parameter ?? '') ?? title
}

/** For problems without a page of their own, such as a wrong URL. */
export function problemPage(problem: ProblemDetails): Page {
  return {
    title: problemTitle(problem),
    description: problem.detail,
    isNoindex: true,
    body: (
      <>
        <ProblemNotice {...problem} />
        <DomainForm values={{}} />
      </>
    ),
  }
}

export function ProblemNotice(problem: ProblemDetails) {
  const { code, detail, charged, requestId } = problem
  const link = useLink()
  return (
    <section class="verdict problem" role="alert" data-problem={code} data-charged={charged}>
      <h1>{problemTitle(problem)}</h1>
      {code === 'not_found' ? (
        <p class="summary">
          Go to the <a href={link('/')}>home page</a> or the <a href={link(PATHS.docs)}>docs</a>.
        </p>
      ) : (
        <p class="summary">{toPageDisplayText(detail)}</p>
      )}
      <p class="source">
        <a href={link(problemPagePath(code))}>About this problem</a> · request id{' '}
        <code>{requestId}</code>
      </p>
    </section>
  )
}
