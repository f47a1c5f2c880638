/** Triggers every status of every operation: the response equals its example in the document. */

import type { Operation } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { PROBLEM_TYPES } from '@mailgrade/operations/problem-types'
import { describe, expect, test } from 'vitest'
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
/** The request id of all examples. */
const REQUEST_ID = '5f0c6c0e-8d1a-4d3b-9c55-2f1b7a6e9d10'

interface Status {
  headers: string[]
  examples: Record<string, unknown>
}

const document = await fetchOpenApiDocument(healthyApp())
const checkBody = createSchemaValidator(document)
/** Every documented header. */
const HEADERS = Object.keys(document.components.headers)

describe.each(OPERATIONS)('$path', (operation) => {
  const documented = documentedProblems(operation)
  const triggers = Object.entries(problemTriggers(operation))

  test('documents exactly the problems that can occur', () => {
    const names = [...documented.values()].flatMap(({ examples }) => Object.keys(examples))
    expect(names.sort()).toEqual(triggers.map(([name]) => name).sort())
  })

  test('returns every problem as documented', async () => {
    const returned = new Map<number, Status>()
    for (const [name, trigger] of triggers) {
      const response = await trigger(pathOf(operation, name))
      const body = await response.json()
      const { status, headers } = response
      expect([name, headers.get('content-type')]).toEqual([name, PROBLEM])
      expect([name, checkBody(schemaPointer(operation, status, PROBLEM), body)]).toEqual([name, []])
      addResponse(returned, name, { status, headers, body })
    }
    expect(returned).toEqual(documented)
    // Occupying every payment slot takes many requests.
  })
})

test('all other problem types belong to other paths and methods', () => {
  const codes = OPERATIONS.flatMap((operation) =>
    problemsOf(operation).flatMap(([, { examples = {} }]) =>
      Object.values(examples).map(({ value }) => value.code),
    ),
  )
  const others = Object.keys(PROBLEM_TYPES).filter((code) => !codes.includes(code))
  // In order: another path, another method, a request body, and /readyz.
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

/** A status without an example is declared for uniformity and never returned. */
function documentedProblems(operation: Operation): Map<number, Status> {
  const returned = problemsOf(operation).filter(
    ([, { examples }]) => Object.keys(examples).length > 0,
  )
  return new Map(
    returned.map(([status, { headers, examples }]) => [
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

/** The request of the example. */
function pathOf(operation: Operation, name: string): string {
  const example = problemsOf(operation)
    .map(([, { examples }]): OpenApiExample | undefined => examples[name])
    .find((found) => found !== undefined)
  const [, path] = /^`GET (.+)`$/.exec(example?.description ?? '') ?? []
  return path ?? `${operation.path}?${new URLSearchParams(operation.example)}`
}

interface Received {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Merges a response with earlier ones of the same status. */
function addResponse(
  returned: Map<number, Status>,
  name: string,
  { status, headers, body }: Received,
): void {
  const problem = body as Record<string, unknown>
  const { headers: known = [], examples = {} } = returned.get(status) ?? {}
  const present = HEADERS.filter((header) => headers.has(header))
  expect([name, headers.get('x-request-id')]).toEqual([name, problem.requestId])
  expect([name, headers.get('retry-after')]).toEqual([name, retryAfterOf(problem)])
  returned.set(status, {
    headers: [...new Set([...known, ...present])].sort(),
    examples: { ...examples, [name]: { ...problem, requestId: REQUEST_ID } },
  })
}

function retryAfterOf({ retryAfterSeconds }: Record<string, unknown>): string | null {
  return retryAfterSeconds === undefined ? null : String(retryAfterSeconds)
}
