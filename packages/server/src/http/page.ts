/** Pages for people: who wants one, and what every one of them carries. */
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { ProblemDetails } from '../operations/problem-details.js'
import { PROBLEMS } from '../operations/problems.js'
import { acceptsGzip, pack } from './gzip.js'
import type { HttpEnv } from './http-env.js'
import type { Refuse } from './mount.js'
import { detailsOf } from './problem.js'
import { carry, reply, vary } from './reply.js'

export const PAGE_TYPE = 'text/html; charset=utf-8'

/** Nothing but our own files: what the DNS says may at worst be shown, never run. */
export const PAGE_HEADERS = {
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

type Status = (typeof PROBLEMS)[keyof typeof PROBLEMS]['status'] | 200

/** Browsers name HTML first; programs say what they want, or take anything. */
export function wantsPage(c: Context<HttpEnv>): boolean {
  vary(c, 'Accept')
  const supports = ['application/json', 'text/html']
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/html'
}

/** A page that is made for this request alone. */
export async function sendPage(
  c: Context<HttpEnv>,
  html: string,
  status: Status = 200,
): Promise<Response> {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) carry(c, name, value)
  carry(c, 'Content-Type', PAGE_TYPE)
  vary(c, 'Accept-Encoding')
  if (!acceptsGzip(c)) return reply(c, html, status)
  carry(c, 'Content-Encoding', 'gzip')
  return reply(c, await pack(html), status)
}

/** Says no by a page. */
export function refuseByPage(
  render: (c: Context<HttpEnv>, problem: ProblemDetails) => Promise<string>,
): Refuse {
  return async (c, code, words) => {
    const html = await render(c, detailsOf(c, code, words))
    return sendPage(c, html, PROBLEMS[code].status)
  }
}
