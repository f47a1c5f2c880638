/** Problem details as HTTP responses. */
import type { Context } from 'hono'
import {
  createProblemDetails,
  type ProblemDetails,
  type ProblemFields,
} from '../operations/problem-details.js'
import { PROBLEM_TYPES, type ProblemCode } from '../operations/problem-types.js'
import type { HttpEnv } from './http-env.js'
import { memoizedJsonFields } from './memoized-json.js'
import { respond, setHeader } from './respond.js'

/** `more` stands among the problem's own members, and never changes: an x402 challenge. */
export function sendProblemJson(
  c: Context<HttpEnv>,
  code: ProblemCode,
  words: ProblemFields,
  more: object | null = null,
): Response {
  const details = JSON.stringify(prepareProblemDetails(c, code, words))
  const body = more ? withMembers(details, more) : details
  setHeader(c, 'Content-Type', 'application/problem+json')
  return respond(c, body, PROBLEM_TYPES[code].status)
}

/** In whichever form it is told: the log hears of it, and the headers say when to come again. */
export function prepareProblemDetails(
  c: Context<HttpEnv>,
  code: ProblemCode,
  words: ProblemFields,
): ProblemDetails {
  c.set('problem', code)
  const { retryAfterSeconds } = words
  if (retryAfterSeconds) setHeader(c, 'Retry-After', String(retryAfterSeconds))
  // One by one: `c.var` would copy everything that is there.
  return createProblemDetails(code, words, {
    baseUrl: c.get('baseUrl'),
    requestId: c.get('requestId'),
  })
}

function withMembers(json: string, more: object): Buffer<ArrayBuffer> {
  return Buffer.concat([Buffer.from(json.slice(0, -1)), memoizedJsonFields(more)])
}
