/** Messages of MCP by hand, for what no client would send. */
import type { TestApp } from './test-app.js'

export const REVISION = '2026-07-28'
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const HOST = { host: 'mailgrade.example', 'content-type': 'application/json' }

/** A call as of 2025-11-25: nothing but the message. */
export function callMessage(name: string, given: object = {}, meta: object = {}) {
  const params = { name, arguments: given, _meta: meta }
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
}

/** The same as of 2026-07-28, with the headers that belong to it. */
export function modernCall(name: string, given: object = {}, meta: object = {}) {
  const headers = {
    'mcp-protocol-version': REVISION,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  return { headers, message: callMessage(name, given, { ...ENVELOPE, ...meta }) }
}

/** `fetch` for a client, straight into the application. */
export function fetchFrom(app: Pick<TestApp, 'request'>, host = HOST.host) {
  return (_: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('host', host)
    return app.request('/mcp', { ...init, headers })
  }
}

export function post(
  app: Pick<TestApp, 'request'>,
  message: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = JSON.stringify(message)
  return app.request('/mcp', { method: 'POST', headers: { ...HOST, ...headers }, body })
}
