/** Requests rejected because of their HTTP method or headers. */
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
  paramsForEra,
  readMcpReply,
} from '../support/mcp-service-under-test.js'

const service = createMcpServiceUnderTest()
afterEach(() => expectNoSideEffects(service))

const params = { name: 'pricing', arguments: {} }
const PRICING_HEADERS = headersForEra('modern', 'tools/call', params)
const PRICING = expectedRpcResult(expect.not.objectContaining({ isError: true }))

/** A modern call of `pricing` with some headers, `_meta` and arguments replaced. */
function callPricing(
  headers: Record<string, string | undefined>,
  meta: object = {},
  input: unknown = {},
) {
  const sent: Record<string, string> = {}
  for (const [name, value] of Object.entries({ ...PRICING_HEADERS, ...headers })) {
    if (value !== undefined) sent[name] = value
  }
  const _meta = { ...REQUEST_META, ...meta }
  const message = {
    ...PING_MESSAGE,
    method: 'tools/call',
    params: { ...params, arguments: input, _meta },
  }
  return service.send(message, sent)
}

describe('HTTP method', () => {
  const HOST = { host: 'mailgrade.example' }
  const ALLOW = 'POST, OPTIONS'

  test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])(
    'rejects %s with 405',
    async (method) => {
      const headers = { ...HOST, accept: 'text/event-stream', 'mcp-session-id': 'stale-1' }
      const response = await service.app.request('/mcp', { method, headers })
      expect(response.headers.get('allow')).toBe(ALLOW)
      const detail = `${method} is not allowed here; use POST.`
      expect(await readMcpReply(response)).toEqual([405, expectedRpcError(-32_000, null, detail)])
    },
  )

  test('rejects HEAD with 405 and no body', async () => {
    const response = await service.app.request('/mcp', { method: 'HEAD', headers: HOST })
    expect(response.headers.get('allow')).toBe(ALLOW)
    expect(await readMcpReply(response)).toEqual([405, null])
  })

  test('answers OPTIONS with the allowed methods and headers', async () => {
    const response = await service.app.request('/mcp', { method: 'OPTIONS', headers: HOST })
    expect(response.headers.get('allow')).toBe(ALLOW)
    expect(response.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version')
    expect(await readMcpReply(response)).toEqual([204, null])
  })

  test('ignores X-HTTP-Method-Override', async () => {
    const override = { 'x-http-method-override': 'POST' }
    const headers = { ...HOST, ...override, ...headersForEra('modern', 'ping') }
    const query = new URLSearchParams({
      message: JSON.stringify({ ...PING_MESSAGE, _meta: REQUEST_META }),
    })
    const response = await service.app.request(`/mcp?${query}`, { headers })
    expect((await readMcpReply(response))[0]).toBe(405)
  })
})

