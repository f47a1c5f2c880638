import type { FailureReason } from '@mailgrade/doh/dns'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { discoverBelow } from './discover-below.js'

async function namesBelow(zone: string, failing: Record<string, FailureReason> = {}) {
  const dns = zoneDns(`acme.test. TXT "x"\n${zone}`, failing)
  const name = 'made-up-1.acme.test'
  const wildcard = { txt: await dns.query(name, 'TXT'), mx: await dns.query(name, 'MX') }
  const { names, failed } = await discoverBelow(dns, 'acme.test', wildcard)
  const found = names.map(
    ({ service, included, target: _, dmarc: __, mayOnlyReceive: ___, ...rest }) => ({
      ...rest,
      service: service?.id ?? null,
      included: included.map((each) => `${each.service.id} ${each.signs}`),
    }),
  )
  return { names: found, failed, queries: dns.queries }
}

describe('a name below the domain', () => {
  test('sends if its SPF record names a sender', async () => {
    const { names } = await namesBelow('news.acme.test. TXT "v=spf1 include:sendgrid.net -all"')
    expect(names).toEqual([
      {
        name: 'news.acme.test',
        sends: true,
        signs: false,
        service: null,
        included: ['sendgrid no'],
        evidence: 'news.acme.test TXT v=spf1 include:sendgrid.net -all',
      },
    ])
  })

  test('sends if it has a mail server, which shows the service', async () => {
    const { names } = await namesBelow('mg.acme.test. MX 10 mxa.mailgun.org.')
    expect(names).toEqual([
      {
        name: 'mg.acme.test',
        sends: true,
        signs: false,
        service: 'mailgun',
        included: [],
        evidence: 'mg.acme.test MX mxa.mailgun.org',
      },
    ])
  })

  test('sends with a mail server of an unknown service', async () => {
    const { names } = await namesBelow('mail.acme.test. MX 10 mx.other.test.')
    expect(names).toMatchObject([{ sends: true, service: null }])
  })

  test('signs if it has names below _domainkey', async () => {
    const { names } = await namesBelow(`
      em.acme.test. A 192.0.2.1
      s1._domainkey.em.acme.test. TXT "v=DKIM1; p=x"
    `)
    expect(names).toEqual([
      {
        name: 'em.acme.test',
        sends: true,
        signs: true,
        service: null,
        included: [],
        evidence: '_domainkey.em.acme.test',
      },
    ])
  })

  test.each([
    ['has only an address', 'mail.acme.test. A 192.0.2.1'],
    ['says that it does not send', 'mail.acme.test. TXT "v=spf1 -all"'],
    ['has a null MX', 'mail.acme.test. MX 0 .'],
    ['has other texts', 'mail.acme.test. TXT "verification=1"'],
    ['is not a usual one', 'campaigns.acme.test. TXT "v=spf1 include:sendgrid.net -all"'],
    ['is a CNAME to no known service', 'mail.acme.test. CNAME www.other.test.'],
  ])('does not count if it %s', async (_, zone) => {
    expect((await namesBelow(zone)).names).toEqual([])
  })

  test('shows a service by its CNAME, even if the target has no text', async () => {
    const { names } = await namesBelow(`
      em.acme.test. CNAME u1234.wl123.sendgrid.net.
      pm-bounces.acme.test. CNAME pm.mtasv.net.
      pm.mtasv.net. TXT "v=spf1 ip4:192.0.2.1 -all"
      autodiscover.acme.test. CNAME autodiscover.outlook.com.
    `)
    expect(names).toEqual([
      {
        name: 'em.acme.test',
        sends: false,
        signs: false,
        service: 'sendgrid',
        included: [],
        evidence: 'em.acme.test CNAME u1234.wl123.sendgrid.net',
      },
      {
        name: 'pm-bounces.acme.test',
        sends: false,
        signs: false,
        service: 'postmark',
        included: [],
        evidence: 'pm-bounces.acme.test CNAME pm.mtasv.net',
      },
      {
        name: 'autodiscover.acme.test',
        sends: false,
        signs: false,
        service: 'microsoft365',
        included: [],
        evidence: 'autodiscover.acme.test CNAME autodiscover.outlook.com',
      },
    ])
  })
})

test('asks nothing more about a name that does not exist', async () => {
  const { names, queries } = await namesBelow('')
  expect(names).toEqual([])
  expect(queries.filter((query) => query.includes('news.acme.test'))).toEqual([
    'TXT news.acme.test',
  ])
})

describe('a failed lookup', () => {
  test('is listed, and is not a name that does not exist', async () => {
    const zone = 'news.acme.test. TXT "v=spf1 mx -all"'
    const { names, failed } = await namesBelow(zone, {
      'TXT news.acme.test': 'servfail',
      'TXT em.acme.test': 'timeout',
    })
    expect([names, failed]).toEqual([[], ['em.acme.test', 'news.acme.test']])
  })

  test('of a wildcard does not hide the names', async () => {
    const zone = 'news.acme.test. TXT "v=spf1 mx -all"'
    const { names } = await namesBelow(zone, { 'TXT made-up-1.acme.test': 'servfail' })
    expect(names.map(({ name }) => name)).toEqual(['news.acme.test'])
  })
})

describe('a wildcard', () => {
  test('with a text shows nothing, but other records do', async () => {
    const { names } = await namesBelow(`
      *.acme.test. TXT "v=spf1 include:sendgrid.net -all"
      news.acme.test. TXT "v=spf1 include:servers.mcsv.net -all"
    `)
    expect(names.map(({ evidence }) => evidence)).toEqual([
      'news.acme.test TXT v=spf1 include:servers.mcsv.net -all',
    ])
  })

  test('with a CNAME to a service shows nothing', async () => {
    const { names } = await namesBelow('*.acme.test. CNAME u1.wl1.sendgrid.net.')
    expect(names).toEqual([])
  })

  test('proves no DKIM key', async () => {
    const { names, queries } = await namesBelow('*.acme.test. A 192.0.2.1')
    expect(names).toEqual([])
    expect(queries.filter((query) => query.includes('_domainkey'))).toEqual([])
  })
})

test('leaves out names that are too long for DNS', async () => {
  const domain = `${'a.'.repeat(122)}acme.test`
  const dns = zoneDns('acme.test. TXT "x"')
  const txt = await dns.query(`x.${domain}`, 'TXT')
  await discoverBelow(dns, domain, { txt, mx: await dns.query(`x.${domain}`, 'MX') })
  const asked = dns.queries.slice(2).map((query) => query.split(' ')[1] ?? '')
  expect(asked.every((name) => name.length <= 253)).toBe(true)
})
