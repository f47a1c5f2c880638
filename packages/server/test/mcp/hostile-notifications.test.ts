/** What asks for nothing: it is taken, and nothing is done. */
import { afterEach, describe, expect, test } from 'vitest'
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

describe.each(PROTOCOL_ERAS)('%s', (era) => {
  test.each([
    ['notifications/initialized', {}],
    ['notifications/cancelled', { requestId: 1 }],
    ['notifications/cancelled', { requestId: {} }],
    ['notifications/nonsense', { x: 1 }],
    ['constructor', {}],
    ['tools/call', { name: 'check_domain_email_security', arguments: { domain: 'acme.test' } }],
    ['tools/call', { name: 'email_fix_plan', arguments: { domain: 'acme.test' } }],
  ])('the notification %s %o is taken and left at that', async (method, params) => {
    const message = { jsonrpc: '2.0', method, params: paramsForEra(era, params) }
    expect(await house.send(message, headersForEra(era, method, params))).toEqual([202, null])
  })
})

test.each([
  { id: 1, result: {} },
  { id: 'x', error: { code: 1, message: 'no' } },
  { error: { code: 1, message: 'no' } },
])('a response %o to nothing we asked is taken and left at that', async (response) => {
  expect(await house.send({ jsonrpc: '2.0', ...response })).toEqual([202, null])
})

test('a session of long ago does not matter, for there are none', async () => {
  expect(await house.send(PING_MESSAGE, { 'mcp-session-id': 'stale-1' })).toEqual([
    200,
    expectedRpcResult({}),
  ])
})

test.each([{}, { toolsListChanged: true }, { resourceSubscriptions: ['file:///etc/passwd'] }])(
  'a subscription to %o ends as it begins, for nothing ever changes',
  async (notifications) => {
    const method = 'subscriptions/listen'
    const params = paramsForEra('modern', { notifications })
    const response = await house.app.request('/mcp', {
      method: 'POST',
      headers: {
        host: 'mailgrade.example',
        'content-type': 'application/json',
        ...headersForEra('modern', method),
      },
      body: JSON.stringify({ ...PING_MESSAGE, method, params }),
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const events = (await response.text()).matchAll(/^data: (.*)$/gm)
    expect([...events].map(([, data = '']) => JSON.parse(data))).toEqual([
      expect.objectContaining({ method: 'notifications/subscriptions/acknowledged' }),
      expectedRpcResult(expect.objectContaining({ resultType: 'complete' })),
    ])
  },
)

test.each([undefined, null, 5, [], 'x'])('a subscription to %o is none', async (notifications) => {
  const answer = await house.request('modern', 'subscriptions/listen', { notifications })
  expect(answer).toEqual([200, expectedRpcError(-32_602)])
})
