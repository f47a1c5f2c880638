/** Problem details as HTTP responses. */
import type { Context } from 'hono'
import { type ProblemWords, problemDetails } from '../operations/problem-details.js'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'
import type { HttpEnv } from './http-env.js'
import { carry, reply, spotOf } from './reply.js'
import { membersOnce } from './written-once.js'

/** `more` stands among the problem's own members, and never changes: an x402 challenge. */
export function problem(
  c: Context<HttpEnv>,
  code: ProblemCode,
  words: ProblemWords,
  more: object | null = null,
): Response {
  c.set('problem', code)
  const { retryAfterSeconds } = words
  if (retryAfterSeconds) carry(c, 'Retry-After', String(retryAfterSeconds))
  const details = JSON.stringify(problemDetails(code, words, spotOf(c)))
  const body = more ? withMembers(details, more) : details
  carry(c, 'Content-Type', 'application/problem+json')
  return reply(c, body, PROBLEMS[code].status)
}

function withMembers(json: string, more: object): Buffer<ArrayBuffer> {
  return Buffer.concat([Buffer.from(json.slice(0, -1)), membersOnce(more)])
}
