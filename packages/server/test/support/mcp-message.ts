/** MCP messages written by hand, for what no client would send. */
import type { TestApp } from './test-app.js'

export const MCP_PROTOCOL_VERSION = '2026-07-28'
export const REQUEST_META = {
  'io.modelcontextprotocol/protocolVersion': MCP_PROTOCOL_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
}

export const MCP_REQUEST_HEADERS = { host: 'mailgrade.example', 'content-type': 'application/json' }

/** A tool call of revision 2025-11-25. */
export function toolCallMessage(name: string, input: object = {}, meta: object = {}) {
  const params = { name, arguments: input, _meta: meta }
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
}

/** A tool call of revision 2026-07-28, with its headers. */
export function modernToolCall(name: string, input: object = {}, meta: object = {}) {
  const headers = {
    'mcp-protocol-version': MCP_PROTOCOL_VERSION,
    'mcp-method': 'tools/call',
    'mcp-name': name,
  }
  return { headers, message: toolCallMessage(name, input, { ...REQUEST_META, ...meta }) }
}

/** A `fetch` for MCP clients that calls the application directly. */
export function createAppFetch(app: Pick<TestApp, 'request'>, host = MCP_REQUEST_HEADERS.host) {
  return (_: string | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers)
    headers.set('host', host)
    return app.request('/mcp', { ...init, headers })
  }
}

export function postMcpMessage(
  app: Pick<TestApp, 'request'>,
  message: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = JSON.stringify(message)
  return app.request('/mcp', {
    method: 'POST',
    headers: { ...MCP_REQUEST_HEADERS, ...headers },
    body,
  })
}
