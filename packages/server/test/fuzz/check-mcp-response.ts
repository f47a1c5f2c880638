/** What is wrong with an answer of the MCP endpoint. */
import { hasTool } from '../../src/operations/operation.js'
import { OPERATIONS } from '../../src/operations/operations.js'
import type { ValidateBody } from '../openapi/schema-validator.js'
import { schemaPointer } from '../openapi/served-openapi.js'
import type { FuzzRequest } from './fuzz-request.js'
import type { RawResponse } from './raw-http.js'
import { PROBLEM_JSON, tryParseJson } from './response-invariants.js'

const STATUSES = [200, 202, 204, 400, 403, 404, 405, 406, 413, 415]
const INTERNAL_ERROR = -32_603

interface RpcAnswer {
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
  plan: FuzzRequest,
  reply: RawResponse,
  checkBody: ValidateBody,
): string[] {
  if (!STATUSES.includes(reply.status)) return [`${reply.status} from /mcp`]
  // What was no HTTP to begin with gets its answer before anybody knows whom it was for.
  if (reply.body === '' || reply.headers.get('content-type') === PROBLEM_JSON) return []
  const answer = parseRpcResponse(reply)
  const { jsonrpc, result, error } = answer
  if (jsonrpc !== '2.0') return [`no JSON-RPC: ${reply.body.slice(0, 200)}`]
  if (error) return faultsInError(error)
  if (typeof result !== 'object') return ['neither a result nor an error']
  return faultsInResult(result, plan.resource, checkBody)
}

/** As JSON, or as a stream of one event. */
export function parseRpcResponse({ headers, body }: RawResponse): RpcAnswer {
  const isStream = headers.get('content-type') === 'text/event-stream'
  const text = isStream ? (/^data: (.+)$/m.exec(body)?.[1] ?? '') : body
  return Object(tryParseJson(text)) as RpcAnswer
}

function faultsInError({ code, message }: NonNullable<RpcAnswer['error']>): string[] {
  const isSound = Number.isInteger(code) && typeof message === 'string'
  return isSound && code !== INTERNAL_ERROR ? [] : [`an error ${code}: ${message}`]
}

function faultsInResult(
  { isError, structuredContent }: FuzzedToolResult,
  tool: string | null,
  checkBody: ValidateBody,
): string[] {
  if (!structuredContent) return []
  if (isError) return faultsInRefusal(structuredContent, checkBody)
  const operation = OPERATIONS.filter(hasTool).find((it) => it.tool.name === tool)
  return operation
    ? checkBody(schemaPointer(operation, 200, 'application/json'), structuredContent)
    : []
}

/** A problem, or a price. */
function faultsInRefusal(content: Readonly<Record<string, unknown>>, checkBody: ValidateBody) {
  if (Array.isArray(content.accepts)) {
    return content.accepts.length > 0 && content.x402Version === 2 ? [] : ['a price without offers']
  }
  return checkBody('/components/schemas/Problem', content).map((words) => `Problem:${words}`)
}
