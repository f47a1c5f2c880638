import { once } from 'node:events'
import http from 'node:http'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import { SILENT_LOG } from '../../test/support/silent-log.js'
import { createTestApp } from '../../test/support/test-app.js'
import { createMemoryRateLimiter, type RateLimiter } from '../state/memory-rate-limiter.js'
import { addGetRoute } from './add-route.js'
import { type RunningHttpServer, startHttpServer } from './http-server.js'
import { createConsumeRateLimit, rateLimit } from './rate-limit.js'
import { createReadCaller } from './request-context.js'
import { type HttpEnv, respond } from './respond.js'

const FREE = '/v1/mx?domain=acme.test'
const acme = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1'
const behindOneProxy = {
  TRUST_PROXY_HOPS: '1',
  PAY_TO_ADDRESS: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  FACILITATOR_URL: 'http://127.0.0.1:9',
}

/** The whole application with a fixed clock. */
function setUp(env?: Record<string, string>) {
  const clock = { now: 5_000 }
  const dns = zoneDns(acme, { 'MX down.test': 'servfail', 'MX slow.test': 'timeout' })
  const app = createTestApp(dns, { now: () => clock.now, ...(env && { env }) })
  return { app, clock, dns }
}

async function getTimes(
  caller: { get(path: string): Promise<Response> },
  times: number,
  path = FREE,
) {
  const statuses: number[] = []
  for (let time = 0; time < times; time++) statuses.push((await caller.get(path)).status)
  return statuses
}

const rateLimitHeaders = ({ status, headers }: Response) => [
  status,
  headers.get('ratelimit-policy'),
  headers.get('ratelimit'),
  headers.get('retry-after'),
]
const POLICY = '"free";q=30;w=60'

describe('every free response has the rate limit headers', () => {
  test.each([
    [200, 'acme.test'],
    [400, 'nonsense'],
    [404, 'gone.test'],
    [502, 'down.test'],
    [504, 'slow.test'],
  ])('%i', async (status, domain) => {
    const { app } = setUp()
    const response = await app.get(`/v1/mx?domain=${domain}`)
    expect(rateLimitHeaders(response)).toEqual([status, POLICY, '"free";r=29;t=60', null])
  })

  test('500', async () => {
    const app = createTestApp({ query: () => Promise.reject(new Error('broken')) })
    expect(rateLimitHeaders(await app.get(FREE))).toEqual([500, POLICY, '"free";r=29;t=60', null])
  })

  test('429, with Retry-After', async () => {
    const { app, clock } = setUp()
    await app.get(FREE)
    clock.now += 17_500
    await getTimes(app, 29)
    expect(rateLimitHeaders(await app.get(FREE))).toEqual([429, POLICY, '"free";r=0;t=43', '43'])
  })
})

describe('429', () => {
  test('is a problem with the time to wait', async () => {
    const { app, clock } = setUp()
    await getTimes(app, 30)
    clock.now += 48_000
    const response = await app.get(FREE, { 'x-request-id': 'req-1' })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({
      type: 'https://mailgrade.example/problems/rate-limited',
      title: 'Too many requests',
      status: 429,
      code: 'rate_limited',
      detail: 'You’ve reached the limit of 30 free checks a minute. Try again in 12 seconds.',
      retryAfterSeconds: 12,
      requestId: 'req-1',
    })
    clock.now += 11_000
    expect(await (await app.get(FREE)).json()).toMatchObject({
      detail: 'You’ve reached the limit of 30 free checks a minute. Try again in 1 second.',
    })
  })

  test('sends no DNS query when rate limited', async () => {
    const { app, dns } = setUp()
    await getTimes(app, 30)
    const queryCount = dns.queries.length
    expect(queryCount).toBe(90)
    expect(await getTimes(app, 3)).toEqual([429, 429, 429])
    expect(dns.queries).toHaveLength(queryCount)
  })

  test('ends after Retry-After seconds', async () => {
    const { app, clock } = setUp()
    await getTimes(app, 30)
    const wait = Number((await app.get(FREE)).headers.get('retry-after'))
    clock.now += wait * 1_000 - 1
    expect(await getTimes(app, 1)).toEqual([429])
    clock.now += 1
    expect(await getTimes(app, 1)).toEqual([200])
  })
})

