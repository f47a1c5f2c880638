/**
 * Whether a request was meant for us. A page in a browser can send requests to wherever a name
 * leads, and can have its own name lead to a machine that only the browser can reach (DNS
 * rebinding): such requests give themselves away by their Host or Origin (MCP 2026-07-28, transports).
 */
import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server'
import { jsonRpcErrorResponse, SERVER_ERROR } from './json-rpc-error.js'

export function createOriginGuard(baseUrl: string): (headers: Headers) => Response | null {
  const base = new URL(baseUrl)
  const local = localhostAllowedHostnames()
  const isLocal = local.includes(base.hostname)
  // One machine under three names, with pages at any port.
  const hosts = isLocal ? local : [base.hostname]

  function isOurPage(origin: string): boolean {
    if (!URL.canParse(origin)) return false
    const page = new URL(origin)
    return isLocal ? hosts.includes(page.hostname) : page.origin === base.origin
  }

  return function refuse(headers) {
    const origin = headers.get('origin')
    if (!validateHostHeader(headers.get('host'), hosts).ok) {
      return refused(
        `The Host header names another server. This one answers at ${baseUrl}; whoever runs it sets that address as BASE_URL, and a proxy before it must pass Host on.`,
      )
    }
    if (origin !== null && !isOurPage(origin)) {
      return refused(`Pages of other sites cannot call this server. It answers at ${baseUrl}.`)
    }
    return null
  }
}

function refused(message: string): Response {
  return jsonRpcErrorResponse(403, SERVER_ERROR, message)
}
