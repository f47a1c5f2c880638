/** A body as a message of JSON-RPC, or the error that it gets. */
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCNotification,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server'
import { INVALID_REQUEST, jsonRpcErrorResponse, PARSE_ERROR } from './json-rpc-error.js'

/**
 * No message that we have a use for is nested a dozen deep, or has 300 values. The SDK looks into
 * some by recursion, and its validator takes note of every value that is wrong.
 */
const MAX_DEPTH = 64
const MAX_VALUES = 1_000

const NO_MESSAGE =
  'The body is JSON, but no message: it wants jsonrpc "2.0", a method, and objects as params and _meta.'

export type JsonRpcMessage = JSONRPCRequest | JSONRPCNotification

export type ParsedJsonRpcMessage =
  | { readonly kind: 'message'; readonly message: JsonRpcMessage }
  /** To a question that we never ask. */
  | { readonly kind: 'response' }
  | { readonly kind: 'refused'; readonly response: Response }

export function parseJsonRpcMessage(text: string): ParsedJsonRpcMessage {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return refused(PARSE_ERROR, 'The body is not JSON. Send one JSON-RPC message.')
  }
  if (Array.isArray(json)) {
    return refused(INVALID_REQUEST, 'Batches are not taken. Send one message per request.')
  }
  if (isSprawling(json)) {
    const limits = `${MAX_VALUES} values or ${MAX_DEPTH} levels`
    return refused(INVALID_REQUEST, `The message has more than ${limits}.`, jsonRpcId(json))
  }
  if (isJSONRPCResponse(json)) return { kind: 'response' }
  if (!isJSONRPCRequest(json) && !isJSONRPCNotification(json)) {
    return refused(INVALID_REQUEST, NO_MESSAGE, jsonRpcId(json))
  }
  return { kind: 'message', message: json }
}

function refused(code: number, message: string, id?: string | number | null): ParsedJsonRpcMessage {
  return { kind: 'refused', response: jsonRpcErrorResponse(400, code, message, id) }
}

/** Level by level: what comes in a body could be too deep for a function that calls itself. */
function isSprawling(json: unknown): boolean {
  let level = [json]
  let values = 0
  for (let depth = 0; level.length > 0; depth++) {
    values += level.length
    if (depth > MAX_DEPTH || values > MAX_VALUES) return true
    level = level.flatMap((value) => (isObject(value) ? Object.values(value) : []))
  }
  return false
}

export function jsonRpcId(json: unknown): string | number | null {
  const { id } = Object(json) as { id?: unknown }
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
