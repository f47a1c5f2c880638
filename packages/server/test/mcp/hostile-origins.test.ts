/** Who is let in: by the right method, to the right host, from no other site. */
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
  readMcpReply,
} from '../support/mcp-service-under-test.js'

const house = createMcpServiceUnderTest()
afterEach(() => expectNoSideEffects(house))

const WRONG_HOST = expectedRpcError(
  -32_000,
  null,
  'The Host header names another server. This one answers at https://mailgrade.example; whoever runs it sets that address as BASE_URL, and a proxy before it must pass Host on.',
)
const WRONG_SITE = expectedRpcError(
  -32_000,
  null,
  'Pages of other sites cannot call this server. It answers at https://mailgrade.example.',
)

describe.each(PROTOCOL_ERAS)('%s', (era) => {
  const method = 'tools/list'
  const list = (headers: Record<string, string>) =>
    house.send(
      { ...PING_MESSAGE, method, params: paramsForEra(era, {}) },
      { ...headersForEra(era, method), ...headers },
    )
  const tools = expectedRpcResult(expect.objectContaining({ tools: expect.any(Array) }))

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
  ])('the host %j is not us', async (host) => {
    expect(await list({ host })).toEqual([403, WRONG_HOST])
  })

  test.each(['MAILGRADE.example', 'mailgrade.example:443'])('the host %j is', async (host) => {
    expect(await list({ host })).toEqual([200, tools])
  })

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
  ])('a page of %j is not ours', async (origin) => {
    expect(await list({ origin })).toEqual([403, WRONG_SITE])
  })

  test('a page of ours is', async () => {
    expect(await list({ origin: 'https://mailgrade.example' })).toEqual([200, tools])
  })
})

test('a stranger hears nothing of what was wrong with the body', async () => {
  const stranger = { host: 'evil.test', 'content-type': 'text/plain' }
  expect(await house.send('{', stranger)).toEqual([403, WRONG_HOST])
})

test('a request without any host is not for us', async () => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
  const response = await house.app.request('/mcp', { ...init, body: JSON.stringify(PING_MESSAGE) })
  expect(await readMcpReply(response)).toEqual([403, WRONG_HOST])
})

const HOST = { host: 'mailgrade.example' }
const ALLOW = 'POST, OPTIONS'

test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])('%s does not apply', async (method) => {
  const headers = { ...HOST, accept: 'text/event-stream', 'mcp-session-id': 'stale-1' }
  const response = await house.app.request('/mcp', { method, headers })
  expect(response.headers.get('allow')).toBe(ALLOW)
  const words = `${method} does not apply here; use ${ALLOW}.`
  expect(await readMcpReply(response)).toEqual([405, expectedRpcError(-32_000, null, words)])
})

test('nor does HEAD, which has no body to say so', async () => {
  const response = await house.app.request('/mcp', { method: 'HEAD', headers: HOST })
  expect(response.headers.get('allow')).toBe(ALLOW)
  expect(await readMcpReply(response)).toEqual([405, null])
})

test('OPTIONS tells what does', async () => {
  const response = await house.app.request('/mcp', { method: 'OPTIONS', headers: HOST })
  expect(response.headers.get('allow')).toBe(ALLOW)
  expect(response.headers.get('access-control-allow-headers')).toContain('MCP-Protocol-Version')
  expect(await readMcpReply(response)).toEqual([204, null])
})

test('a method by another name stays what it is', async () => {
  const headers = { ...HOST, 'x-http-method-override': 'POST', ...headersForEra('modern', 'ping') }
  const query = new URLSearchParams({
    message: JSON.stringify({ ...PING_MESSAGE, _meta: REQUEST_META }),
  })
  const response = await house.app.request(`/mcp?${query}`, { headers })
  expect((await readMcpReply(response))[0]).toBe(405)
})
