/** HTML pages: content negotiation and the headers that every page has. */
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { ProblemDetails } from '../operations/problem-details.js'
import { PROBLEM_TYPES } from '../operations/problem-types.js'
import type { HttpEnv } from './http-env.js'
import {
  acceptsGzip,
  addVary,
  gzipBody,
  prepareProblemDetails,
  respond,
  type SendProblem,
  setHeader,
  setHeaders,
} from './respond.js'

export const HTML_TYPE = 'text/html; charset=utf-8'

/** Allows our own files only, so text from DNS can be shown but never run. */
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

/** Browsers list HTML first; API clients ask for JSON or accept anything. */
export function prefersHtml(c: Context<HttpEnv>): boolean {
  addVary(c, 'Accept')
  const supports = ['application/json', 'text/html']
  return accepts(c, { header: 'Accept', supports, default: 'application/json' }) === 'text/html'
}

/** Sends a page rendered for this request. */
export async function sendHtml(c: Context<HttpEnv>, html: string, status = 200): Promise<Response> {
  setHeaders(c, HTML_HEADERS)
  setHeader(c, 'Content-Type', HTML_TYPE)
  if (!acceptsGzip(c)) return respond(c, html, status)
  setHeader(c, 'Content-Encoding', 'gzip')
  return respond(c, await gzipBody(html), status)
}

export function createHtmlProblemSender(
  render: (c: Context<HttpEnv>, problem: ProblemDetails) => Promise<string>,
): SendProblem {
  return async (c, code, fields) => {
    const html = await render(c, prepareProblemDetails(c, code, fields))
    return sendHtml(c, html, PROBLEM_TYPES[code].status)
  }
}
