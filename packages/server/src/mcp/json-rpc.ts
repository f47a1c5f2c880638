/** Which requests of browsers and programs the JSON-RPC endpoints answer, and their messages. */
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isJsonContentType,
  type JSONRPCNotification,
  type JSONRPCRequest,
  localhostAllowedHostnames,
  validateHostHeader,
} from '@modelcontextprotocol/server'
import {
  INVALID_REQUEST,
  jsonRpcErrorResponse,
  PARSE_ERROR,
  SERVER_ERROR,
} from './json-rpc-error.js'

type CheckHeaders = (headers: Headers) => Response | null

/** The error response for pages of other sites, and for what is not JSON; null for the rest. */
export function createJsonRpcGuard(baseUrl: string): CheckHeaders {
  const checkOrigin = createOriginGuard(baseUrl)
  return (headers) => checkOrigin(headers) ?? checkContentType(headers)
}

function checkContentType(headers: Headers): Response | null {
  const isUncompressed = (headers.get('content-encoding') ?? 'identity') === 'identity'
  if (isUncompressed && isJsonContentType(headers.get('content-type'))) return null
  const detail = 'Send one uncompressed JSON-RPC message with Content-Type: application/json.'
  return jsonRpcErrorResponse(415, SERVER_ERROR, detail)
}

/**
 * Protects against DNS rebinding: a web page can point its own domain at a server that only the
 * browser can reach. Host and Origin reveal such requests (MCP 2026-07-28, transports).
 */
function createOriginGuard(baseUrl: string): CheckHeaders {
  const base = new URL(baseUrl)
  const local = localhostAllowedHostnames()
  const isLocal = local.includes(base.hostname)
  // localhost has three names, and pages may use any port.
  const hosts = isLocal ? local : [base.hostname]

  function isOwnOrigin(origin: string): boolean {
    if (!URL.canParse(origin)) return false
    const page = new URL(origin)
    return isLocal ? hosts.includes(page.hostname) : page.origin === base.origin
  }

  return function checkOrigin(headers) {
    const origin = headers.get('origin')
    if (!validateHostHeader(headers.get('host'), hosts).ok) {
      return forbidden(
        `The Host header names a different server. Use ${baseUrl}. Operators: set BASE_URL to the public URL and have the proxy forward Host.`,
      )
    }
    if (origin !== null && !isOwnOrigin(origin)) {
      return forbidden(`Pages on other sites cannot call this server. Use ${baseUrl}.`)
    }
    return null
  }
}

function forbidden(message: string): Response {
  return jsonRpcErrorResponse(403, SERVER_ERROR, message)
}

/**
 * No useful message has 12 levels or 300 values. The SDK traverses some messages recursively, and
 * its validator reports every invalid value.
 */
const MAX_DEPTH = 64
const MAX_VALUES = 1_000

const NOT_JSON_RPC =
  'The body is JSON, but not a JSON-RPC message. Send jsonrpc "2.0" and a method; params and _meta must be objects.'

export type JsonRpcMessage = JSONRPCRequest | JSONRPCNotification

type ParsedJsonRpcMessage =
  | { readonly kind: 'message'; readonly message: JsonRpcMessage }
  /** To a request of the server; this server sends none. */
  | { readonly kind: 'response' }
  | { readonly kind: 'rejected'; readonly response: Response }

/** Parses a body as one JSON-RPC message, or returns the error response. */
export function parseJsonRpcMessage(text: string): ParsedJsonRpcMessage {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return rejected(PARSE_ERROR, 'The body is not JSON. Send one JSON-RPC message.')
  }
  if (Array.isArray(json)) {
    return rejected(INVALID_REQUEST, 'We do not support batches. Send one message per request.')
  }
  if (exceedsLimits(json)) {
    const limits = `${MAX_VALUES} values or ${MAX_DEPTH} levels`
    return rejected(INVALID_REQUEST, `The message has more than ${limits}.`, jsonRpcId(json))
  }
  if (isJSONRPCResponse(json)) return { kind: 'response' }
  if (!isJSONRPCRequest(json) && !isJSONRPCNotification(json)) {
    return rejected(INVALID_REQUEST, NOT_JSON_RPC, jsonRpcId(json))
  }
  return { kind: 'message', message: json }
}

function rejected(
  code: number,
  message: string,
  id: string | number | null = null,
): ParsedJsonRpcMessage {
  return { kind: 'rejected', response: jsonRpcErrorResponse(400, code, message, id) }
}

/** Level by level: a body could be too deep for a recursive function. */
function exceedsLimits(json: unknown): boolean {
  let level = [json]
  let values = 0
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length
    if (depth > MAX_DEPTH || values > MAX_VALUES) return true
    level = level.flatMap((value) => (isObject(value) ? Object.values(value) : []))
  }
  return false
}

/** Null where there is no usable id. */
export function jsonRpcId(json: unknown): string | number | null {
  if (!isObject(json) || !('id' in json)) return null
  const { id } = json
  if (typeof id === 'string') return id
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
