/**
 * Answers, with the headers that were gathered on the way to them. In a plain object: Hono's own
 * `c.header` makes a `Headers` of it, and with that the server leaves its fast path, at twice the
 * cost of a short answer.
 */
import type { Context } from 'hono'
import type { HttpEnv } from './http-env.js'

/** All that the answer carries so far. */
export function headersOf(c: Context<HttpEnv>): Record<string, string> {
  const known = c.get('headers')
  if (known) return known
  const fresh = {}
  c.set('headers', fresh)
  return fresh
}

/** The answer will carry it, whatever it will be. */
export function carry(c: Context<HttpEnv>, name: string, value: string): void {
  headersOf(c)[name] = value
}

/** The answer depends on this header of the request. */
export function vary(c: Context<HttpEnv>, name: string): void {
  const { Vary: others } = headersOf(c)
  carry(c, 'Vary', others === undefined ? name : `${others}, ${name}`)
}

export function reply(
  c: Context<HttpEnv>,
  body: string | Uint8Array<ArrayBuffer> | null,
  status = 200,
): Response {
  return new Response(body, { status, headers: headersOf(c) })
}

export function replyJson(c: Context<HttpEnv>, json: string): Response {
  carry(c, 'Content-Type', 'application/json')
  return reply(c, json)
}
