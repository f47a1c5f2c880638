/** What is wrong with an answer, by the OpenAPI document and the rules of where it came from. */
import { OPERATIONS } from '../../src/operations/operations.js'
import type { ValidateBody } from '../openapi/schema-validator.js'
import { createSchemaValidator } from '../openapi/schema-validator.js'
import { schemaPointer } from '../openapi/served-openapi.js'
import { checkMcpResponse } from './check-mcp-response.js'
import type { DescribedApi } from './described-api.js'
import type { FuzzRequest } from './fuzz-request.js'
import type { RawResponse } from './raw-http.js'
import { checkResponseInvariants, tryParseJson } from './response-invariants.js'

export type CheckResponse = (plan: FuzzRequest, reply: RawResponse) => string[]

const ELSEWHERE = [200, 204, 304, 308, 400, 402, 404, 405, 408, 413, 414, 431, 502, 504]
const PAGE = [...ELSEWHERE, 409, 503]

export function createResponseChecker(document: DescribedApi): CheckResponse {
  const checkBody = createSchemaValidator(document)
  return (plan, reply) => [
    ...checkResponseInvariants(reply, checkBody),
    ...faultsOfKind(plan, reply, { document, checkBody }),
  ]
}

interface Rules {
  readonly document: DescribedApi
  readonly checkBody: ValidateBody
}

function faultsOfKind(plan: FuzzRequest, reply: RawResponse, rules: Rules): string[] {
  switch (plan.kind) {
    case 'operation':
      return faultsInOperation(plan, reply, rules)
    case 'mcp':
      return checkMcpResponse(plan, reply, rules.checkBody)
    case 'page':
      return notIn(PAGE, reply)
    case 'elsewhere':
    case 'raw':
      return [...notIn(ELSEWHERE, reply), ...faultsInRedirect(reply, rules.document)]
  }
}

function faultsInOperation(
  plan: FuzzRequest,
  reply: RawResponse,
  { document, checkBody }: Rules,
): string[] {
  const operation = OPERATIONS.find(({ path }) => path === plan.resource)
  const described = document.paths[plan.resource ?? '']?.get.responses[reply.status]
  if (!operation || !described) return [`${reply.status} is not documented for ${plan.resource}`]
  const type = reply.headers.get('content-type') ?? ''
  if (!described.content?.[type]) return [`${reply.status} as ${type} is not documented`]
  const undescribed = ['payment-required', 'payment-response', 'ratelimit', 'retry-after']
    .filter((name) => reply.headers.has(name))
    .filter((name) => !Object.keys(described.headers ?? {}).some((it) => it.toLowerCase() === name))
  return [
    ...undescribed.map((name) => `${name} is not documented with ${reply.status}`),
    ...checkBody(schemaPointer(operation, reply.status, type), tryParseJson(reply.body)).map(
      (words) => `${reply.status}:${words}`,
    ),
  ]
}

/** Nobody is sent to another site. */
function faultsInRedirect({ status, headers }: RawResponse, { servers }: DescribedApi): string[] {
  const location = headers.get('location') ?? ''
  const isOurs = servers.some(({ url }) => location.startsWith(`${url}/`))
  return status !== 308 || isOurs ? [] : [`leads to ${location}`]
}

function notIn(statuses: readonly number[], { status }: RawResponse): string[] {
  return statuses.includes(status) ? [] : [`${status} is not to be expected here`]
}
