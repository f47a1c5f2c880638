/** Free tools and free endpoints share one rate limit. */

import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { modernToolCall, postMcpMessage, toolCallMessage } from '../support/mcp-message.js'
import { createTestApp, type TestApp } from '../support/test-app.js'

const ZONE = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1'
const CHECK = 'check_domain_email_security'
const acme = toolCallMessage(CHECK, { domain: 'acme.test' })
const pricing = toolCallMessage('pricing')

function setUp() {
  const dns = zoneDns(ZONE)
  return { dns, app: createTestApp(dns, { now: () => 5_000 }) }
}

async function sendTimes(app: Pick<TestApp, 'request'>, times: number, message = pricing) {
  for (let time = 0; time < times; time++) await (await postMcpMessage(app, message)).text()
}

const rateLimitOf = ({ headers }: Response) => headers.get('ratelimit')

test('logs the outcome of each tool call without its arguments', async () => {
  const { app } = setUp()
  await sendTimes(app, 1, acme)
  await sendTimes(app, 1, toolCallMessage(CHECK, { domain: 'nowhere.test' }))
  await sendTimes(app, 1, toolCallMessage('email_fix_plan', { domain: 'acme.test' }))
  await sendTimes(app, 28)
  expect(app.toolCalls.slice(0, 4)).toEqual([
    `${CHECK} ok`,
    `${CHECK} unknown_domain`,
    'email_fix_plan payment_required',
    'pricing ok',
  ])
  await sendTimes(app, 1)
  expect(app.toolCalls.at(-1)).toBe('pricing rate_limited')
})

test('counts a free call and sends the rate limit headers', async () => {
  const { app } = setUp()
  const first = await postMcpMessage(app, acme)
  expect([rateLimitOf(first), first.headers.get('ratelimit-policy')]).toEqual([
    '"free";r=29;t=60',
    '"free";q=30;w=60',
  ])
  const { headers, message } = modernToolCall('pricing')
  expect(rateLimitOf(await postMcpMessage(app, message, headers))).toBe('"free";r=28;t=60')
  expect(rateLimitOf(await postMcpMessage(app, toolCallMessage(CHECK, { domain: 5 })))).toBe(
    '"free";r=27;t=60',
  )
  expect(rateLimitOf(await app.get('/v1/mx?domain=acme.test'))).toBe('"free";r=26;t=60')
})

test.each([
  ['2025-11-25', acme, {}],
  [
    '2026-07-28',
    modernToolCall(CHECK, { domain: 'acme.test' }).message,
    modernToolCall(CHECK).headers,
  ],
])('rejects a call above the limit with the time to wait: %s', async (_, message, headers) => {
  const { app, dns } = setUp()
  await sendTimes(app, 15)
  for (let time = 0; time < 15; time++) await app.get('/v1/mx')
  const response = await postMcpMessage(app, message, headers)
  const { result } = await response.json()
  expect(response.status).toBe(200)
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { code: 'rate_limited', status: 429, retryAfterSeconds: 60 },
    content: [
      {
        text: 'Too many requests. You’ve reached the limit of 30 free checks a minute. Try again in 60 seconds.',
      },
      {},
    ],
  })
  expect(dns.queries).toEqual([])
  expect((await app.get('/v1/mx?domain=acme.test')).status).toBe(429)
  const other = await (await postMcpMessage(app.from('192.0.2.2'), acme)).json()
  expect(other.result.structuredContent.domain).toBe('acme.test')
})

describe('does not count', () => {
  test.each([
    ['the list of tools', { jsonrpc: '2.0', id: 1, method: 'tools/list' }],
    ['the price of a paid tool', toolCallMessage('email_security_score', { domain: 'acme.test' })],
    ['an unknown tool', toolCallMessage('weather')],
    ['a batch', [pricing, pricing]],
  ])('%s', async (_, message) => {
    const { app } = setUp()
    await sendTimes(app, 30)
    const response = await postMcpMessage(app, message)
    const text = await response.text()
    expect([rateLimitOf(response), text.includes('Too many requests')]).toEqual([null, false])
    expect(rateLimitOf(await postMcpMessage(app.from('192.0.2.2'), message))).toBeNull()
  })
})
