/** Problem details as HTTP responses. */
import type { Context } from 'hono'
import { type ProblemWords, problemDetails } from '../operations/problem-details.js'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'
import type { HttpEnv } from './http-env.js'

/** `more` stands among the problem's own members: an x402 challenge, for one. */
export function problem(
  c: Context<HttpEnv>,
  code: ProblemCode,
  words: ProblemWords,
  more: object = {},
): Response {
  const { retryAfterSeconds } = words
  if (retryAfterSeconds) c.header('Retry-After', String(retryAfterSeconds))
  const body = JSON.stringify({ ...problemDetails(code, words, c.var), ...more })
  return c.body(body, PROBLEMS[code].status, { 'content-type': 'application/problem+json' })
}