describe('Host and Origin', () => {
  const WRONG_HOST = expectedRpcError(
    -32_000,
    null,
    'The Host header names a different server. Use https://mailgrade.example. Operators: set BASE_URL to the public URL and have the proxy forward Host.',
  )
  const WRONG_ORIGIN = expectedRpcError(
    -32_000,
    null,
    'Pages on other sites cannot call this server. Use https://mailgrade.example.',
  )
  const TOOLS = expectedRpcResult(expect.objectContaining({ tools: expect.any(Array) }))

  describe.each(PROTOCOL_ERAS)('%s', (era) => {
    const method = 'tools/list'
    const listTools = (headers: Record<string, string>) =>
      service.send(
        { ...PING_MESSAGE, method, params: paramsForEra(era, {}) },
        { ...headersForEra(era, method), ...headers },
      )

    test.each([
      '',
      'evil.test',
      'localhost',
      '127.0.0.1',
      '[::1]',
      'mailgrade.example.',
      'mailgrade.example@evil.test',
      'mailgrade.example:443@evil.test',
      'mailgrade.example.evil.test',
      'evil-mailgrade.example',
      'xn--mailgrade.example',
      'mailgrade.example, evil.test',
      'mailgrade.example:99999',
      'http://mailgrade.example',
    ])('rejects the host %j', async (host) => {
      expect(await listTools({ host })).toEqual([403, WRONG_HOST])
    })

    test.each(['MAILGRADE.example', 'mailgrade.example:443'])(
      'accepts the host %j',
      async (host) => {
        expect(await listTools({ host })).toEqual([200, TOOLS])
      },
    )

    test.each([
      'null',
      'file://',
      'https://evil.test',
      'https://mailgrade.example.evil.test',
      'https://evil-mailgrade.example',
      'https://mailgrade.example@evil.test',
      'https://evil.test/https://mailgrade.example',
      'https://evil.test#mailgrade.example',
      'https://mailgrade.example, https://evil.test',
      'mailgrade.example',
      '//mailgrade.example',
      'http://localhost',
      'http://mailgrade.example',
      'https://mailgrade.example:8443',
      'file://mailgrade.example',
      'chrome-extension://mailgrade.example',
    ])('rejects the origin %j', async (origin) => {
      expect(await listTools({ origin })).toEqual([403, WRONG_ORIGIN])
    })

    test('accepts its own origin', async () => {
      expect(await listTools({ origin: 'https://mailgrade.example' })).toEqual([200, TOOLS])
    })
  })

  test('rejects a wrong host before it reads the body', async () => {
    const headers = { host: 'evil.test', 'content-type': 'text/plain' }
    expect(await service.send('{', headers)).toEqual([403, WRONG_HOST])
  })

  test('rejects a request without a host', async () => {
    const response = await service.app.request('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(PING_MESSAGE),
    })
    expect(await readMcpReply(response)).toEqual([403, WRONG_HOST])
  })
})

describe.each(PROTOCOL_ERAS)('Content-Type of a %s body', (era) => {
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
  ])('rejects %j with 415', async (type) => {
    const detail = 'Send one uncompressed JSON-RPC message with Content-Type: application/json.'
    const reply = await service.send('{', { ...headers, 'content-type': type })
    expect(reply).toEqual([415, expectedRpcError(-32_000, null, detail)])
  })

  test.each(['application/json;charset=utf-8', 'APPLICATION/JSON', 'application/json;'])(
    'accepts %j',
    async (type) => {
      const message = { ...PING_MESSAGE, method: 'tools/call', params: paramsForEra(era, params) }
      expect(await service.send(message, { ...headers, 'content-type': type })).toEqual([
        200,
        PRICING,
      ])
    },
  )
})

describe('MCP headers of a modern call', () => {
  test.each([
    ['no revision', { 'mcp-protocol-version': undefined }],
    ['no method', { 'mcp-method': undefined }],
    ['no tool', { 'mcp-name': undefined }],
    ['another revision', { 'mcp-protocol-version': '2025-11-25' }],
    ['an invalid revision', { 'mcp-protocol-version': '<script>' }],
    ['another method', { 'mcp-method': 'tools/list' }],
    ['the method in capitals', { 'mcp-method': 'TOOLS/CALL' }],
    ['another tool', { 'mcp-name': 'email_fix_plan' }],
    ['the tool in capitals', { 'mcp-name': 'PRICING' }],
    ['a tool in invalid base64', { 'mcp-name': '=?base64?###?=' }],
  ])('rejects %s, because headers must match the body', async (_, headers) => {
    const mismatch = { header: expect.any(String), body: expect.any(String) }
    const reply = expectedRpcErrorWithData({ mismatch }, -32_020)
    expect(await callPricing(headers)).toEqual([400, reply])
  })

  test.each(['2099-01-01', '2026-07-29', '2025-11-25', 'x', ''])(
    'rejects the unsupported revision %j and names the supported ones',
    async (requested) => {
      const version = { 'io.modelcontextprotocol/protocolVersion': requested }
      const data = { supported: [MCP_PROTOCOL_VERSION], requested }
      const reply = await callPricing({ 'mcp-protocol-version': requested }, version)
      expect(reply).toEqual([400, expectedRpcErrorWithData(data, -32_022)])
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
  ])('rejects the _meta value %s: %o', async (key, value) => {
    const reply = await callPricing({}, { [`io.modelcontextprotocol/${key}`]: value })
    const envelope = expect.objectContaining({ key: expect.stringContaining(key) })
    expect(reply).toEqual([400, expectedRpcErrorWithData({ envelope }, -32_602)])
  })

  test('rejects a call without _meta', async () => {
    const message = { ...PING_MESSAGE, method: 'tools/call', params }
    const missing = expectedRpcErrorWithData({ envelope: { missing: ['_meta'] } }, -32_602)
    expect(await service.send(message, PRICING_HEADERS)).toEqual([400, missing])
  })

  test.each([
    ['its tool in base64', { 'mcp-name': '=?base64?cHJpY2luZw==?=' }],
    ['a stale session id', { 'mcp-session-id': 'stale-1' }],
    ['Accept: text/html', { accept: 'text/html' }],
  ])('answers a call with %s', async (_, headers) => {
    expect(await callPricing(headers)).toEqual([200, PRICING])
  })
})

