import { createDohDns } from '@mailgrade/doh'
import { type DohExchange, startDohServer } from '@mailgrade/testing/doh-server'
import { afterEach, describe, expect, test } from 'vitest'
import { createTestApp } from '../support/test-app.js'

/** A failing resolver is never reported as a missing record. */

const zone = 'acme.example. MX 10 mx.acme.example.\nmx.acme.example. A 192.0.2.1'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function startResolver(
  respond: (exchange: DohExchange) => void = (exchange) => exchange.send(),
) {
  const server = await startDohServer(zone, 'http/1.1')
  server.respond = respond
  closing.push(server.close)
  return server
}

/** A busy machine must not make a working resolver slow, so only tests of slow ones wait less. */
async function check(urls: URL[], env: Record<string, string> = {}, queryTimeoutMs = 4_000) {
  const dns = createDohDns({ urls, queryTimeoutMs, hedgeAfterMs: 50 })
  closing.push(dns.close)
  const app = createTestApp(dns, {
    env: { PAY_TO_ADDRESS: `0x${'1'.repeat(40)}`, FACILITATOR_URL: 'http://127.0.0.1:9', ...env },
  })
  const response = await app.get('/v1/mx?domain=acme.example')
  return {
    status: response.status,
    body: (await response.json()) as { code?: string; detail?: string },
  }
}

const closedPort = () => new URL('http://127.0.0.1:9/dns-query')
const silent = () => {}

describe('all resolvers fail', () => {
  test('returns 502 when they are down', async () => {
    const { status, body } = await check([closedPort(), closedPort()])
    expect([status, body.code]).toEqual([502, 'dns_unavailable'])
    expect(body.detail).toContain('We couldn’t look up MX acme.example')
  })

  test('returns 504 when they are slow', async () => {
    const [one, two] = [await startResolver(silent), await startResolver(silent)]
    const { status, body } = await check([one.url, two.url], {}, 200)
    expect([status, body.code]).toEqual([504, 'dns_timeout'])
  })

  test('returns 504 when they are paused for being slow', async () => {
    const slow = await startResolver(silent)
    const dns = createDohDns({ urls: [slow.url], queryTimeoutMs: 20 })
    closing.push(dns.close)
    const app = createTestApp(dns)
    const statuses: number[] = []
    for (let count = 0; count < 8; count++) {
      statuses.push((await app.get('/v1/mx?domain=acme.example')).status)
    }
    expect(statuses).toEqual(Array(8).fill(504))
  })

  test('returns 504 at the deadline of the report', async () => {
    const slow = await startResolver(silent)
    const { status, body } = await check([slow.url], { DNS_TIMEOUT_MS: '100' })
    expect([status, body.code]).toEqual([504, 'dns_timeout'])
    expect(body.detail).toContain('in time')
  })

  test.each([429, 500, 503])('returns 502 when they answer HTTP %i', async (code) => {
    const resolver = await startResolver(({ response }) => response.writeHead(code).end())
    const { status, body } = await check([resolver.url])
    expect([status, body.code]).toEqual([502, 'dns_unavailable'])
  })

  test('returns 502 for malformed answers', async () => {
    const resolver = await startResolver((exchange) => exchange.send(Buffer.from('nonsense')))
    expect((await check([resolver.url])).status).toBe(502)
  })

  test('returns unknown addresses when they fail within a report, not none', async () => {
    const resolver = await startResolver(({ query, response, send }) => {
      if (query.startsWith('MX')) send()
      else response.destroy()
    })
    const { status, body } = await check([resolver.url])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      status: 'pass',
      records: [{ exchange: 'mx.acme.example', addresses: null }],
      issues: [{ id: 'mx.host-unavailable' }],
    })
  })
})

describe('one working resolver is enough', () => {
  test.each([
    ['down', () => closedPort()],
    ['slow', async () => (await startResolver(silent)).url],
    [
      'broken',
      async () => (await startResolver(({ response }) => response.writeHead(500).end())).url,
    ],
  ])('when the preferred one is %s', async (_, other) => {
    const good = await startResolver()
    const { status, body } = await check([await other(), good.url])
    expect(status).toBe(200)
    expect(body).toMatchObject({
      records: [{ exchange: 'mx.acme.example', addresses: ['192.0.2.1'] }],
      meta: { resolvers: [good.url.host] },
    })
  })
})
