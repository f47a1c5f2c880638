/** HTML pages: content negotiation and the headers that every page has. */
import { pipeline, Readable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { ProblemDetails } from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES } from '@mailgrade/operations/problem-types'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import {
  acceptsGzip,
  addVary,
  gzipBody,
  type HttpEnv,
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
  return acceptsHtmlFirst(c)
}

/** Without Vary, for responses that no cache may keep. */
export function acceptsHtmlFirst(c: Context<HttpEnv>): boolean {
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

/** Sends a page in pieces, each as soon as it is there. */
export function streamHtml(c: Context<HttpEnv>, pieces: AsyncIterable<string>): Response {
  setHeaders(c, HTML_HEADERS)
  setHeader(c, 'Content-Type', HTML_TYPE)
  // nginx would collect the pieces.
  setHeader(c, 'X-Accel-Buffering', 'no')
  const isGzip = acceptsGzip(c)
  if (isGzip) setHeader(c, 'Content-Encoding', 'gzip')
  return respond(c, toByteStream(pieces, isGzip))
}

function toByteStream(pieces: AsyncIterable<string>, isGzip: boolean): ReadableStream {
  const text = Readable.from(pieces, { objectMode: false })
  // Without the flush, gzip would collect the pieces too. An error just ends the response early.
  const bytes = isGzip
    ? pipeline(text, createGzip({ flush: constants.Z_SYNC_FLUSH }), () => {})
    : text
  // Node types its own web streams and the global ones differently.
  return Readable.toWeb(bytes) as ReadableStream
}

export function createHtmlProblemSender(
  render: (c: Context<HttpEnv>, problem: ProblemDetails) => Promise<string>,
): SendProblem {
  return async (c, code, fields) => {
    const html = await render(c, prepareProblemDetails(c, code, fields))
    return sendHtml(c, html, PROBLEM_TYPES[code].status)
  }
}
