/** Pages for people: who wants one, and what every one of them carries. */
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { ProblemDetails } from '../operations/problem-details.js'
import { PROBLEM_TYPES } from '../operations/problem-types.js'
import type { SendProblem } from './add-route.js'
import { acceptsGzip, gzipBody } from './gzip.js'
import type { HttpEnv } from './http-env.js'
import { prepareProblemDetails } from './problem-response.js'
import { addVary, respond, setHeader } from './respond.js'

export const HTML_TYPE = 'text/html; charset=utf-8'

/** Nothing but our own files: what the DNS says may at worst be shown, never run. */
export const HTML_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

type Status = (typeof PROBLEM_TYPES)[keyof typeof PROBLEM_TYPES]['status'] | 200

/** Browsers name HTML first; programs say what they want, or take anything. */
export function prefersHtml(c: Context<HttpEnv>): boolean {
  addVary(c, 'Accept')
  const supports = ['application/json', 'text/html']
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/html'
}

/** A page that is made for this request alone. */
export async function sendHtml(
  c: Context<HttpEnv>,
  html: string,
  status: Status = 200,
): Promise<Response> {
  for (const [name, value] of Object.entries(HTML_HEADERS)) setHeader(c, name, value)
  setHeader(c, 'Content-Type', HTML_TYPE)
  addVary(c, 'Accept-Encoding')
  if (!acceptsGzip(c)) return respond(c, html, status)
  setHeader(c, 'Content-Encoding', 'gzip')
  return respond(c, await gzipBody(html), status)
}

/** Says no by a page. */
export function createHtmlProblemSender(
  render: (c: Context<HttpEnv>, problem: ProblemDetails) => Promise<string>,
): SendProblem {
  return async (c, code, words) => {
    const html = await render(c, prepareProblemDetails(c, code, words))
    return sendHtml(c, html, PROBLEM_TYPES[code].status)
  }
}
