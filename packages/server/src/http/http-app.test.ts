import { PROBLEM_TYPES } from '@mailgrade/operations/problem-types'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { findUnsafe } from '@mailgrade/testing/unsafe-characters'
import { describe, expect, test } from 'vitest'
import { CLOSED_PAYMENT_BACKEND, createTestApp } from '../../test/support/test-app.js'

const acme = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1'
const app = createTestApp(zoneDns(acme))

const readProblem = async (response: Response) => {
  expect(response.headers.get('content-type')).toBe('application/problem+json')
  return response.json()
}

describe('200', () => {
  test('returns the report with its meta', async () => {
    const response = await app.get('/v1/mx?domain=acme.test')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    const { meta, ...report } = (await response.json()) as { meta: object }
    expect(report).toEqual({
      domain: 'acme.test',
      status: 'pass',
      records: [{ preference: 10, exchange: 'mx.acme.test', addresses: ['192.0.2.1'] }],
      nullMx: false,
      implicitMx: false,
      provider: null,
      providers: [],
      issues: [],
    })
    expect(meta).toEqual({
      checkedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      resolvers: ['zone'],
      dnsQueries: 3,
      durationMs: expect.any(Number),
    })
  })

  test('has no unsafe character of a record, and is the same data', async () => {
    const record = '_dmarc.acme.test. TXT "v=DMARC1; p=none; x=\\194\\155\\226\\128\\174"'
    const response = await createTestApp(zoneDns(`${acme}\n${record}`)).get(
      '/v1/dmarc?domain=acme.test',
    )
    const json = await response.text()
    expect(findUnsafe(json)).toEqual([])
    expect(JSON.parse(json).record).toBe('v=DMARC1; p=none; x=\u009b\u202e')
  })

  test.each([
    'ACME.test.',
    'https%3A%2F%2Fuser%40acme.test%3A8443%2Fx%3Fy',
    'https://user@acme.test:8443/x?y=1',
    'ann%2Bnews@acme.test',
    '+acme.test+',
    '%20acme.test%20',
  ])('reads domain=%s as acme.test', async (domain) => {
    const response = await app.get(`/v1/mx?domain=${domain}`)
    expect(await response.json()).toMatchObject({ domain: 'acme.test' })
  })

  test('ignores unknown parameters, even twice', async () => {
    const response = await app.get('/v1/mx?x=1&domain=acme.test&x=2&%zz&__proto__=y')
    expect(response.status).toBe(200)
  })

  test('answers HEAD with headers and no body', async () => {
    const response = await app.request('/v1/mx?domain=acme.test', { method: 'HEAD' })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  })
})

describe('400', () => {
  test.each([
    ['/v1/mx', 'The parameter domain is missing. Send a domain such as example.com.'],
    ['/v1/mx?domain=a.test&domain=a.test', 'You sent the parameter domain twice. Send it once.'],
    ['/v1/mx?domain=%ff', 'The parameter domain isn’t valid percent-encoded UTF-8.'],
  ])('%s', async (path, detail) => {
    const response = await app.get(path, { 'x-request-id': 'req-1' })
    expect(response.status).toBe(400)
    expect(await readProblem(response)).toEqual({
      type: 'https://mailgrade.example/problems/invalid-input',
      title: 'Invalid input',
      status: 400,
      code: 'invalid_input',
      detail,
      parameter: 'domain',
      requestId: 'req-1',
    })
  })

  test('sends no DNS query', async () => {
    const dns = zoneDns(acme)
    await createTestApp(dns).get('/v1/mx?domain=192.0.2.1')
    expect(dns.queries).toEqual([])
  })
})

test('returns 404 for a domain that does not exist', async () => {
  const response = await app.get('/v1/mx?domain=gone.test')
  expect(response.status).toBe(404)
  expect(await readProblem(response)).toMatchObject({
    code: 'unknown_domain',
    detail: 'gone.test doesn’t exist in DNS. Check the spelling.',
  })
})

