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

test('a domain that does not exist has no plan', async () => {
  const { checked } = await runPlan(ZONE, { domain: 'nowhere.test' })
  expect(checked).toEqual({ kind: 'unknown-domain' })
})

describe('a lookup that fails ends the plan: what was not seen is not planned', () => {
  test.each([
    'NS acme.test',
    'MX acme.test',
    'A smtp.google.com',
    'TXT acme.test',
    'TXT sendgrid.net',
    'TXT _dmarc.acme.test',
    'TXT _mta-sts.acme.test',
  ])('%s', async (question) => {
    const { checked } = await runPlan(ZONE, { failing: { [question]: 'servfail' } })
    const [type, name] = question.split(' ')
    expect(checked).toMatchObject({ kind: 'unavailable', query: { type, name } })
  })

  test.each([
    ['MX acme.test', 'shop.acme.test', 'shop.acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"'],
    ['CNAME mta-sts.mail.test', 'mail.test', 'mail.test. MX 0 mail.tutanota.de.'],
  ])('%s, which only %s needs', async (question, domain, lines) => {
    const zone = `${ZONE}
      mail.tutanota.de. A 192.0.2.7
      spf.tutanota.de. TXT "v=spf1 ip4:192.0.2.7 -all"
      _dmarc.shop.acme.test. TXT "v=DMARC1; p=none"
      ${lines}`
    const { checked } = await runPlan(zone, { domain, failing: { [question]: 'timeout' } })
    const [type, name] = question.split(' ')
    expect(checked).toMatchObject({ kind: 'unavailable', query: { type, name } })
  })

  test('but a guessed selector does not', async () => {
    const { checked } = await runPlan(ZONE, {
      failing: { 'TXT mail._domainkey.acme.test': 'servfail' },
    })
    expect(checked.kind).toBe('report')
  })
})

describe('the zone', () => {
  test.each([
    ['acme.test', 'cloudflare', '_dmarc'],
    ['shop.acme.test', 'cloudflare', '_dmarc.shop'],
    ['own.acme.test', 'route53', '_dmarc'],
    ['a.own.acme.test', 'route53', '_dmarc.a'],
  ])('of %s is served by %s', async (domain, id, host) => {
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
