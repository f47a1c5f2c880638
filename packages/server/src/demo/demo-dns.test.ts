import { readdirSync } from 'node:fs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createTestApp } from '../../test/support/test-app.js'

const SANDBOX = {}

/** Live DNS with one domain and another address for Google's mail server. */
const liveDns = () =>
  zoneDns('real.example. MX 1 smtp.google.com.\nsmtp.google.com. A 203.0.113.99')

const DEMO_DOMAINS = [
  'good.test',
  'team.good.test',
  'locked.test',
  'lookups.test',
  'monitoring.test',
  'nothing.test',
  'parked.test',
  'selector.test',
]

describe('sandbox', () => {
  test.each([
    ['good.test', { status: 'pass', provider: { id: 'google' } }],
    ['team.good.test', { status: 'pass', provider: { id: 'google' } }],
    ['monitoring.test', { status: 'pass', provider: { id: 'microsoft365' } }],
    ['lookups.test', { status: 'pass', provider: { id: 'google' } }],
    ['locked.test', { status: 'pass', nullMx: true, provider: null }],
    ['parked.test', { status: 'warn', implicitMx: true, issues: [{ id: 'mx.implicit' }] }],
    ['nothing.test', { status: 'warn', issues: [{ id: 'mx.missing' }] }],
    ['selector.test', { status: 'pass', provider: null }],
  ])('answers %s without a live DNS query', async (domain, report) => {
    const dns = liveDns()
    const response = await createTestApp(dns, { env: SANDBOX }).get(`/v1/mx?domain=${domain}`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      domain,
      ...report,
      meta: { resolvers: ['demo zones'] },
    })
    expect(dns.queries).toEqual([])
  })

  test('covers every zone file', () => {
    const zones = readdirSync(new URL('../../zones/', import.meta.url))
    expect(zones).toEqual(
      [
        ...DEMO_DOMAINS.filter((domain) => domain !== 'team.good.test').map(
          (domain) => `${domain}.zone`,
        ),
        'providers.zone',
      ].sort(),
    )
  })

  test('returns 404 for an unknown demo domain', async () => {
    const response = await createTestApp(liveDns(), { env: SANDBOX }).get('/v1/mx?domain=no.test')
    expect(response.status).toBe(404)
  })

  test('uses only live DNS for a real domain', async () => {
    const dns = liveDns()
    const response = await createTestApp(dns, { env: SANDBOX }).get('/v1/mx?domain=real.example')
    expect(await response.json()).toMatchObject({
      records: [{ exchange: 'smtp.google.com', addresses: ['203.0.113.99'] }],
    })
    expect(dns.queries).toEqual(['MX real.example', 'A smtp.google.com', 'AAAA smtp.google.com'])
  })
})

test.each(DEMO_DOMAINS)('does not serve %s outside the sandbox', async (domain) => {
  const dns = liveDns()
  expect((await createTestApp(dns).get(`/v1/mx?domain=${domain}`)).status).toBe(404)
  expect(dns.queries).toEqual([`MX ${domain}`])
})