test('returns 404 for an unknown path', async () => {
  const response = await app.get('/v1/nonsense')
  expect(response.status).toBe(404)
  expect(await readProblem(response)).toMatchObject({ code: 'not_found' })
})

test.each(['POST', 'PUT', 'DELETE', 'PATCH'])(
  'returns 405 for %s, with the allowed methods',
  async (method) => {
    const response = await app.request('/v1/mx?domain=acme.test', { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect(await readProblem(response)).toMatchObject({
      code: 'method_not_allowed',
      detail: `${method} is not allowed here; use GET.`,
    })
  },
)

describe('414', () => {
  const pathOfLength = (length: number) => '/v1/mx?domain=acme.test&x='.padEnd(length, 'y')

  test('rejects a URL of more than 2,048 characters', async () => {
    const response = await app.get(pathOfLength(2049))
    expect(response.status).toBe(414)
    expect(await readProblem(response)).toMatchObject({ code: 'uri_too_long' })
  })

  test('accepts a URL of 2,048 characters', async () => {
    expect((await app.get(pathOfLength(2048))).status).toBe(200)
  })
})

test('logs an internal error and returns 500 without details', async () => {
  const broken = createTestApp({ query: () => Promise.reject(new Error('secret detail')) })
  const response = await broken.get('/v1/mx?domain=acme.test')
  expect(response.status).toBe(500)
  expect(JSON.stringify(await readProblem(response))).not.toContain('secret')
  expect(broken.faults).toEqual([new Error('secret detail')])
})

describe('DNS failures', () => {
  test('returns 502 with the query and the reason, not a missing record', async () => {
    const dns = zoneDns(acme, { 'MX acme.test': 'servfail' })
    const response = await createTestApp(dns).get('/v1/mx?domain=acme.test')
    expect(response.status).toBe(502)
    expect(await readProblem(response)).toMatchObject({
      code: 'dns_unavailable',
      detail:
        'We couldn’t look up MX acme.test because no resolver could get an answer from the domain’s name servers. Try again in a moment.',
    })
  })

  test('does not repeat the error of a socket or library', async () => {
    const dns = zoneDns(acme, { 'MX acme.test': 'unreachable' })
    const response = await createTestApp(dns).get('/v1/mx?domain=acme.test')
    expect(await response.text()).not.toContain('in this story')
  })

  test('returns 502 with the fix for a lasting failure', async () => {
    const dns = zoneDns('acme.test. CNAME b.test.\nb.test. CNAME acme.test.')
    const response = await createTestApp(dns).get('/v1/mx?domain=acme.test')
    expect(await readProblem(response)).toMatchObject({
      code: 'dns_unavailable',
      detail:
        'We couldn’t look up MX acme.test because its CNAME records form a loop. Fix the record that points there.',
    })
  })

  test('returns 504 after a timeout', async () => {
    const dns = zoneDns(acme, { 'MX acme.test': 'timeout' })
    const response = await createTestApp(dns).get('/v1/mx?domain=acme.test')
    expect(response.status).toBe(504)
    expect(await readProblem(response)).toMatchObject({ code: 'dns_timeout' })
  })
})

test('lets caches keep a discovery document', async () => {
  const { headers } = await app.get('/openapi.json')
  expect(headers.get('cache-control')).toBe('public, max-age=300')
})

describe('every response', () => {
  test.each(['/v1/mx?domain=acme.test', '/v1/mx', '/nonsense', '/healthz'])('%s', async (path) => {
    const { headers } = await app.get(path)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'strict-transport-security': 'max-age=31536000',
      'access-control-allow-origin': '*',
      'access-control-expose-headers':
        'PAYMENT-REQUIRED, PAYMENT-RESPONSE, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test('echoes a safe request id and replaces any other', async () => {
    const idFor = async (id: string) =>
      (await app.get('/healthz', { 'x-request-id': id })).headers.get('x-request-id')
    expect(await idFor('job-7.retry_2')).toBe('job-7.retry_2')
    for (const id of ['a b', 'x'.repeat(65), '<script>', 'ann@example.com']) {
      expect(await idFor(id)).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('answers a CORS preflight', async () => {
    const response = await app.request('/v1/mx', { method: 'OPTIONS' })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers':
        'Content-Type, PAYMENT-SIGNATURE, X-Request-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Access-Control-Expose-Headers',
      'access-control-allow-origin': '*',
    })
  })
})

describe('problem pages', () => {
  test.each(Object.entries(PROBLEM_TYPES))('%s has a page at its URL', async (code, { title }) => {
    const response = await app.get(`/problems/${code.replaceAll('_', '-')}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/html')
    expect(await response.text()).toContain(`<h1>${title}</h1>`)
  })
})

describe('health', () => {
  const withResolvers = (...answering: Promise<boolean>[]) => ({
    ...zoneDns(acme),
    resolvers: answering.map((answer, index) => ({
      name: `r${index}`,
      isAnswering: () => answer,
      isPaused: () => false,
    })),
  })
  const yes = Promise.resolve(true)
  const no = Promise.resolve(false)
  const never = new Promise<boolean>(() => {})

  test('/healthz returns 200 without a resolver', async () => {
    const response = await createTestApp(withResolvers(no)).get('/healthz')
    expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }])
  })

  test('/readyz needs one resolver that answers and does not wait for others', async () => {
    const response = await createTestApp(withResolvers(no, never, yes)).get('/readyz')
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ready', resolver: 'r2', payments: 'unavailable: closed' },
    ])
  })

  test('/readyz does not wait for a hanging facilitator', async () => {
    const paymentBackend = {
      ...CLOSED_PAYMENT_BACKEND,
      facilitator: {
        ...CLOSED_PAYMENT_BACKEND.facilitator,
        healthProblem: () => new Promise<null>(() => {}),
      },
    }
    const response = await createTestApp(withResolvers(yes), { paymentBackend }).get('/readyz')
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ready', resolver: 'r0', payments: 'unavailable: no answer yet' },
    ])
  })

  test('/readyz returns 503 when no resolver answers', async () => {
    const response = await createTestApp(withResolvers(no, no)).get('/readyz')
    expect(response.status).toBe(503)
    expect(await readProblem(response)).toMatchObject({
      code: 'not_ready',
      detail: 'Not ready: no DNS resolver is responding.',
    })
  })

  test('/readyz is ready with the demo zones in a sandbox without internet', async () => {
    const offline = createTestApp(withResolvers(no, no), { env: {} })
    const response = await offline.get('/readyz')
    expect([response.status, await response.json()]).toEqual([
      200,
      { status: 'ready', resolver: 'demo zones', payments: 'unavailable: closed' },
    ])
  })

  test('/readyz of a sandbox does not wait long for a resolver that hangs', async () => {
    const response = await createTestApp(withResolvers(never), { env: {} }).get('/readyz')
    expect(await response.json()).toMatchObject({ status: 'ready', resolver: 'demo zones' })
  })

  test('/readyz of a sandbox names the live resolver if one answers', async () => {
    const response = await createTestApp(withResolvers(no, yes), { env: {} }).get('/readyz')
    expect(await response.json()).toMatchObject({ status: 'ready', resolver: 'r1' })
  })

  test('/readyz returns 503 and closes connections while draining', async () => {
    const draining = createTestApp(withResolvers(yes), { isDraining: () => true })
    const response = await draining.get('/readyz')
    expect(response.status).toBe(503)
    expect(response.headers.get('connection')).toBe('close')
    expect(await readProblem(response)).toMatchObject({ code: 'shutting_down' })
    expect((await draining.get('/v1/mx?domain=acme.test')).status).toBe(200)
  })
})
