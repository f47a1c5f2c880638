/** Messages of MCP: requests as they go over the wire, and whether the answers are results. */
import { ok, strictEqual } from 'node:assert'
import type { BenchResponse } from './http-load.js'
import { expectResponse } from './pay-replies.js'
import { httpRequestText } from './payment-requests.js'

/** The two eras of MCP that the endpoint serves. */
export type BenchMcpEra = 'modern' | 'legacy'

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Params {
  readonly name?: string
  readonly _meta?: object
}

export function mcpRequestText(era: BenchMcpEra, method: string, params: Params = {}): string {
  const { name, _meta } = params
  const isModern = era === 'modern'
  const full = isModern ? { ...params, _meta: { ..._meta, ...ENVELOPE } } : params
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: full })
  const headers = {
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'MCP-Protocol-Version': isModern ? '2026-07-28' : '2025-11-25',
    ...(isModern && { 'Mcp-Method': method, ...(name && { 'Mcp-Name': name }) }),
  }
  return httpRequestText('POST /mcp', headers, body)
}

/** An error has status 200 as well. */
export function expectToolResult(part: string, isError = false) {
  const verify = expectResponse(200, part)
  return (reply: BenchResponse): void => {
    verify(reply)
    ok(reply.body.includes('"result":'), reply.body)
    strictEqual(reply.body.includes('"isError":true'), isError, reply.body)
  }
}
