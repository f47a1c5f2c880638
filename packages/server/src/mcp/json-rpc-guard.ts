/** Which requests of browsers and programs the JSON-RPC endpoints answer. */
import {
  isJsonContentType,
  localhostAllowedHostnames,
  validateHostHeader,
} from '@modelcontextprotocol/server'
import { jsonRpcErrorResponse, SERVER_ERROR } from './json-rpc-error.js'

type CheckHeaders = (headers: Headers) => Response | null

/** The error response for pages of other sites, and for what is not JSON; null for the rest. */
export function createJsonRpcGuard(baseUrl: string): CheckHeaders {
  const checkOrigin = createOriginGuard(baseUrl)
  return (headers) => checkOrigin(headers) ?? checkContentType(headers)
}

function checkContentType(headers: Headers): Response | null {
  const isUncompressed = (headers.get('content-encoding') ?? 'identity') === 'identity'
  if (isUncompressed && isJsonContentType(headers.get('content-type'))) return null
  const detail = 'Send one JSON-RPC message, not compressed, with Content-Type: application/json.'
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
        `The Host header names another server. Use ${baseUrl}. Operators: set BASE_URL to the public URL and have the proxy forward Host.`,
      )
    }
    if (origin !== null && !isOwnOrigin(origin)) {
      return forbidden(`Pages of other sites cannot call this server. Use ${baseUrl}.`)
    }
    return null
  }
}

function forbidden(message: string): Response {
  return jsonRpcErrorResponse(403, SERVER_ERROR, message)
}
