/** Headers that are missing, odd, or at odds with the body. */
import { afterEach, describe, expect, test } from 'vitest'
import { MCP_PROTOCOL_VERSION, REQUEST_META } from '../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  expectedRpcError,
  expectedRpcErrorWithData,
  expectedRpcResult,
  expectNoSideEffects,
  headersForEra,
  PING_MESSAGE,
  PROTOCOL_ERAS,
  type RequestHeaders,
} from '../support/mcp-service-under-test.js'

const house = createMcpServiceUnderTest()
afterEach(() => expectNoSideEffects(house))

const params = { name: 'pricing', arguments: {} }
const HEADERS = headersForEra('modern', 'tools/call', params) as RequestHeaders
const PRICES = expectedRpcResult(expect.not.objectContaining({ isError: true }))

/** The call of a modern client, but for these headers and members of its envelope. */
function callWith(headers: Record<string, string | undefined>, meta: object = {}) {
  const kept = Object.entries({ ...HEADERS, ...headers }).filter(([, value]) => value !== undefined)
  const _meta = { ...REQUEST_META, ...meta }
  const message = { ...PING_MESSAGE, method: 'tools/call', params: { ...params, _meta } }
  return house.send(message, Object.fromEntries(kept) as RequestHeaders)
}

describe('a modern call', () => {
  test.each([
    ['without its revision', { 'mcp-protocol-version': undefined }],
    ['without its method', { 'mcp-method': undefined }],
    ['without its tool', { 'mcp-name': undefined }],
    ['of another revision', { 'mcp-protocol-version': '2025-11-25' }],
    ['of a revision that is none', { 'mcp-protocol-version': '<script>' }],
    ['of another method', { 'mcp-method': 'tools/list' }],
    ['of the method in capitals', { 'mcp-method': 'TOOLS/CALL' }],
    ['of another tool', { 'mcp-name': 'email_fix_plan' }],
    ['of the tool in capitals', { 'mcp-name': 'PRICING' }],
    ['of a tool in broken base64', { 'mcp-name': '=?base64?###?=' }],
  ])('%s in the headers is refused: they must say what the body says', async (_, headers) => {
    const mismatch = { header: expect.any(String), body: expect.any(String) }
    expect(await callWith(headers)).toEqual([400, expectedRpcErrorWithData({ mismatch }, -32_020)])
  })

  test.each(['2099-01-01', '2026-07-29', '2025-11-25', 'x', ''])(
    'of the revision %j, which we do not speak, hears which we do',
    async (requested) => {
      const version = { 'io.modelcontextprotocol/protocolVersion': requested }
      const data = { supported: [MCP_PROTOCOL_VERSION], requested }
      const answer = await callWith({ 'mcp-protocol-version': requested }, version)
      expect(answer).toEqual([400, expectedRpcErrorWithData(data, -32_022)])
    },
  )

  test.each([
    ['protocolVersion', 5],
    ['protocolVersion', null],
    ['clientCapabilities', undefined],
    ['clientCapabilities', null],
    ['clientCapabilities', 5],
    ['clientCapabilities', []],
    ['clientCapabilities', { elicitation: 5 }],
    ['clientInfo', null],
    ['clientInfo', {}],
    ['clientInfo', { name: 5, version: '1' }],
  ])('with a %s of %o is refused', async (key, value) => {
    const answer = await callWith({}, { [`io.modelcontextprotocol/${key}`]: value })
    const envelope = expect.objectContaining({ key: expect.stringContaining(key) })
    expect(answer).toEqual([400, expectedRpcErrorWithData({ envelope }, -32_602)])
  })

  test('without any envelope is refused', async () => {
    const message = { ...PING_MESSAGE, method: 'tools/call', params }
    const missing = expectedRpcErrorWithData({ envelope: { missing: ['_meta'] } }, -32_602)
    expect(await house.send(message, HEADERS)).toEqual([400, missing])
  })

  test.each([
    ['its tool in base64', { 'mcp-name': '=?base64?cHJpY2luZw==?=' }],
    ['a session of long ago', { 'mcp-session-id': 'stale-1' }],
    ['no wish for JSON', { accept: 'text/html' }],
  ])('with %s is answered', async (_, headers) => {
    expect(await callWith(headers)).toEqual([200, PRICES])
  })
})

describe('a legacy message', () => {
  test.each([
    ['*/*', 200],
    ['application/json', 200],
    ['APPLICATION/JSON, text/event-stream', 200],
    ['application/*;q=0.1', 200],
    ['text/event-stream', 406],
    ['text/html', 406],
    ['image/json', 406],
    ['nonsense', 406],
  ])('of a client that accepts %s: %i', async (accept, status) => {
    const words = 'The answer is JSON. Send Accept: application/json.'
    const answer = status === 200 ? expectedRpcResult({}) : expectedRpcError(-32_000, 1, words)
    expect(await house.send(PING_MESSAGE, { accept })).toEqual([status, answer])
  })

  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])('of %s', async (version) => {
    const answer = await house.send(PING_MESSAGE, { 'mcp-protocol-version': version })
    expect(answer).toEqual([200, expectedRpcResult({})])
  })

  test.each(['1999-01-01', '2025-06-19', ''])(
    'of %j, which never was, is refused',
    async (version) => {
      const [status, answer] = await house.send(PING_MESSAGE, { 'mcp-protocol-version': version })
      expect([status, answer]).toMatchObject([400, { error: { code: -32_000 } }])
    },
  )
})

describe.each(PROTOCOL_ERAS)('a %s body', (era) => {
  const headers = headersForEra(era, 'tools/call', params)

  test.each([
    '',
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json-patch+json',
    'application/json, text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ])('as %j is not read', async (type) => {
    const refusal =
      'Send one JSON-RPC message, not compressed, with Content-Type: application/json.'
    const answer = await house.send('{', { ...headers, 'content-type': type })
    expect(answer).toEqual([415, expectedRpcError(-32_000, null, refusal)])
  })

  test.each(['application/json;charset=utf-8', 'APPLICATION/JSON', 'application/json;'])(
    'as %j is',
    async (type) => {
      const all = { ...headers, 'content-type': type }
      const _meta = era === 'modern' ? REQUEST_META : {}
      const message = { ...PING_MESSAGE, method: 'tools/call', params: { ...params, _meta } }
      expect(await house.send(message, all)).toEqual([200, PRICES])
    },
  )
})
