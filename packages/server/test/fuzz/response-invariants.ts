/** What every answer must keep to, whatever was asked. */
import type { ValidateBody } from '../openapi/schema-validator.js'
import type { RawResponse } from './raw-http.js'

export const PROBLEM_JSON = 'application/problem+json'
const HTML = 'text/html; charset=utf-8'

const SECURITY: Readonly<Record<string, RegExp>> = {
  'x-request-id': /^[\w.-]{1,64}$/,
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
  'referrer-policy': /^no-referrer$/,
  'content-security-policy': /^default-src 'none'; .*frame-ancestors 'none'$/,
  'cross-origin-resource-policy': /^cross-origin$/,
  'access-control-allow-origin': /^\*$/,
}

/** Any other would be one that a caller has put there. */
const NAMES = new Set([
  ...Object.keys(SECURITY),
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
])

/** As `texts.ts` and `hostile-records.ts` have it, where it is markup and not text. */
const LIVE_MARKUP = /<fz|["']\s*onfz=|(?:href|src|action)="javascript:|<!--<fz/i

export function checkResponseInvariants(reply: RawResponse, checkBody: ValidateBody): string[] {
  return [...faultsInHeaders(reply), ...faultsInBody(reply, checkBody)]
}

function faultsInHeaders({ status, headers }: RawResponse): string[] {
  const missing = Object.entries(SECURITY)
    .filter(([name, pattern]) => !pattern.test(headers.get(name) ?? ''))
    .map(([name]) => `${name} is ${headers.get(name) ?? 'missing'}`)
  const strange = [...headers.keys()]
    .filter((name) => !NAMES.has(name))
    .map((name) => `a header that is not ours: ${name}`)
  const broken = status === 500 ? ['500'] : []
  return [...broken, ...missing, ...strange]
}

function faultsInBody(reply: RawResponse, checkBody: ValidateBody): string[] {
  const type = reply.headers.get('content-type') ?? ''
  if (reply.body === '') return []
  if (type === HTML) return faultsInPage(reply.body)
  if (type === PROBLEM_JSON) return faultsInProblem(reply, checkBody)
  if (/\bjson\b/.test(type) && tryParseJson(reply.body) === undefined)
    return ['a body that is no JSON']
  return type === '' ? ['a body without a type'] : []
}

function faultsInPage(html: string): string[] {
  const isWhole = html.startsWith('<!doctype html>') && html.endsWith('</html>')
  const [live] = LIVE_MARKUP.exec(html) ?? []
  return [...(isWhole ? [] : ['half a page']), ...(live ? [`markup of a stranger: ${live}`] : [])]
}

function faultsInProblem(
  { status, headers, body }: RawResponse,
  checkBody: ValidateBody,
): string[] {
  const problem = Object(tryParseJson(body)) as { status?: unknown; requestId?: unknown }
  return [
    ...checkBody('/components/schemas/Problem', problem).map((words) => `Problem:${words}`),
    ...(problem.status === status ? [] : [`says ${problem.status} with ${status}`]),
    ...(problem.requestId === headers.get('x-request-id') ? [] : ['two request ids']),
  ]
}

export function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
