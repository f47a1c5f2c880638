/** Problem details as HTTP responses. */
import type { Context } from 'hono'
import {
  type ProblemDetails,
  type ProblemWords,
  problemDetails,
} from '../operations/problem-details.js'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'
import type { HttpEnv } from './http-env.js'
import { carry, reply } from './reply.js'
import { membersOnce } from './written-once.js'

/** `more` stands among the problem's own members, and never changes: an x402 challenge. */
export function problem(
  c: Context<HttpEnv>,
  code: ProblemCode,
  words: ProblemWords,
  more: object | null = null,
): Response {
  const details = JSON.stringify(detailsOf(c, code, words))
  const body = more ? withMembers(details, more) : details
  carry(c, 'Content-Type', 'application/problem+json')
  return reply(c, body, PROBLEMS[code].status)
}

/** In whichever form it is told: the log hears of it, and the headers say when to come again. */
export function detailsOf(
  c: Context<HttpEnv>,
  code: ProblemCode,
  words: ProblemWords,
): ProblemDetails {
  c.set('problem', code)
  const { retryAfterSeconds } = words
  if (retryAfterSeconds) carry(c, 'Retry-After', String(retryAfterSeconds))
  // One by one: `c.var` would copy everything that is there.
  return problemDetails(code, words, { baseUrl: c.get('baseUrl'), requestId: c.get('requestId') })
}

function withMembers(json: string, more: object): Buffer<ArrayBuffer> {
  return Buffer.concat([Buffer.from(json.slice(0, -1)), membersOnce(more)])
}
