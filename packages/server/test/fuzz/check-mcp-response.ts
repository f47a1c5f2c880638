/** Checks a response of the MCP endpoint. */
import { hasTool } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import type { ValidateBody } from '../openapi/schema-validator.js'
import { schemaPointer } from '../openapi/served-openapi.js'
import type { FuzzRequest } from './fuzz-request.js'
import type { RawResponse } from './raw-http.js'
import { PROBLEM_JSON, tryParseJson } from './response-invariants.js'

const STATUSES = [200, 202, 204, 400, 403, 404, 405, 406, 413, 415]
const INTERNAL_ERROR = -32_603

interface RpcResponse {
  readonly jsonrpc?: unknown
  readonly result?: FuzzedToolResult
  readonly error?: { readonly code?: unknown; readonly message?: unknown }
}

export interface FuzzedToolResult {
  readonly isError?: boolean
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly _meta?: Readonly<Record<string, unknown>>
}

export function checkMcpResponse(
  request: FuzzRequest,
  response: RawResponse,
  checkBody: ValidateBody,
): string[] {
  if (!STATUSES.includes(response.status)) return [`${response.status} from /mcp`]
  // Invalid HTTP is rejected before routing.
  if (response.body === '' || response.headers.get('content-type') === PROBLEM_JSON) return []
  // Browsers get a page about the endpoint.
  const isPage = response.headers.get('content-type')?.startsWith('text/html')
  if (isPage) return response.status === 405 ? [] : [`a page with ${response.status} from /mcp`]
  const { jsonrpc, result, error } = parseRpcResponse(response)
  if (jsonrpc !== '2.0') return [`not JSON-RPC: ${response.body.slice(0, 200)}`]
  if (error) return checkError(error)
  if (typeof result !== 'object') return ['neither a result nor an error']
  return checkResult(result, request.resource, checkBody)
}

/** Parses JSON, or an event stream with one event. */
export function parseRpcResponse({ headers, body }: RawResponse): RpcResponse {
  const isStream = headers.get('content-type') === 'text/event-stream'
  const text = isStream ? (/^data: (.+)$/m.exec(body)?.[1] ?? '') : body
  return Object(tryParseJson(text)) as RpcResponse
}

function checkError({ code, message }: NonNullable<RpcResponse['error']>): string[] {
  const isValid = Number.isInteger(code) && typeof message === 'string'
  return isValid && code !== INTERNAL_ERROR ? [] : [`error ${code}: ${message}`]
}

function checkResult(
  { isError, structuredContent }: FuzzedToolResult,
  tool: string | null,
  checkBody: ValidateBody,
): string[] {
  if (!structuredContent) return []
  if (isError) return checkToolError(structuredContent, checkBody)
  const operation = OPERATIONS.filter(hasTool).find((candidate) => candidate.tool.name === tool)
  return operation
    ? checkBody(schemaPointer(operation, 200, 'application/json'), structuredContent)
    : []
}

/** A problem, or a payment requirement. */
function checkToolError(content: Readonly<Record<string, unknown>>, checkBody: ValidateBody) {
  if (Array.isArray(content.accepts)) {
    return content.accepts.length > 0 && content.x402Version === 2
      ? []
      : ['an incomplete payment requirement']
  }
  return checkBody('/components/schemas/Problem', content).map((error) => `Problem:${error}`)
}
