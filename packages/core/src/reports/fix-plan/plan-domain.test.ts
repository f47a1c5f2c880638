import type { FailureReason } from '@mailgrade/doh/dns'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine } from '../../../test/support/dkim-fixture.js'
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
  test.each(['NS acme.test', 'MX acme.test', 'TXT acme.test', 'TXT _dmarc.acme.test'])(
    'returns unavailable when %s fails',
    async (query) => {
      const { checked } = await runPlan(ZONE, { failing: { [query]: 'servfail' } })
      const [type, name] = query.split(' ')
      expect(checked).toMatchObject({ kind: 'unavailable', query: { type, name } })
    },
  )

  test.each([
    ['MX acme.test', 'shop.acme.test', 'shop.acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"'],
  ])('returns unavailable when %s fails, which only %s needs', async (query, domain, lines) => {
    const zone = `${ZONE}
      _dmarc.shop.acme.test. TXT "v=DMARC1; p=none"
      ${lines}`
    const { checked } = await runPlan(zone, { domain, failing: { [query]: 'timeout' } })
    const [type, name] = query.split(' ')
    expect(checked).toMatchObject({ kind: 'unavailable', query: { type, name } })
  })

  test('keeps mail servers whose address is unknown, and broken ones beside them', async () => {
    const { records, warnings } = await planFromZone(`${ZONE}\nacme.test. MX 5 gone.test.`, {
      failing: { 'A smtp.google.com': 'servfail' },
    })
    const servers = records.filter(({ purpose }) => purpose === 'mx')
    expect(servers.map(({ action, value }) => [action, value])).toEqual([
      ['keep', '1 smtp.google.com'],
      ['keep', '5 gone.test'],
    ])
    expect(servers[0]?.why).toContain('couldn’t look up its address')
    expect(warnings.map(({ id }) => id)).toContain('mx.host-unavailable')
  })

  const TUTA_ZONE = `
    mail.test. MX 0 mail.tutanota.de.
    mail.tutanota.de. A 192.0.2.7
    spf.tutanota.de. TXT "v=spf1 ip4:192.0.2.7 -all"`

  test.each([
    ['TXT _mta-sts.mail.test', ['transport.lookup-unavailable']],
    ['TXT _smtp._tls.mail.test', ['transport.lookup-unavailable']],
    ['CNAME mta-sts.mail.test', []],
  ])('plans no transport record beside what is unknown: %s', async (query, warnings) => {
    const purposes = async (failing: Record<string, FailureReason>) => {
      const { records, ...plan } = await planFromZone(TUTA_ZONE, { domain: 'mail.test', failing })
      const names = records.filter(({ purpose }) => /mta-sts|tls-rpt/.test(purpose)).map(nameOf)
      return { names, warnings: plan.warnings.map(({ id }) => id) }
    }
    const nameOf = ({ name }: { readonly name: string }) => name
    expect((await purposes({})).names).toEqual([
      '_mta-sts.mail.test',
      'mta-sts.mail.test',
      '_smtp._tls.mail.test',
    ])
    const { names, ...found } = await purposes({ [query]: 'timeout' })
    expect(names).not.toContain(query.split(' ')[1])
    expect(found.warnings).toEqual(warnings)
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

test('records that differ only in how their octets are encoded stay apart', async () => {
  const { exports, records, steps } = await planFromZone(`
    acme.test. NS ns-1.awsdns-01.com.
    acme.test. MX 1 smtp.google.com.
    _spf.google.com. TXT "v=spf1 ip4:192.0.2.1 -all"
    acme.test. TXT "v=spf1 include:_spf.google.com ~all \\233"
    acme.test. TXT "x=\\233"
    acme.test. TXT "x=\\195\\169"
    acme.test. TXT "v=DMARC1; p=none; x=\\233"`)
  const { terraform, zoneFile } = exports
  expect(terraform).toContain('["x=\\\\351", "x=\\\\303\\\\251", "v=spf1')
  expect(zoneFile).toContain(
    '; Delete: acme.test. 3600 IN TXT "v=spf1 include:_spf.google.com ~all \\233"\n',
  )
  expect(zoneFile).toContain('; Delete: acme.test. 3600 IN TXT "v=DMARC1; p=none; x=\\233"\n')
  const actions = steps.flatMap((step) => step.actions).join('\n')
  expect(actions).toContain('Keep `x=\\233`, `x=é`, and ')
  expect(records.map(({ value }) => value)).toContain('v=DMARC1; p=none; x=é')
  expect(JSON.stringify({ records, steps, exports })).not.toMatch(/\\ud/)
})

describe('key of a forwarder', () => {
  const forwarderKey = (text: string) => keyZoneLine('cf2024-1', text)

  test('shows no sender and no sending domain', async () => {
    const zone = `
      acme.test. MX 0 .
      acme.test. TXT "v=spf1 -all"
      ${forwarderKey(GOOD_KEY_RECORD)}`
    const { sendsMail, senders, records } = await planFromZone(zone)
    expect({ sendsMail, senders }).toEqual({ sendsMail: false, senders: [] })
    expect(records.filter(({ purpose }) => purpose === 'dkim')).toMatchObject([{ action: 'keep' }])
  })

  test('is kept where the forwarder no longer receives mail', async () => {
    const { senders, records } = await planFromZone(
      `${ZONE}${forwarderKey(`v=DKIM1; p=${SPKI[1024]}`)}`,
    )
    expect(senders.map(({ id }) => id)).toEqual(['sendgrid'])
    expect(records.find(({ name }) => name.startsWith('cf2024-1.'))).toMatchObject({
      action: 'keep',
      why: 'It belongs to Cloudflare Email Routing, which only forwards mail.',
    })
  })
})

test('a domain whose only key receivers refuse still sends mail', async () => {
  for (const record of [`v=DKIM1; p=${SPKI[512]}`, `v=DKIM1; h=sha1; p=${SPKI[2048]}`]) {
    const zone = `acme.test. MX 0 .\nacme.test. TXT "v=spf1 -all"\n${keyZoneLine('s1', record)}`
    expect((await planFromZone(zone)).sendsMail).toBe(true)
  }
})
