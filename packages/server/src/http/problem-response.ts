/** Problem details (RFC 9457) as HTTP responses. */
import type { Context } from 'hono'
import {
  createProblemDetails,
  type ProblemDetails,
  type ProblemFields,
} from '../operations/problem-details.js'
import { PROBLEM_TYPES, type ProblemCode } from '../operations/problem-types.js'
import type { HttpEnv } from './http-env.js'
import { respond, setHeader } from './respond.js'

/** `extension` adds members to the problem, as x402's PaymentRequired does. It must never change. */
export function sendProblemJson(
  c: Context<HttpEnv>,
  code: ProblemCode,
  fields: ProblemFields,
  extension: object | null = null,
): Response {
  const details = JSON.stringify(prepareProblemDetails(c, code, fields))
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
