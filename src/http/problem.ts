/** Problem details as HTTP responses (RFC 9457). */
import type { Context } from 'hono'
import { PROBLEMS, type ProblemCode, type ReportCondition } from '../operations/problems.js'
import type { HttpEnv } from './http-env.js'

export interface ProblemWords {
  readonly detail: string
  readonly parameter?: string
  readonly condition?: ReportCondition
  /** An x402 challenge, whose members stand among the problem's own. */
  readonly accepts?: readonly object[]
}

/** Where the page about a type of problem stands: `invalid_input` → `/problems/invalid-input`. */
export function problemPath(code: ProblemCode): string {
  return `/problems/${code.replaceAll('_', '-')}`
}

export function problem(c: Context<HttpEnv>, code: ProblemCode, words: ProblemWords): Response {
  const { status } = PROBLEMS[code]
  const body = problemBody(code, words, c.var)
  return c.body(body, status, { 'content-type': 'application/problem+json' })
}

export function problemBody(
  code: ProblemCode,
  words: ProblemWords,
  { baseUrl, requestId }: { baseUrl: string; requestId: string },
): string {
  const { status, title } = PROBLEMS[code]
  const type = baseUrl + problemPath(code)
  return JSON.stringify({ type, title, status, code, ...words, requestId })
}
