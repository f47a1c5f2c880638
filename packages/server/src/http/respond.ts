/**
 * Answers, with the headers that were gathered on the way to them. In a plain object: Hono's own
 * `c.header` makes a `Headers` of it, and with that the server leaves its fast path, at twice the
 * cost of a short answer.
 */
import type { Context } from 'hono'
import type { HttpEnv } from './http-env.js'

/** All that the answer carries so far. */
export function responseHeaders(c: Context<HttpEnv>): Record<string, string> {
  const known = c.get('headers')
  if (known) return known
  const fresh = {}
  c.set('headers', fresh)
  return fresh
}

/** The answer will carry it, whatever it will be. */
export function setHeader(c: Context<HttpEnv>, name: string, value: string): void {
  responseHeaders(c)[name] = value
}

/** The answer depends on this header of the request. */
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
