/** Names for private networks: with split DNS, a resolver inside would answer for them. */
import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { afterEach, describe, expect, test } from 'vitest'
import { modernToolCall, postMcpMessage } from '../support/mcp-message.js'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const ZONE = `
  nas.internal.        MX  10 mx.nas.internal.
  mx.nas.internal.     A   192.0.2.1
  nas.internal.        TXT "v=spf1 mx -all"
  _dmarc.nas.internal. TXT "v=DMARC1; p=reject; rua=mailto:d@nas.internal"
`
const REASON =
  'nas.internal is a name for private networks, so public DNS has no records for it; enter a public domain name, such as example.com.'

const BY_DOMAIN = OPERATIONS.filter(({ id }) => id !== 'emailCheck')
const FREE = BY_DOMAIN.filter((operation) => !isPaid(operation))

test('in the records of a public domain do not exist, and are not looked up', async () => {
  const zone = `${ZONE}
    acme.test.               MX  10 MX.nas.internal.
    acme.test.               TXT "v=spf1 include:nas.internal ptr ip4:10.0.0.5 -all"
    5.0.0.10.in-addr.arpa.   PTR mx.nas.internal.
  `
  const isPrivate = (query: string) => /internal|10\.in-addr/i.test(query)
  const asked = async (env: Record<string, string>) => {
    const dns = zoneDns(zone)
    const app = createTestApp(dns, { env: { ...LIVE_ENV, ...env } })
    const mx = await (await app.get('/v1/mx?domain=acme.test')).json()
    await app.get('/v1/spf?domain=acme.test&ip=10.0.0.5')
    return { addresses: mx.records[0].addresses, queries: dns.queries.filter(isPrivate) }
  }
  expect(await asked({})).toEqual({ addresses: [], queries: [] })
  const allowed = await asked({ ALLOW_PRIVATE_NAMES: 'true' })
  expect(allowed.addresses).toEqual(['192.0.2.1'])
  expect(allowed.queries).toContain('TXT nas.internal')
})

test('behind a CNAME record of a public domain do not exist', async () => {
  const zone = `${ZONE}
    acme.test.          MX    10 mx.acme.test.
    mx.acme.test.       CNAME mx.nas.internal.
    acme.test.          TXT   "v=spf1 include:spf.acme.test -all"
    spf.acme.test.      CNAME nas.internal.
    _dmarc.acme.test.   CNAME _dmarc.nas.internal.
  `
  const reports = async (env: Record<string, string>) => {
    const app = createTestApp(zoneDns(zone), { env: { ...LIVE_ENV, ...env } })
    const read = async (path: string) => JSON.stringify(await (await app.get(path)).json())
    return [
      await read('/v1/mx?domain=acme.test'),
      await read('/v1/spf?domain=acme.test'),
      await read('/v1/dmarc?domain=acme.test'),
    ]
  }
  const secrets = ['192.0.2.1', 'v=spf1 mx -all', 'd@nas.internal']
  for (const [at, report] of (await reports({ ALLOW_PRIVATE_NAMES: 'true' })).entries()) {
    expect(report).toContain(secrets[at])
  }
  for (const [at, report] of (await reports({})).entries()) {
    expect(report).not.toContain(secrets[at])
  }
})

test.each(['10.0.0.5', '127.0.0.1', '169.254.169.254', '100.64.0.1', '::1', 'fd00::1', 'fe80::1'])(
  'of the address %s are not looked up',
  async (ip) => {
    const queriesFor = async (query: string) => {
      const dns = zoneDns('acme.test. TXT "v=spf1 exists:%{p}.acme.test ptr -all"')
      const app = createTestApp(dns, { env: LIVE_ENV })
      const response = await app.get(`/v1/spf?domain=acme.test${query}`)
      expect(response.status).toBe(200)
      return dns.queries.filter((name) => name.endsWith('.arpa')).sort()
    }
    // The check itself asks about an address of its own.
    const others = await queriesFor('')
    expect(await queriesFor(`&ip=${ip}`)).toEqual(others)
    expect(await queriesFor('&ip=8.8.8.8')).toEqual([...others, 'PTR 8.8.8.8.in-addr.arpa'].sort())
  },
)

describe('are refused without a query', () => {
  const dns = zoneDns(ZONE)
  const app = createTestApp(dns, { env: { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1000' } })
  afterEach(() => expect(dns.queries).toEqual([]))

  test.each(BY_DOMAIN)('by $path', async ({ path }) => {
    const response = await app.get(`${path}?domain=www.nas.internal`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'invalid_input',
      parameter: 'domain',
      detail: REASON,
    })
  })

  test('by the check of an address there, before anyone pays for it', async () => {
    const response = await app.get('/v1/email-check?email=ann@nas.internal')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'invalid_input',
      parameter: 'email',
      detail: REASON,
    })
  })

  test.each(['/', '/domains', '/reports/fix-plan'])('by the page %s', async (path) => {
    const query = path === '/domains' ? 'domains' : 'domain'
    const response = await app.get(`${path}?${query}=nas.internal`, { Accept: 'text/html' })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(REASON)
  })

  test.each(['/badge/nas.internal.svg', '/share/nas.internal.png'])('by %s', async (path) => {
    expect((await app.get(path)).status).toBe(400)
  })

  test.each(['check_domain_email_security', 'email_fix_plan'])('by the tool %s', async (name) => {
    const { message, headers } = modernToolCall(name, { domain: 'nas.internal' })
    const accept = 'application/json, text/event-stream'
    const response = await postMcpMessage(app, message, { ...headers, accept })
    expect(await response.json()).toMatchObject({
      result: { isError: true, structuredContent: { code: 'invalid_input', detail: REASON } },
    })
  })
})

describe('with ALLOW_PRIVATE_NAMES=true', () => {
  const env = { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1000', ALLOW_PRIVATE_NAMES: 'true' }
  const app = createTestApp(zoneDns(ZONE), { env })

  test.each(FREE)('are checked by $path', async ({ path }) => {
    const response = await app.get(`${path}?domain=nas.internal`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ domain: 'nas.internal' })
  })

  test('are for sale', async () => {
    expect((await app.get('/v1/fix-plan?domain=nas.internal')).status).toBe(402)
    expect((await app.get('/v1/email-check?email=ann@nas.internal')).status).toBe(402)
  })

  test.each(['/?domain=nas.internal', '/domains?domains=nas.internal'])(
    '%s shows one',
    async (path) => {
      expect((await app.get(path, { Accept: 'text/html' })).status).toBe(200)
    },
  )

  test('a name that no DNS answers for is still refused', async () => {
    expect((await app.get('/v1/check?domain=nas.invalid')).status).toBe(400)
  })
})
