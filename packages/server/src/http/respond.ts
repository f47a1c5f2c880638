/**
 * Responses with the headers collected during the request. The headers are a plain object: Hono's
 * `c.header` creates `Headers`, which leaves the server's fast path and doubles the cost of a short
 * response.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HttpBindings } from '@hono/node-server'
import { stringifySafely } from '@mailgrade/core'
import {
  createProblemDetails,
  type ProblemDetails,
  type ProblemFields,
} from '@mailgrade/operations/problem-details'
import { PROBLEM_TYPES, type ProblemCode } from '@mailgrade/operations/problem-types'
import type { Context } from 'hono'
import { accepts } from 'hono/accepts'

/** The type of Hono's context in every handler. */
export interface HttpEnv {
  /** Set by the Node server; absent when a test calls the app directly. */
  Bindings: {
    readonly incoming?: {
      readonly socket: Pick<HttpBindings['incoming']['socket'], 'remoteAddress'>
    }
    readonly outgoing?: HttpBindings['outgoing']
  }
  Variables: {
    requestId: string
    /** The response headers so far. */
    headers: Record<string, string> | undefined
    baseUrl: string
    /** The route that matched, for the log: the path itself may contain private data. */
    route: string | undefined
    /** The body of a POST request. */
    body: string | undefined
    /** The operation's id, if the route has one. */
    operation: string | undefined
    /** The problem code, if the response is a problem. */
    problem: string | undefined
  }
}

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
  body: string | Uint8Array<ArrayBuffer> | ReadableStream | null,
  status = 200,
): Response {
  return new Response(body, { status, headers: responseHeaders(c) })
}

export function respondJson(c: Context<HttpEnv>, json: string): Response {
  setHeader(c, 'Content-Type', 'application/json')
  return respond(c, json)
}

/** Adds headers without reading the response, which would leave the server's fast path. */
export function withCollectedHeaders(c: Context<HttpEnv>, response: Response): Response {
  for (const [name, value] of Object.entries(responseHeaders(c))) response.headers.set(name, value)
  return response
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

/** Sends a problem (RFC 9457) in the format that the callers of a route expect. */
export type SendProblem = (
  ...problem: Parameters<typeof sendProblemJson>
) => Response | Promise<Response>

/** `extension` adds members to the problem, as x402's PaymentRequired does. It must never change. */
export function sendProblemJson(
  c: Context<HttpEnv>,
  code: ProblemCode,
  fields: ProblemFields,
  extension: object | null = null,
): Response {
  const details = stringifySafely(prepareProblemDetails(c, code, fields))
  const body = extension ? appendMembers(details, extension) : details
  setHeader(c, 'Content-Type', 'application/problem+json')
  return respond(c, body, PROBLEM_TYPES[code].status)
}

/** For every format: notes the problem for the log and sets Retry-After. */
export function prepareProblemDetails(
  c: Context<HttpEnv>,
  code: ProblemCode,
  fields: ProblemFields,
): ProblemDetails {
  c.set('problem', code)
  const { retryAfterSeconds } = fields
  if (retryAfterSeconds) setHeader(c, 'Retry-After', String(retryAfterSeconds))
  // Not `c.var`: it copies every variable.
  return createProblemDetails(code, fields, {
    baseUrl: c.get('baseUrl'),
    requestId: c.get('requestId'),
  })
}

function appendMembers(json: string, extension: object): Buffer<ArrayBuffer> {
  return Buffer.concat([Buffer.from(json.slice(0, -1)), memberBytes(extension)])
}

/** `,"a":1}` as bytes: a string would be copied twice on its way out. */
const memberBytes = memoizeByObject((value) => Buffer.from(`,${JSON.stringify(value).slice(1)}`))

export function encodeJsonBase64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64')
}

/** For objects that are sent often and never change: an offer is 2 KB. */
export const memoizedJsonBase64 = memoizeByObject(encodeJsonBase64)

function memoizeByObject<Encoded>(encode: (value: object) => Encoded): (value: object) => Encoded {
  const known = new WeakMap<object, Encoded>()
  return (value) => {
    const encoded = known.get(value) ?? encode(value)
    known.set(value, encoded)
    return encoded
  }
}
