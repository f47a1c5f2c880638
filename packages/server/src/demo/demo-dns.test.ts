import { readdirSync } from 'node:fs'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { createTestApp } from '../../test/support/test-app.js'

const SANDBOX = {}

/** An internet in which only one domain exists, and Google's mail server has another address. */
const internet = () =>
  zoneDns('real.example. MX 1 smtp.google.com.\nsmtp.google.com. A 203.0.113.99')

const DEMO_DOMAINS = [
  'good.test',
  'team.good.test',
  'locked.test',
  'lookups.test',
  'monitoring.test',
  'nothing.test',
  'parked.test',
]

describe('in the sandbox', () => {
  test.each([
    ['good.test', { status: 'pass', provider: { id: 'google' } }],
    ['team.good.test', { status: 'pass', provider: { id: 'google' } }],
    ['monitoring.test', { status: 'pass', provider: { id: 'microsoft365' } }],
    ['lookups.test', { status: 'pass', provider: { id: 'google' } }],
    ['locked.test', { status: 'pass', nullMx: true, provider: null }],
    ['parked.test', { status: 'warn', implicitMx: true, issues: [{ id: 'mx.implicit' }] }],
    ['nothing.test', { status: 'warn', issues: [{ id: 'mx.missing' }] }],
  ])('%s answers without a single question to the internet', async (domain, report) => {
    const dns = internet()
    const response = await createTestApp(dns, { env: SANDBOX }).get(`/v1/mx?domain=${domain}`)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      domain,
      ...report,
      meta: { resolvers: ['demo zones'] },
    })
    expect(dns.queries).toEqual([])
  })

  test('every zone file is among them', () => {
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

  test('a demo domain that is not there does not exist', async () => {
    const response = await createTestApp(internet(), { env: SANDBOX }).get('/v1/mx?domain=no.test')
    expect(response.status).toBe(404)
  })

  test('a real domain is answered by the internet alone, not by the frozen copy', async () => {
    const dns = internet()
    const response = await createTestApp(dns, { env: SANDBOX }).get('/v1/mx?domain=real.example')
    expect(await response.json()).toMatchObject({
      records: [{ exchange: 'smtp.google.com', addresses: ['203.0.113.99'] }],
    })
    expect(dns.queries).toEqual(['MX real.example', 'A smtp.google.com', 'AAAA smtp.google.com'])
  })
})

test.each(DEMO_DOMAINS)('outside the sandbox %s does not exist', async (domain) => {
  const dns = internet()
  expect((await createTestApp(dns).get(`/v1/mx?domain=${domain}`)).status).toBe(404)
  expect(dns.queries).toEqual([`MX ${domain}`])
})