describe('headers of a legacy message', () => {
  test.each([
    ['*/*', 200],
    ['application/json', 200],
    ['APPLICATION/JSON, text/event-stream', 200],
    ['application/*;q=0.1', 200],
    ['text/event-stream', 406],
    ['text/html', 406],
    ['image/json', 406],
    ['nonsense', 406],
  ])('answers Accept: %s with %i', async (accept, status) => {
    const detail = 'We only respond with JSON. Send Accept: application/json.'
    const reply = status === 200 ? expectedRpcResult({}) : expectedRpcError(-32_000, 1, detail)
    expect(await service.send(PING_MESSAGE, { accept })).toEqual([status, reply])
  })

  test.each(['2025-11-25', '2025-06-18', '2025-03-26'])(
    'accepts the revision %s',
    async (version) => {
      const reply = await service.send(PING_MESSAGE, { 'mcp-protocol-version': version })
      expect(reply).toEqual([200, expectedRpcResult({})])
    },
  )

  test.each(['1999-01-01', '2025-06-19', ''])('rejects the revision %j', async (version) => {
    const [status, reply] = await service.send(PING_MESSAGE, { 'mcp-protocol-version': version })
    expect([status, reply]).toMatchObject([400, { error: { code: -32_000 } }])
  })
})

describe('headers and parameters both invalid: the headers are reported', () => {
  const INVALID_ARGUMENTS = [1]
  const UNKNOWN = '2099-01-01'

  test.each<[string, Record<string, string>, object, number]>([
    ['no tool', { 'mcp-name': '' }, {}, -32_020],
    ['another tool', { 'mcp-name': 'email_fix_plan' }, {}, -32_020],
    ['another method', { 'mcp-method': 'tools/list' }, {}, -32_020],
    ['another revision', { 'mcp-protocol-version': '2025-11-25' }, {}, -32_020],
    [
      'an unknown revision',
      { 'mcp-protocol-version': UNKNOWN },
      { 'io.modelcontextprotocol/protocolVersion': UNKNOWN },
      -32_022,
    ],
  ])('%s', async (_, headers, meta, code) => {
    const [status, reply] = await callPricing(headers, meta, INVALID_ARGUMENTS)
    expect([status, reply]).toMatchObject([400, { id: 1, error: { code } }])
  })

  test('an unknown revision of a legacy message', async () => {
    const invalid = { ...params, arguments: INVALID_ARGUMENTS }
    const message = { ...PING_MESSAGE, method: 'tools/call', params: invalid }
    const [status] = await service.send(message, { 'mcp-protocol-version': '1999-01-01' })
    expect(status).toBe(400)
  })
})
