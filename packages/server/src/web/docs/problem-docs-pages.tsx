/** The pages that the `type` of a problem links to, and their list. */
import { problemPagePath } from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES, type ProblemCode } from '@mailgrade/operations/problem-types'
import { PATHS } from '@mailgrade/operations/service-paths'
import type { Page } from '../layout.js'
import { PROBLEM_CODES } from '../page-paths.js'
import { TextWithCode } from '../parts/inline-text.js'
import { useLink } from '../site-context.js'

export function problemsDocsPage(): Page {
  return {
    title: 'Problems',
    description: 'Every error a request can return, and what to do.',
    body: <AllProblems />,
  }
}

function AllProblems() {
  const link = useLink()
  return (
    <>
      <h1>Problems</h1>
      <p>
        A request without a result returns problem details (RFC 9457) as{' '}
        <code>application/problem+json</code>. Codes don’t change. The <code>detail</code> says what
        is wrong this time and what to do next.
      </p>
      <ul>
        {PROBLEM_CODES.map((code) => (
          <li>
            {PROBLEM_TYPES[code].status} <a href={link(problemPagePath(code))}>{code}</a>:{' '}
            {PROBLEM_TYPES[code].title}
          </li>
        ))}
      </ul>
    </>
  )
}

export function problemDocsPage(code: ProblemCode): Page {
  const { status, title, meaning } = PROBLEM_TYPES[code]
  return { title, description: meaning, body: <Problem {...{ code, status, title, meaning }} /> }
}

interface ProblemProps {
  readonly code: ProblemCode
  readonly status: number
  readonly title: string
  readonly meaning: string
}

function Problem({ code, status, title, meaning }: ProblemProps) {
  const link = useLink()
  return (
    <>
      <h1>{title}</h1>
      <p>
        HTTP status {status}, code <code>{code}</code>
      </p>
      <p>
        <TextWithCode text={meaning} />
      </p>
      <p>
        <a href={link(PATHS.problems)}>All problems</a>
      </p>
    </>
  )
}
