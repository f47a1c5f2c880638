/** The pages that the `type` of a problem leads to, and their list. */
import { PATHS } from '../../operations/paths.js'
import { problemPath } from '../../operations/problem-details.js'
import { PROBLEMS, type ProblemCode } from '../../operations/problems.js'
import type { Page } from '../layout.js'
import { problemCodes } from '../paths.js'
import { useLink } from '../site.js'
import { Words } from './words.js'

export function problemsPage(): Page {
  return {
    title: 'Problems',
    description: 'Every way a request can end without a result, and what to do then.',
    body: <AllProblems />,
  }
}

function AllProblems() {
  const link = useLink()
  return (
    <>
      <h1>Problems</h1>
      <p>
        A request that ends without a result gets problem details (RFC 9457), as{' '}
        <code>application/problem+json</code>. The <code>code</code> does not change; the{' '}
        <code>detail</code> says what is wrong this time, and what to do next.
      </p>
      <ul>
        {problemCodes.map((code) => (
          <li>
            {PROBLEMS[code].status} <a href={link(problemPath(code))}>{code}</a>:{' '}
            {PROBLEMS[code].title}
          </li>
        ))}
      </ul>
    </>
  )
}

export function problemPage(code: ProblemCode): Page {
  const { status, title, meaning } = PROBLEMS[code]
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
        <Words text={meaning} />
      </p>
      <p>
        <a href={link(PATHS.problems)}>All problems</a>
      </p>
    </>
  )
}
