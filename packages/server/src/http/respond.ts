/**
 * Responses with the headers collected during the request. The headers are a plain object: Hono's
 * `c.header` creates `Headers`, which leaves the server's fast path and doubles the cost of a short
 * response.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'
import type { HttpEnv } from './http-env.js'

const gzipAsync = promisify(gzip)

export function responseHeaders(c: Context<HttpEnv>): Record<string, string> {
  const collected = c.get('headers')
  if (collected) return collected
  const empty = {}
  c.set('headers', empty)
  return empty
}

export function setHeader(c: Context<HttpEnv>, name: string, value: string): void {
  responseHeaders(c)[name] = value
}

export function setHeaders(c: Context<HttpEnv>, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) setHeader(c, name, value)
}

/** The response depends on this request header. */
export function addVary(c: Context<HttpEnv>, name: string): void {
  const { Vary: others } = responseHeaders(c)
  setHeader(c, 'Vary', others === undefined ? name : `${others}, ${name}`)
}

export function respond(
  c: Context<HttpEnv>,
  body: string | Uint8Array<ArrayBuffer> | null,
  status = 200,
): Response {
  return new Response(body, { status, headers: responseHeaders(c) })
}

export function respondJson(c: Context<HttpEnv>, json: string): Response {
  setHeader(c, 'Content-Type', 'application/json')
  return respond(c, json)
}

export async function gzipBody(body: string | Buffer): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await gzipAsync(body))
}

/** Not hono/compress: it compresses again for each request, and even where identity is preferred. */
export function acceptsGzip(c: Context<HttpEnv>): boolean {
  addVary(c, 'Accept-Encoding')
  const supports = ['gzip', 'identity']
  return accepts(c, { header: 'Accept-Encoding', supports, default: 'identity' }) === 'gzip'
}
