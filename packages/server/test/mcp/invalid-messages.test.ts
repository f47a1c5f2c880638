/** Bodies that are not a JSON-RPC request: rejected, or accepted without any effect. */
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { REQUEST_META } from '../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  expectedRpcError,
  expectedRpcResult,
  expectNoSideEffects,
  headersForEra,
  nestedJson,
  PING_MESSAGE,
  PROTOCOL_ERAS,
  paramsForEra,
} from '../support/mcp-service-under-test.js'

const service = createMcpServiceUnderTest()
afterEach(() => {
  expectNoSideEffects(service)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

const ping = JSON.stringify(PING_MESSAGE)
const PONG = expectedRpcResult({})
const NOT_JSON_RPC =
  'The body is JSON, but not a JSON-RPC message. Send jsonrpc "2.0" and a method; params and _meta must be objects.'
const LIMITS = 'The message has more than 1000 values or 64 levels.'

const NOT_JSON: [string, BodyInit | null][] = [
  ['nothing', ''],
  ['no body', null],
  ['blanks', ' \r\n'],
  ['half a message', ping.slice(0, -1)],
  ['two messages', ping + ping],
  ['JavaScript', "{jsonrpc:'2.0'}"],
  ['a form', 'jsonrpc=2.0&id=1&method=ping'],
  ['UTF-16', new Uint8Array(Buffer.from(`\ufeff${ping}`, 'utf16le'))],
  ['gzip', new Uint8Array(gzipSync(ping))],
  ['10,000 brackets', '['.repeat(10_000)],
]

const WITHOUT_USABLE_ID = [
  'null',
  '5',
  '"ping"',
  'true',
  '{}',
  '{"method":"ping"}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","method":5}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":{},"method":"ping"}',
  '{"jsonrpc":"2.0","id":[1],"method":"ping"}',
  '{"jsonrpc":"2.0","id":true,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
  '{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}',
  '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}',
]

const WITH_ID = [
  '{"id":1,"method":"ping"}',
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '{"jsonrpc":2.0,"id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"2.0","id":1,"method":["ping"]}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":5}}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"polluted":true}}',
]

const BATCHES: [string, unknown[]][] = [
  ['empty', []],
  ['of one', [PING_MESSAGE]],
  ['of hundreds', Array(500).fill(PING_MESSAGE)],
  ['of batches', [[PING_MESSAGE], [PING_MESSAGE]]],
  ['of notifications', [{ jsonrpc: '2.0', method: 'notifications/initialized' }]],
  ['of modern messages', [{ ...PING_MESSAGE, params: { _meta: REQUEST_META } }]],
]

const notJson = expectedRpcError(-32_700, null, 'The body is not JSON. Send one JSON-RPC message.')
const batch = expectedRpcError(
  -32_600,
  null,
  'We do not support batches. Send one message per request.',
)
const REJECTED: [string, BodyInit | null, object][] = [
  ...NOT_JSON.map(([name, body]): [string, BodyInit | null, object] => [name, body, notJson]),
  ...WITHOUT_USABLE_ID.map((body): [string, string, object] => [
    body,
    body,
    expectedRpcError(-32_600, null, NOT_JSON_RPC),
  ]),
  ...WITH_ID.map((body): [string, string, object] => [
    body,
    body,
    expectedRpcError(-32_600, 1, NOT_JSON_RPC),
  ]),
  ...BATCHES.map(([name, messages]): [string, string, object] => [
    `a batch ${name}`,
    JSON.stringify(messages),
    batch,
  ]),
]

describe.each(PROTOCOL_ERAS)('%s body', (era) => {
  const headers = headersForEra(era, 'ping')

  test.each(REJECTED)('rejects %s with 400', async (_, body, reply) => {
    expect(await service.send(body, headers)).toEqual([400, reply])
  })

  test.each([65_535, 65_536])('accepts %i bytes', async (size) => {
    const method = era === 'legacy' ? 'ping' : 'server/discover'
    const body = bodyOfSize(size, paramsForEra(era, {}), method)
    const [status, reply] = await service.send(body, headersForEra(era, method))
    expect([status, reply]).toMatchObject([200, { id: 1, result: {} }])
  })

  test.each([65_537, 1_048_576])('rejects %i bytes with 413', async (size) => {
    const tooLarge = [413, expectedRpcError(-32_000, null, 'The body must be at most 64 KB.')]
    const body = bodyOfSize(size, paramsForEra(era, {}), 'ping')
    expect(await service.send(body, headers)).toEqual(tooLarge)
    const withLength = { ...headers, 'content-length': String(size) }
    expect(await service.send(body, withLength)).toEqual(tooLarge)
  })
})

function bodyOfSize(bytes: number, params: object, method: string): string {
  const text = JSON.stringify({ ...PING_MESSAGE, method, params: { ...params, x: '' } })
  return text.replace('"x":""', `"x":"${'y'.repeat(bytes - text.length)}"`)
}

test.each([
  ['a BOM', `\ufeff${ping}`, PONG],
  ['two ids, the last of which counts', ping.replace('{', '{"id":7,'), PONG],
  ['an empty id', ping.replace('"id":1', '"id":""'), expectedRpcResult({}, '')],
  [
    'the largest id',
    ping.replace('"id":1', `"id":${2 ** 53 - 1}`),
    expectedRpcResult({}, 2 ** 53 - 1),
  ],
  [
    'a script as its id',
    ping.replace('"id":1', '"id":"<script>"'),
    expectedRpcResult({}, '<script>'),
  ],
])('answers a message with %s', async (_, body, pong) => {
  expect(await service.send(body)).toEqual([200, pong])
})

test('ignores a stale session id, because there are no sessions', async () => {
  expect(await service.send(PING_MESSAGE, { 'mcp-session-id': 'stale-1' })).toEqual([200, PONG])
})

describe('depth and number of values', () => {
  const deep = nestedJson(8_000, '{"a":', '}')
  const many = JSON.stringify(Array(1_001).fill(1))

  test('rejects deeply nested capabilities of a modern client without an internal error', async () => {
    const capabilities = `"io.modelcontextprotocol/clientCapabilities":{"elicitation":${deep}}`
    const meta = JSON.stringify(REQUEST_META).replace(/"[^"]*clientCapabilities":{}/, capabilities)
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${meta}}}`
    expect((await service.send(body, headersForEra('modern', 'tools/list')))[0]).toBe(400)
  })

  test.each([
    `"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"},"capabilities":{"elicitation":${deep}}}`,
    `"result":{"x":${deep}}`,
    `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1","icons":${many}}}`,
    `"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1","icons":${many}}}}`,
    `"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":${many}}}`,
  ])('rejects a legacy message beyond the limits: %#', async (members) => {
    const reply = await service.send(`{"jsonrpc":"2.0","id":1,${members}}`)
    expect(JSON.stringify(reply)).not.toContain('RangeError')
    expect(reply).toEqual([400, expectedRpcError(-32_600, 1, LIMITS)])
  })
})

