/**
 * Whether a request was meant for us. A page in a browser can send requests to wherever a name
 * leads, and can have its own name lead to a machine that only the browser can reach (DNS
 * rebinding): such requests give themselves away by their Host or Origin (MCP 2026-07-28, transports).
 */
import {
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server'
import { REFUSED, rpcError } from './rpc-error.js'

export function doorkeeper(baseUrl: string): (headers: Headers) => Response | null {
  const { hostname } = new URL(baseUrl)
  const local = localhostAllowedHostnames()
  // One machine under three names.
  const ours = local.includes(hostname) ? local : [hostname]

  return function refuse(headers) {
    if (!validateHostHeader(headers.get('host'), ours).ok) {
      return refused(`The Host header names another server. This one answers at ${baseUrl}.`)
    }
    if (!validateOriginHeader(headers.get('origin'), ours).ok) {
      return refused(`Pages of other sites cannot call this server. It answers at ${baseUrl}.`)
    }
    return null
  }
}

function refused(message: string): Response {
  return rpcError(403, REFUSED, message)
}
