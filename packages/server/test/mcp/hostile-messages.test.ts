/** Bodies that are no message, or more than one, or none that asks for anything. */
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { REQUEST_META } from '../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  expectedRpcError,
  expectedRpcResult,
  expectNoSideEffects,
  headersForEra,
  PING_MESSAGE,
  PROTOCOL_ERAS,
  paramsForEra,
} from '../support/mcp-service-under-test.js'

const house = createMcpServiceUnderTest()
afterEach(() => expectNoSideEffects(house))

const ping = JSON.stringify(PING_MESSAGE)
const NOT_JSON = expectedRpcError(-32_700, null, 'The body is not JSON. Send one JSON-RPC message.')
const NO_MESSAGE = expectedRpcError(
  -32_600,
  null,
  'The body is JSON, but no message: it wants jsonrpc "2.0", a method, and objects as params and _meta.',
)
const BATCH = expectedRpcError(
  -32_600,
  null,
  'Batches are not taken. Send one message per request.',
)
const PONG = expectedRpcResult({})

describe.each(PROTOCOL_ERAS)('%s', (era) => {
  const headers = headersForEra(era, 'ping')

  test.each([
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
  ])('%s is no JSON', async (_, body) => {
    expect(await house.send(body, headers)).toEqual([400, NOT_JSON])
  })

  test.each([
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
  ])('%s is no message', async (body) => {
    expect(await house.send(body, headers)).toEqual([400, NO_MESSAGE])
  })

  test.each([
    '{"id":1,"method":"ping"}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":2.0,"id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","id":1,"method":["ping"]}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","extra":1}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"polluted":true}}',
  ])('nor is %s', async (body) => {
    const { error } = NO_MESSAGE
    expect(await house.send(body, headers)).toEqual([400, expect.objectContaining({ error })])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test.each([
    ['empty', []],
    ['of one', [PING_MESSAGE]],
    ['of hundreds', Array(500).fill(PING_MESSAGE)],
    ['of batches', [[PING_MESSAGE], [PING_MESSAGE]]],
    ['of notifications', [{ jsonrpc: '2.0', method: 'notifications/initialized' }]],
    ['of modern messages', [{ ...PING_MESSAGE, params: { _meta: REQUEST_META } }]],
  ])('a batch %s is refused', async (_, batch) => {
    expect(await house.send(JSON.stringify(batch), headers)).toEqual([400, BATCH])
  })

  test.each([65_535, 65_536])('a body of %i bytes is read', async (size) => {
    const body = sized(size, paramsForEra(era, {}), era === 'legacy' ? 'ping' : 'server/discover')
    const method = era === 'legacy' ? 'ping' : 'server/discover'
    const [status, answer] = await house.send(body, headersForEra(era, method))
    expect([status, answer]).toMatchObject([200, { id: 1, result: {} }])
  })

  test.each([65_537, 1_048_576])('a body of %i bytes is not', async (size) => {
    const tooLarge = expectedRpcError(-32_000, null)
    const body = sized(size, paramsForEra(era, {}), 'ping')
    expect(await house.send(body, headers)).toEqual([413, tooLarge])
    const told = { ...headers, 'content-length': String(size) }
    expect(await house.send(body, told)).toEqual([413, tooLarge])
  })
})

function sized(bytes: number, params: object, method: string): string {
  const text = JSON.stringify({ ...PING_MESSAGE, method, params: { ...params, x: '' } })
  return text.replace('"x":""', `"x":"${'y'.repeat(bytes - text.length)}"`)
}

test.each([
  ['with a BOM', `\ufeff${ping}`, PONG],
  ['with an id twice, the last counts', ping.replace('{', '{"id":7,'), PONG],
  ['with an empty id', ping.replace('"id":1', '"id":""'), expectedRpcResult({}, '')],
  [
    'with the largest id',
    ping.replace('"id":1', `"id":${2 ** 53 - 1}`),
    expectedRpcResult({}, 2 ** 53 - 1),
  ],
  [
    'with a script for an id',
    ping.replace('"id":1', '"id":"<script>"'),
    expectedRpcResult({}, '<script>'),
  ],
])('a message %s', async (_, body, pong) => {
  expect(await house.send(body)).toEqual([200, pong])
})
