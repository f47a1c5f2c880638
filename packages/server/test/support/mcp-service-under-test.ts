/** Sends messages that no proper client sends, and checks the form of the replies. */

import { type TestZoneDns, zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect } from 'vitest'
import { MCP_PROTOCOL_VERSION, MCP_REQUEST_HEADERS, REQUEST_META } from './mcp-message.js'
import { CLOSED_PAYMENT_BACKEND, createTestApp, type TestApp } from './test-app.js'

export const PROTOCOL_ERAS = ['legacy', 'modern'] as const
export type ProtocolEra = (typeof PROTOCOL_ERAS)[number]
export type RequestHeaders = Record<string, string>
type Params = Readonly<Record<string, unknown>>

export const PING_MESSAGE = { jsonrpc: '2.0', id: 1, method: 'ping' }

/** Text that reveals how the service is built or what failed in it. */
const LEAKS = /\bat \S+ \(|\.[cm]?[jt]s:\d|node_modules|zod|hono|@modelcontextprotocol|ECONN|Error:/

export interface McpServiceUnderTest {
  readonly app: TestApp
  readonly dns: TestZoneDns
  send(body: BodyInit | object | null, headers?: RequestHeaders): Promise<McpReply>
  request(era: ProtocolEra, method: string, params?: Params): Promise<McpReply>
  callTool(era: ProtocolEra, name: unknown, input?: unknown, meta?: object): Promise<McpReply>
}

/** The status and the JSON body; null without a body. */
export type McpReply = [status: number, reply: unknown]

/** Live mode, practically without a rate limit. */
const ENV = {
  PAY_TO_ADDRESS: CLOSED_PAYMENT_BACKEND.terms.payTo,
  FACILITATOR_URL: 'http://127.0.0.1:9',
  RATE_LIMIT_PER_MINUTE: '1000000',
}

export function createMcpServiceUnderTest(): McpServiceUnderTest {
  const dns = zoneDns('acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1')
  const app = createTestApp(dns, { env: ENV })

  const send: McpServiceUnderTest['send'] = async (body, headers = {}) =>
    readMcpReply(
      await app.request('/mcp', {
        method: 'POST',
        headers: { ...MCP_REQUEST_HEADERS, ...headers },
        body: isMessage(body) ? JSON.stringify(body) : body,
      }),
    )
  const request: McpServiceUnderTest['request'] = (era, method, params = {}) =>
    send(
      { ...PING_MESSAGE, method, params: paramsForEra(era, params) },
      headersForEra(era, method, params),
    )
  const callTool: McpServiceUnderTest['callTool'] = (era, name, input, meta) =>
    request(era, 'tools/call', { name, arguments: input, ...(meta && { _meta: meta }) })
  return { app, dns, send, request, callTool }
}

function isMessage(body: BodyInit | object | null): body is object {
  return typeof body === 'object' && body !== null && !(body instanceof Uint8Array)
}

export function paramsForEra(era: ProtocolEra, params: Params): Params {
  const { _meta, ...others } = params
  return era === 'legacy' ? params : { ...others, _meta: { ...REQUEST_META, ...Object(_meta) } }
}

/** The MCP headers of a message; modern clients must repeat its contents. */
export function headersForEra(
  era: ProtocolEra,
  method: string,
  params: Params = {},
): RequestHeaders {
  if (era === 'legacy') return {}
  const { name } = params
  return {
    'mcp-protocol-version': MCP_PROTOCOL_VERSION,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': encodeHeaderValue(name) }),
  }
}

/** Base64 where a header cannot carry the text. */
function encodeHeaderValue(name: string): string {
  const isPlain = /^[\x21-\x7e]*$/.test(name)
  return isPlain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`
}

export async function readMcpReply(response: Response): Promise<McpReply> {
  const text = await response.text()
  expect(text + JSON.stringify([...response.headers])).not.toMatch(LEAKS)
  const type = response.headers.get('content-type')
  if (text === '') return [response.status, null]
  expect(type).toBe('application/json')
  const reply = JSON.parse(text)
  // A result or an error, and nothing else.
  expect([
    ['id', 'jsonrpc', 'result'],
    ['error', 'id', 'jsonrpc'],
  ]).toContainEqual(Object.keys(reply).sort())
  expect(reply.jsonrpc).toBe('2.0')
  const { content, structuredContent } = reply.result ?? {}
  // The text content repeats the structured content.
  if (structuredContent) {
    const texts = content.map(({ text }: { text: string }) => text)
    expect(texts).toContain(JSON.stringify(structuredContent))
  }
  return [response.status, reply]
}

/** A JSON-RPC error, with this message if given. */
export function expectedRpcError(
  code: number,
  id: unknown = 1,
  message: unknown = expect.any(String),
) {
  return { jsonrpc: '2.0', id, error: { code, message } }
}

/** A JSON-RPC error with data. */
export function expectedRpcErrorWithData(data: unknown, code: number, id: unknown = 1) {
  return { jsonrpc: '2.0', id, error: { code, message: expect.any(String), data } }
}

/** A tool result that is a problem. */
export function expectedProblemResult(code: string, detail: unknown): unknown {
  const problem = expect.objectContaining({
    type: `https://mailgrade.example/problems/${code.replaceAll('_', '-')}`,
    code,
    detail,
  })
  return expectedRpcResult(expect.objectContaining({ isError: true, structuredContent: problem }))
}

export function expectedRpcResult(result: unknown, id: unknown = 1): unknown {
  return { jsonrpc: '2.0', id, result }
}

/** No DNS query, no internal error, no payment. */
export function expectNoSideEffects({ app, dns }: McpServiceUnderTest): void {
  expect([dns.queries, app.faults, app.paymentOutcomes]).toEqual([[], [], []])
}

/** Nested arrays or objects. */
export function nestedJson(levels: number, open = '[', close = ']'): string {
  return open.repeat(levels) + (open === '[' ? '' : '1') + close.repeat(levels)
}