describe('requests that count', () => {
  test('counts errors and HEAD', async () => {
    const { app } = setUp()
    expect(await getTimes(app, 15, '/v1/mx')).toEqual(Array(15).fill(400))
    expect(await getTimes(app, 14, '/v1/mx?domain=gone.test')).toEqual(Array(14).fill(404))
    const head = await app.request(FREE, { method: 'HEAD' })
    expect(rateLimitHeaders(head)).toEqual([200, POLICY, '"free";r=0;t=60', null])
    expect(await getTimes(app, 1)).toEqual([429])
    expect((await app.request(FREE, { method: 'HEAD' })).status).toBe(429)
  })

  test('does not count OPTIONS or a method that is not allowed', async () => {
    const { app } = setUp()
    for (let time = 0; time < 40; time++) {
      const options = await app.request(FREE, { method: 'OPTIONS' })
      const post = await app.request(FREE, { method: 'POST' })
      expect([rateLimitHeaders(options), rateLimitHeaders(post)]).toEqual([
        [204, null, null, null],
        [405, null, null, null],
      ])
    }
    expect((await app.get(FREE)).headers.get('ratelimit')).toBe('"free";r=29;t=60')
  })

  test.each(['/healthz', '/openapi.json', '/problems/rate-limited'])(
    'does not count %s, which a limited caller can still read',
    async (path) => {
      const { app } = setUp()
      await getTimes(app, 31)
      expect(rateLimitHeaders(await app.get(path))).toEqual([200, null, null, null])
    },
  )

  test('shares one limit between all free paths', async () => {
    const limiter = createMemoryRateLimiter({ limit: 3, now: () => 0 })
    const free = rateLimit(
      createConsumeRateLimit({ limiter, readCaller: createReadCaller(0), log: SILENT_LOG }),
    )
    const app = new Hono<HttpEnv>()
    addGetRoute(app, '/one', free, (c) => respond(c, 'one'))
    addGetRoute(app, '/two', free, (c) => respond(c, 'two'))
    addGetRoute(app, '/other', (c) => c.text('not limited'))
    const statuses: number[] = []
    for (const path of ['/one', '/two', '/one', '/two', '/one', '/other']) {
      statuses.push((await app.request(path, {}, {})).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429, 200])
  })
})

describe('callers', () => {
  test('do not share a limit', async () => {
    const { app } = setUp()
    await getTimes(app, 31)
    expect(await getTimes(app.from('192.0.2.2'), 31)).toEqual([...Array(30).fill(200), 429])
  })

  test('are one caller within an IPv6 /64', async () => {
    const { app } = setUp()
    await getTimes(app.from('2001:db8::1'), 30)
    expect(await getTimes(app.from('2001:db8::ffff:2'), 1)).toEqual([429])
    expect(await getTimes(app.from('2001:db8:0:1::1'), 1)).toEqual([200])
  })

  test('cannot change their identity with a header when no proxy is trusted', async () => {
    const { app } = setUp()
    await getTimes(app, 30)
    for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip']) {
      expect([name, (await app.get(FREE, { [name]: '203.0.113.7' })).status]).toEqual([name, 429])
    }
  })

  test('are identified by the address that the trusted proxy adds', async () => {
    const { app } = setUp({ ...behindOneProxy, RATE_LIMIT_PER_MINUTE: '2' })
    const from = async (forwardedFor: string) =>
      (await app.get(FREE, { 'x-forwarded-for': forwardedFor })).status
    expect(await from('203.0.113.7')).toBe(200)
    expect(await from('198.51.100.1, 203.0.113.7')).toBe(200)
    expect(await from('198.51.100.2, 203.0.113.7')).toBe(429)
    expect(await from('203.0.113.8')).toBe(200)
  })

  test('that have disconnected cause no error', async () => {
    const { app } = setUp()
    expect(await getTimes(app.from(undefined), 1)).toEqual([200])
    expect(app.faults).toEqual([])
  })
})

test('RATE_LIMIT_PER_MINUTE sets the limit, in the sandbox too', async () => {
  const { app } = setUp({ RATE_LIMIT_PER_MINUTE: '2' })
  const policy = '"free";q=2;w=60'
  const responses: unknown[] = []
  for (let time = 0; time < 3; time++) {
    responses.push(rateLimitHeaders(await app.get('/v1/mx?domain=parked.test')))
  }
  expect(responses).toEqual([
    [200, policy, '"free";r=1;t=60', null],
    [200, policy, '"free";r=0;t=60', null],
    [429, policy, '"free";r=0;t=60', '60'],
  ])
})

describe('through a socket', () => {
  let server: RunningHttpServer
  afterEach(() => server.stop(0, 0))

  /** Serves one rate-limited path and records the callers. */
  async function start(trustProxyHops: number): Promise<string[]> {
    const callers: string[] = []
    const limiter: RateLimiter = {
      limit: 30,
      windowSeconds: 60,
      consume: async (caller) => {
        callers.push(caller)
        return { isAllowed: true, remaining: 1, resetSeconds: 1 }
      },
    }
    const app = new Hono<HttpEnv>()
    addGetRoute(
      app,
      '/',
      rateLimit(
        createConsumeRateLimit({
          limiter,
          readCaller: createReadCaller(trustProxyHops),
          log: SILENT_LOG,
        }),
      ),
      (c) => respond(c, 'hello'),
    )
    server = await startHttpServer(app, {
      host: '127.0.0.1',
      port: 0,
      baseUrl: 'https://mailgrade.example',
      newRequestId: () => 'id-1',
      onClientError: () => {},
    })
    return callers
  }

  async function get(forwardedFor: string[]): Promise<void> {
    const headers = { 'X-Forwarded-For': forwardedFor }
    const request = http.get({ host: '127.0.0.1', port: server.port, headers, agent: false })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    response.resume()
    await once(response, 'end')
  }

  test('uses the address of the peer', async () => {
    const callers = await start(0)
    await get([])
    await get(['203.0.113.7'])
    expect(callers).toEqual(['127.0.0.1', '127.0.0.1'])
  })

  test('uses the last forwarded address behind a proxy, in one header or several', async () => {
    const callers = await start(1)
    await get([])
    await get(['203.0.113.7'])
    await get(['198.51.100.9, 203.0.113.8'])
    await get(['198.51.100.9', '203.0.113.9'])
    expect(callers).toEqual(['127.0.0.1', '203.0.113.7', '203.0.113.8', '203.0.113.9'])
  })
})
