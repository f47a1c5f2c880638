/** The pages that the `type` of a problem links to, and their list. */
import { problemPagePath } from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES, type ProblemCode } from '@mailgrade/operations/problem-types'
import { PATHS } from '@mailgrade/operations/service-paths'
import { CONTENT } from '../../content/generated/content.js'
import type { Page } from '../layout.js'
import { PROBLEM_CODES } from '../page-paths.js'
import { TextWithCode } from '../parts/inline-text.js'
import { Prose } from '../prose.js'
import { useLink } from '../site-context.js'

const PROBLEMS = CONTENT.pages.problems

export function problemsDocsPage(): Page {
  const { title, description } = PROBLEMS
  return { title, description, body: <AllProblems /> }
}

function AllProblems() {
  const link = useLink()
  return (
    <>
      <h1>{PROBLEMS.title}</h1>
      <Prose of={PROBLEMS.intro} />
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
  const { title } = PROBLEM_TYPES[code]
  return { title, description: CONTENT.problems[code].meaning, body: <Problem code={code} /> }
}

function Problem({ code }: { code: ProblemCode }) {
  const link = useLink()
  const { status, title } = PROBLEM_TYPES[code]
  return (
    <>
      <h1>{title}</h1>
      <p>
        HTTP status {status}, code <code>{code}</code>
      </p>
      <p>
        <TextWithCode text={CONTENT.problems[code].meaning} />
      </p>
      <p>
        <a href={link(PATHS.problems)}>All problems</a>
      </p>
    </>
  )
}
