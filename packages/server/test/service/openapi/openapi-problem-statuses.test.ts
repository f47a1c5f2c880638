/**
 * Every status of every operation, provoked: what comes back is the example in the document, with
 * the headers that stand there, and nothing else comes back.
 */
import { describe, expect, test } from 'vitest'
import type { Operation } from '../../../src/operations/operation.js'
import { OPERATIONS } from '../../../src/operations/operations.js'
import { PROBLEM_TYPES } from '../../../src/operations/problem-types.js'
import { healthyApp } from '../../openapi/app-scenarios.js'
import { problemTriggers } from '../../openapi/problem-triggers.js'
import { createSchemaValidator } from '../../openapi/schema-validator.js'
import {
  documentedOpenApiResponses,
  fetchOpenApiDocument,
  type OpenApiExample,
  type OpenApiResponse,
  schemaPointer,
} from '../../openapi/served-openapi.js'

const PROBLEM = 'application/problem+json'
/** Every answer has its own; in the examples it is always this one. */
const REQUEST_ID = '5f0c6c0e-8d1a-4d3b-9c55-2f1b7a6e9d10'

interface Status {
  headers: string[]
  examples: Record<string, unknown>
}

const document = await fetchOpenApiDocument(healthyApp())
const checkBody = createSchemaValidator(document)
/** Every header that the document speaks of anywhere. */
const HEADERS = Object.keys(document.components.headers)

describe.each(OPERATIONS)('$path', (operation) => {
  const documented = documentedProblems(operation)
  const provocations = Object.entries(problemTriggers(operation))

  test('has an example of everything that can befall it, and of nothing else', () => {
    const names = [...documented.values()].flatMap(({ examples }) => Object.keys(examples))
    expect(names.sort()).toEqual(provocations.map(([name]) => name).sort())
  })

  test('answers as documented, status by status', async () => {
    const answered = new Map<number, Status>()
    for (const [name, provoke] of provocations) {
      const response = await provoke(pathOf(operation, name))
      const body = await response.json()
      const { status, headers } = response
      expect([name, headers.get('content-type')]).toEqual([name, PROBLEM])
      expect([name, checkBody(schemaPointer(operation, status, PROBLEM), body)]).toEqual([name, []])
      note(answered, name, { status, headers, body })
    }
    expect(answered).toEqual(documented)
    // To fill the ledger takes twenty thousand requests.
  }, 120_000)
})

test('the problems that no operation has are those of other addresses and methods', () => {
  const codes = OPERATIONS.flatMap((operation) =>
    problemsOf(operation).flatMap(([, { examples = {} }]) =>
      Object.values(examples).map(({ value }) => value.code),
    ),
  )
  const others = Object.keys(PROBLEM_TYPES).filter((code) => !codes.includes(code))
  // Another path; another method; a body, which GET has none of; and /readyz.
  expect(others).toEqual(['not_found', 'method_not_allowed', 'body_too_large', 'not_ready'])
})

function problemsOf(operation: Operation) {
  return Object.entries(documentedOpenApiResponses(document, operation))
    .filter(([status]) => status !== '200')
    .map(([status, { headers, content }]: [string, OpenApiResponse]) => {
      expect(Object.keys(content)).toEqual([PROBLEM])
      return [Number(status), { headers, examples: content[PROBLEM]?.examples ?? {} }] as const
    })
}

function documentedProblems(operation: Operation): Map<number, Status> {
  return new Map(
    problemsOf(operation).map(([status, { headers, examples }]) => [
      status,
      {
        headers: Object.keys(headers).sort(),
        examples: Object.fromEntries(
          Object.entries(examples).map(([name, { value }]) => [name, value]),
        ),
      },
    ]),
  )
}

/** The request that the example was made for. */
function pathOf(operation: Operation, name: string): string {
  const example = problemsOf(operation)
    .map(([, { examples }]): OpenApiExample | undefined => examples[name])
    .find((found) => found !== undefined)
  const [, asked] = /^`GET (.+)`$/.exec(example?.description ?? '') ?? []
  return asked ?? `${operation.path}?${new URLSearchParams(operation.example)}`
}

interface Came {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Adds what came to what had come with the same status. */
function note(answered: Map<number, Status>, name: string, { status, headers, body }: Came): void {
  const problem = body as Record<string, unknown>
  const { headers: known = [], examples = {} } = answered.get(status) ?? {}
  const came = HEADERS.filter((header) => headers.has(header))
  expect([name, headers.get('x-request-id')]).toEqual([name, problem.requestId])
  expect([name, headers.get('retry-after')]).toEqual([name, retryAfterOf(problem)])
  answered.set(status, {
    headers: [...new Set([...known, ...came])].sort(),
    examples: { ...examples, [name]: { ...problem, requestId: REQUEST_ID } },
  })
}

function retryAfterOf({ retryAfterSeconds }: Record<string, unknown>): string | null {
  return retryAfterSeconds === undefined ? null : String(retryAfterSeconds)
}
