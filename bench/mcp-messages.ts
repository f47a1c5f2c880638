/** Messages of MCP: requests as they go over the wire, and whether the answers are results. */
import { ok, strictEqual } from 'node:assert'
import type { Reply } from './pay-line.js'
import { verifyAnswer } from './pay-replies.js'
import { requestText } from './pay-requests.js'

/** The two eras of MCP that the endpoint serves. */
export type Era = 'modern' | 'legacy'

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

interface Params {
  readonly name?: string
  readonly _meta?: object
}

export function rpcText(era: Era, method: string, params: Params = {}): string {
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
  return requestText('POST /mcp', headers, body)
}

/** An error has status 200 as well. */
export function verifyResult(part: string, isError = false) {
  const verify = verifyAnswer(200, part)
  return (reply: Reply): void => {
    verify(reply)
    ok(reply.body.includes('"result":'), reply.body)
    strictEqual(reply.body.includes('"isError":true'), isError, reply.body)
  }
}
