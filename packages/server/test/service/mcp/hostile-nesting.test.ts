/** What a library below us would have got wrong, or told in its own words. */
import net from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { REQUEST_META } from '../../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  expectedRpcError,
  expectNoSideEffects,
  headersForEra,
  type McpServiceUnderTest,
  nestedJson,
  PING_MESSAGE,
  PROTOCOL_ERAS,
  paramsForEra,
} from '../../support/mcp-service-under-test.js'
import { startServiceProcess } from '../../support/service-process.js'

let house: McpServiceUnderTest
beforeEach(() => {
  house = createMcpServiceUnderTest()
})

const objects = nestedJson(8_000, '{"a":', '}')

describe('objects in one another without end', () => {
  test('for the capabilities of a modern client are refused, and no fault of ours', async () => {
    const capabilities = `"io.modelcontextprotocol/clientCapabilities":{"elicitation":${objects}}`
    const meta = JSON.stringify(REQUEST_META).replace(/"[^"]*clientCapabilities":{}/, capabilities)
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":${meta}}}`
    const [status] = await house.send(body, headersForEra('modern', 'tools/list'))
    expect(status).toBe(400)
    expectNoSideEffects(house)
  })

  test.each([
    `"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"},"capabilities":{"elicitation":${objects}}}`,
    `"id":1,"result":{"x":${objects}}`,
  ])('in a legacy message do not bring to light what broke in us', async (members) => {
    const [, answer] = await house.send(`{"jsonrpc":"2.0",${members}}`)
    expect(JSON.stringify(answer)).not.toContain('RangeError')
  })
})

describe('values without number, each of them wrong', () => {
  const many = JSON.stringify(Array(1_001).fill(1))

  test.each([
    `"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1","icons":${many}}}`,
    `"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1","icons":${many}}}}`,
    `"method":"subscriptions/listen","params":{"notifications":{"resourceSubscriptions":${many}}}`,
  ])('are not looked at one by one: %#', async (members) => {
    const words = 'The message has more than 1000 values or 64 levels.'
    const answer = await house.send(`{"jsonrpc":"2.0","id":1,${members}}`)
    expect(answer).toEqual([400, expectedRpcError(-32_600, 1, words)])
    expectNoSideEffects(house)
  })
})

describe.each(PROTOCOL_ERAS)('%s', (era) => {
  test.each([
    ['tools/list', { cursor: 5 }],
    ['tools/call', {}],
    ['tools/call', { name: 5 }],
    ['tools/call', { name: 'pricing', arguments: [] }],
  ])('what is wrong with the params of %s %o is said in words', async (method, params) => {
    const words = expect.not.stringMatching(/invalid_type|[\n{[]/)
    expect(await house.request(era, method, params)).toEqual([
      200,
      expectedRpcError(-32_602, 1, words),
    ])
  })

  test.each([
    { ...PING_MESSAGE, jsonrpc: '1.0' },
    { ...PING_MESSAGE, params: null },
    { ...PING_MESSAGE, extra: 1 },
    { ...PING_MESSAGE, params: { _meta: 5 } },
  ])('%o is answered to its id, which can be read', async (message) => {
    const [status, answer] = await house.send(message, headersForEra(era, 'ping'))
    expect([status, answer]).toMatchObject([400, { id: 1, error: { code: -32_600 } }])
  })

  test.each([
    'http://mailgrade.example',
    'https://mailgrade.example:8443',
    'file://mailgrade.example',
    'chrome-extension://mailgrade.example',
  ])('a page of %s is of another origin', async (origin) => {
    const headers = { ...headersForEra(era, 'tools/list'), origin }
    const message = { ...PING_MESSAGE, method: 'tools/list', params: paramsForEra(era, {}) }
    expect(await house.send(message, headers)).toEqual([403, expectedRpcError(-32_000, null)])
  })
})

test('initialize without params is the caller’s mistake, not ours', async () => {
  const [, answer] = await house.send({ ...PING_MESSAGE, method: 'initialize' })
  expect(answer).toEqual(
    expectedRpcError(-32_602, 1, expect.not.stringMatching(/invalid_type|[\n{[]/)),
  )
})

test('a response by a modern client is not refused for a revision that we speak', async () => {
  const [, answer] = await house.send(
    { jsonrpc: '2.0', id: 1, result: {} },
    headersForEra('modern', 'x'),
  )
  expect(JSON.stringify(answer)).not.toContain('Unsupported protocol version')
})

test('a body that breaks off is no fault of ours, and not logged as one', async () => {
  const service = await startServiceProcess({ BASE_URL: 'https://mailgrade.example' })
  try {
    // The first message wakes what answers; the second breaks off.
    await fetch(`${service.url}/mcp`, { method: 'POST' })
    const socket = net.connect(Number(new URL(service.url).port), '127.0.0.1')
    const head = 'POST /mcp HTTP/1.1\r\nHost: mailgrade.example\r\nContent-Type: application/json'
    socket.end(`${head}\r\nContent-Length: 100\r\n\r\n${JSON.stringify(PING_MESSAGE)}`)
    const logAfter = () => service.output.stdout.split('"isAborted":true')[1] ?? ''
    while (!/healthz[\s\S]*healthz/.test(logAfter())) await fetch(`${service.url}/healthz`)
    expect(logAfter()).not.toContain('"msg":"internal error"')
  } finally {
    service.process.kill('SIGKILL')
  }
})
