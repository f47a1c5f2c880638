import { describe, expect, test } from 'vitest'
import { planFromZone, runPlan } from '../../../test/support/plan-fixture.js'

const ZONE = `
  acme.test. NS ada.ns.cloudflare.com.
  acme.test. MX 1 smtp.google.com.
  smtp.google.com. A 192.0.2.1
  acme.test. TXT "v=spf1 include:_spf.google.com include:sendgrid.net ~all"
  _spf.google.com. TXT "v=spf1 ip4:192.0.2.0/28 ~all"
  sendgrid.net. TXT "v=spf1 ip4:192.0.2.16/28 ~all"
  _dmarc.acme.test. TXT "v=DMARC1; p=none; rua=mailto:d@acme.test"
`

test('returns unknown-domain for a domain that does not exist', async () => {
  const { checked } = await runPlan(ZONE, { domain: 'nowhere.test' })
  expect(checked).toEqual({ kind: 'unknown-domain' })
})

describe('failed lookup', () => {
  test.each([
    'NS acme.test',
    'MX acme.test',
    'A smtp.google.com',
    'TXT acme.test',
    'TXT sendgrid.net',
    'TXT _dmarc.acme.test',
    'TXT _mta-sts.acme.test',
  ])('returns unavailable when %s fails', async (query) => {
    const { checked } = await runPlan(ZONE, { failing: { [query]: 'servfail' } })
    const [type, name] = query.split(' ')
    expect(checked).toMatchObject({ kind: 'unavailable', query: { type, name } })
  })

  test.each([
    ['MX acme.test', 'shop.acme.test', 'shop.acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"'],
    ['CNAME mta-sts.mail.test', 'mail.test', 'mail.test. MX 0 mail.tutanota.de.'],
  ])('returns unavailable when %s fails, which only %s needs', async (query, domain, lines) => {
    const zone = `${ZONE}
      mail.tutanota.de. A 192.0.2.7
      spf.tutanota.de. TXT "v=spf1 ip4:192.0.2.7 -all"
      _dmarc.shop.acme.test. TXT "v=DMARC1; p=none"
      ${lines}`
    const { checked } = await runPlan(zone, { domain, failing: { [query]: 'timeout' } })
    const [type, name] = query.split(' ')
    expect(checked).toMatchObject({ kind: 'unavailable', query: { type, name } })
  })

  test('keeps a report destination that could not be looked up', async () => {
    const zone = `${ZONE}
      _dmarc.shop.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:d@vendor.test"
      shop.acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"`
    const { checked } = await runPlan(zone, {
      domain: 'shop.acme.test',
      failing: {
        'MX vendor.test': 'servfail',
        'TXT shop.acme.test._report._dmarc.vendor.test': 'timeout',
      },
    })
    if (checked.kind !== 'report') throw new Error(checked.kind)
    expect(checked.report.records.filter(({ purpose }) => purpose === 'dmarc')).toMatchObject([
      { action: 'keep', value: 'v=DMARC1; p=reject; rua=mailto:d@vendor.test' },
    ])
  })

  test('returns a plan if a guessed selector fails', async () => {
    const { checked } = await runPlan(ZONE, {
      failing: { 'TXT mail._domainkey.acme.test': 'servfail' },
    })
    expect(checked.kind).toBe('report')
  })
})

describe('zone', () => {
  test.each([
    ['acme.test', 'cloudflare', '_dmarc'],
    ['shop.acme.test', 'cloudflare', '_dmarc.shop'],
    ['own.acme.test', 'route53', '_dmarc'],
    ['a.own.acme.test', 'route53', '_dmarc.a'],
  ])('of %s is hosted at %s', async (domain, id, host) => {
    const zone = `${ZONE}
      shop.acme.test. MX 1 smtp.google.com.
      own.acme.test. NS ns-1.awsdns-01.com.
      own.acme.test. MX 1 smtp.google.com.
      a.own.acme.test. MX 1 smtp.google.com.
      _dmarc.shop.acme.test. TXT "v=DMARC1; p=none"
      _dmarc.own.acme.test. TXT "v=DMARC1; p=none"
      _dmarc.a.own.acme.test. TXT "v=DMARC1; p=none"`
    const { dnsHost, records } = await planFromZone(zone, { domain })
    expect(dnsHost?.id).toBe(id)
    expect(records.find(({ purpose }) => purpose === 'dmarc')?.host).toBe(host)
  })
})
