/** What is wrong with a request's parameters, in words; the SDK tells what its validator says. */
import { isInitializeRequest, isJSONRPCRequest } from '@modelcontextprotocol/server'
import { INVALID_PARAMS, jsonRpcErrorResponse } from './json-rpc-error.js'
import type { JsonRpcMessage } from './json-rpc-message.js'

/** Null when nothing is. */
export function checkParams(message: JsonRpcMessage, isLegacy: boolean): Response | null {
  if (!isJSONRPCRequest(message)) return null
  const isGreeting = isLegacy && message.method === 'initialize'
  const isMisspoken = isGreeting && !isInitializeRequest(message)
  const fault = isMisspoken
    ? 'initialize needs protocolVersion, capabilities and clientInfo, as the protocol has them.'
    : faultInTools(message.method, message.params ?? {})
  // It is a message, and gets its answer as one.
  return fault === null ? null : jsonRpcErrorResponse(200, INVALID_PARAMS, fault, message.id)
}

function faultInTools(method: string, given: Readonly<Record<string, unknown>>): string | null {
  if (method === 'tools/list' && given.cursor !== undefined) {
    return 'There is one page of tools; leave cursor out.'
  }
  if (method !== 'tools/call') return null
  if (typeof given.name !== 'string') return 'params.name must be the name of a tool.'
  return given.arguments === undefined || isPlainObject(given.arguments)
    ? null
    : 'params.arguments must be an object with the parameters of the tool.'
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
