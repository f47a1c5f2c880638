/** A body as a message of JSON-RPC, or the error that it gets. */
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCNotification,
  type JSONRPCRequest,
} from '@modelcontextprotocol/server'
import { INVALID_REQUEST, PARSE_ERROR, rpcError } from './rpc-error.js'

/** No message of ours goes deeper than a dozen; the SDK looks into some by recursion. */
const MAX_DEPTH = 64

export type Sent = JSONRPCRequest | JSONRPCNotification

export type Message =
  | { readonly kind: 'message'; readonly message: Sent }
  /** To a question that we never ask. */
  | { readonly kind: 'response' }
  | { readonly kind: 'refused'; readonly response: Response }

export function readMessage(text: string): Message {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return refused(PARSE_ERROR, 'The body is not JSON. Send one JSON-RPC message.')
  }
  if (Array.isArray(json)) {
    return refused(INVALID_REQUEST, 'Batches are not taken. Send one message per request.')
  }
  if (isDeep(json)) {
    return refused(INVALID_REQUEST, `The message is nested more than ${MAX_DEPTH} levels deep.`)
  }
  if (isJSONRPCResponse(json)) return { kind: 'response' }
  if (!isJSONRPCRequest(json) && !isJSONRPCNotification(json)) {
    return refused(INVALID_REQUEST, 'The body is JSON, but no message of JSON-RPC 2.0.', idOf(json))
  }
  return { kind: 'message', message: json }
}

function refused(code: number, message: string, id?: string | number | null): Message {
  return { kind: 'refused', response: rpcError(400, code, message, id) }
}

/** Level by level: what comes in a body could be too deep for a function that calls itself. */
function isDeep(json: unknown): boolean {
  let level = [json]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((value) => (isObject(value) ? Object.values(value) : []))
  }
  return false
}

function idOf(json: unknown): string | number | null {
  const { id } = Object(json) as { id?: unknown }
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
