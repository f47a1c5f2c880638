/** Rules that every response must follow. */
import type { ValidateBody } from '../openapi/schema-validator.js'
import type { RawResponse } from './raw-http.js'

export const PROBLEM_JSON = 'application/problem+json'
const HTML = 'text/html; charset=utf-8'

const SECURITY_HEADERS: Readonly<Record<string, RegExp>> = {
  'x-request-id': /^[\w.-]{1,64}$/,
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
  'referrer-policy': /^no-referrer$/,
  'content-security-policy': /^default-src 'none'; .*frame-ancestors 'none'$/,
  'cross-origin-resource-policy': /^cross-origin$/,
  'access-control-allow-origin': /^\*$/,
}

/** Any other header would have been injected by a caller. */
const HEADER_NAMES = new Set([
  ...Object.keys(SECURITY_HEADERS),
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-expose-headers',
  'access-control-max-age',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'etag',
  'keep-alive',
  'link',
  'location',
  'mcp-protocol-version',
  'payment-required',
  'payment-response',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'transfer-encoding',
  'vary',
  'x-accel-buffering',
])

/** Unescaped markup of hostile-texts.ts or hostile-records.ts. */
const INJECTED_MARKUP = /<fz|["']\s*onfz=|(?:href|src|action)="javascript:|<!--<fz/i

export function checkResponseInvariants(response: RawResponse, checkBody: ValidateBody): string[] {
  return [...checkHeaders(response), ...checkBodyByType(response, checkBody)]
}

function checkHeaders({ status, headers }: RawResponse): string[] {
  const missing = Object.entries(SECURITY_HEADERS)
    .filter(([name, pattern]) => !pattern.test(headers.get(name) ?? ''))
    .map(([name]) => `${name} is ${headers.get(name) ?? 'missing'}`)
  const injected = [...headers.keys()]
    .filter((name) => !HEADER_NAMES.has(name))
    .map((name) => `unknown header ${name}`)
  const internal = status === 500 ? ['500'] : []
  return [...internal, ...missing, ...injected]
}

function checkBodyByType(response: RawResponse, checkBody: ValidateBody): string[] {
  const type = response.headers.get('content-type') ?? ''
  if (response.body === '') return []
  if (type === HTML) return checkPage(response.body)
  if (type === PROBLEM_JSON) return checkProblem(response, checkBody)
  if (/\bjson\b/.test(type) && tryParseJson(response.body) === undefined)
    return ['body is not JSON']
  return type === '' ? ['body without a content type'] : []
}

function checkPage(html: string): string[] {
  const isComplete = html.startsWith('<!doctype html>') && html.endsWith('</html>')
  const [markup] = INJECTED_MARKUP.exec(html) ?? []
  return [
    ...(isComplete ? [] : ['incomplete page']),
    ...(markup ? [`injected markup: ${markup}`] : []),
  ]
}

function checkProblem({ status, headers, body }: RawResponse, checkBody: ValidateBody): string[] {
  const problem = Object(tryParseJson(body)) as { status?: unknown; requestId?: unknown }
  return [
    ...checkBody('/components/schemas/Problem', problem).map((error) => `Problem:${error}`),
    ...(problem.status === status ? [] : [`status ${problem.status} in a ${status}`]),
    ...(problem.requestId === headers.get('x-request-id') ? [] : ['request ids differ']),
  ]
}

export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
