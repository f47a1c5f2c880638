/** Checks a response against the OpenAPI document and the rules for its kind of request. */
import { OPERATIONS } from '@mailgrade/operations/operations'
import type { ValidateBody } from '../openapi/schema-validator.js'
import { createSchemaValidator } from '../openapi/schema-validator.js'
import { schemaPointer } from '../openapi/served-openapi.js'
import { checkMcpResponse } from './check-mcp-response.js'
import type { DescribedApi } from './described-api.js'
import type { FuzzRequest } from './fuzz-request.js'
import type { RawResponse } from './raw-http.js'
import { checkResponseInvariants, tryParseJson } from './response-invariants.js'

export type CheckResponse = (request: FuzzRequest, response: RawResponse) => string[]

const OTHER_STATUSES = [200, 204, 304, 308, 400, 402, 404, 405, 408, 413, 414, 431, 502, 504]
const PAGE_STATUSES = [...OTHER_STATUSES, 409, 503]

export function createResponseChecker(document: DescribedApi): CheckResponse {
  const checkBody = createSchemaValidator(document)
  return (request, response) => [
    ...checkResponseInvariants(response, checkBody),
    ...checkByKind(request, response, { document, checkBody }),
  ]
}

interface Rules {
  readonly document: DescribedApi
  readonly checkBody: ValidateBody
}

function checkByKind(request: FuzzRequest, response: RawResponse, rules: Rules): string[] {
  switch (request.kind) {
    case 'operation':
      return checkOperation(request, response, rules)
    case 'mcp':
      return checkMcpResponse(request, response, rules.checkBody)
    case 'page':
      return checkStatus(PAGE_STATUSES, response)
    case 'other':
    case 'raw':
      return [...checkStatus(OTHER_STATUSES, response), ...checkRedirect(response, rules.document)]
  }
}

function checkOperation(
  request: FuzzRequest,
  response: RawResponse,
  { document, checkBody }: Rules,
): string[] {
  const operation = OPERATIONS.find(({ path }) => path === request.resource)
  const described = document.paths[request.resource ?? '']?.get.responses[response.status]
  if (!operation || !described)
    return [`${response.status} is not documented for ${request.resource}`]
  const type = response.headers.get('content-type') ?? ''
  if (!described.content?.[type]) return [`${response.status} as ${type} is not documented`]
  const undescribed = ['payment-required', 'payment-response', 'ratelimit', 'retry-after']
    .filter((name) => response.headers.has(name))
    .filter(
      (name) =>
        !Object.keys(described.headers ?? {}).some((header) => header.toLowerCase() === name),
    )
  return [
    ...undescribed.map((name) => `${name} is not documented with ${response.status}`),
    ...checkBody(schemaPointer(operation, response.status, type), tryParseJson(response.body)).map(
      (error) => `${response.status}:${error}`,
    ),
  ]
}

/** Redirects must stay on this site. */
function checkRedirect({ status, headers }: RawResponse, { servers }: DescribedApi): string[] {
  const location = headers.get('location') ?? ''
  const isOwnUrl = servers.some(({ url }) => location.startsWith(`${url}/`))
  return status !== 308 || isOwnUrl ? [] : [`redirects to ${location}`]
}

function checkStatus(statuses: readonly number[], { status }: RawResponse): string[] {
  return statuses.includes(status) ? [] : [`unexpected status ${status}`]
}