describe('notifications and responses', () => {
  const NOTIFICATIONS: [string, Record<string, unknown>][] = [
    ['notifications/initialized', {}],
    ['notifications/cancelled', { requestId: 1 }],
    ['notifications/cancelled', { requestId: {} }],
    ['notifications/nonsense', { x: 1 }],
    ['constructor', {}],
    ['tools/call', { name: 'check_domain_email_security', arguments: { domain: 'acme.test' } }],
    ['tools/call', { name: 'email_fix_plan', arguments: { domain: 'acme.test' } }],
  ]

  describe.each(PROTOCOL_ERAS)('%s', (era) => {
    test.each(NOTIFICATIONS)(
      'accepts and ignores the notification %s %o',
      async (method, params) => {
        const message = { jsonrpc: '2.0', method, params: paramsForEra(era, params) }
        expect(await service.send(message, headersForEra(era, method, params))).toEqual([202, null])
      },
    )
  })

  test.each([
    { id: 1, result: {} },
    { id: 'x', error: { code: 1, message: 'no' } },
    { error: { code: 1, message: 'no' } },
  ])('accepts and ignores the response %o', async (response) => {
    expect(await service.send({ jsonrpc: '2.0', ...response })).toEqual([202, null])
  })

  test('accepts a response from a modern client', async () => {
    const [, reply] = await service.send(
      { jsonrpc: '2.0', id: 1, result: {} },
      headersForEra('modern', 'x'),
    )
    expect(JSON.stringify(reply)).not.toContain('Unsupported protocol version')
  })
})

describe('subscriptions', () => {
  const method = 'subscriptions/listen'

  test.each([{}, { toolsListChanged: true }, { resourceSubscriptions: ['file:///etc/passwd'] }])(
    'completes a subscription to %o at once, because nothing changes',
    async (notifications) => {
      const response = await service.app.request('/mcp', {
        method: 'POST',
        headers: {
          host: 'mailgrade.example',
          'content-type': 'application/json',
          ...headersForEra('modern', method),
        },
        body: JSON.stringify({
          ...PING_MESSAGE,
          method,
          params: paramsForEra('modern', { notifications }),
        }),
      })
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      const events = (await response.text()).matchAll(/^data: (.*)$/gm)
      expect([...events].map(([, data = '']) => JSON.parse(data))).toEqual([
        expect.objectContaining({ method: 'notifications/subscriptions/acknowledged' }),
        expectedRpcResult(expect.objectContaining({ resultType: 'complete' })),
      ])
    },
  )

  test.each([undefined, null, 5, [], 'x'])(
    'rejects a subscription to %o',
    async (notifications) => {
      const reply = await service.request('modern', method, { notifications })
      expect(reply).toEqual([200, expectedRpcError(-32_602)])
    },
  )
})
