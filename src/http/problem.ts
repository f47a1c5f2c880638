/** Problem details as HTTP responses (RFC 9457). */
import type { Context } from 'hono'
import { PROBLEMS, type ProblemCode } from '../operations/problems.js'
import type { HttpEnv } from './http-env.js'

export interface ProblemWords {
  readonly detail: string
  readonly parameter?: string
}

/** Where the page about a type of problem stands: `invalid_input` → `/problems/invalid-input`. */
export function problemPath(code: ProblemCode): string {
  return `/problems/${code.replaceAll('_', '-')}`
}

export function problem(c: Context<HttpEnv>, code: ProblemCode, words: ProblemWords): Response {
  const { status, title } = PROBLEMS[code]
  const body = {
    type: c.var.baseUrl + problemPath(code),
    title,
    status,
    code,
    ...words,
    requestId: c.var.requestId,
  }
  return c.body(JSON.stringify(body), status, { 'content-type': 'application/problem+json' })
}
