/** What a plan must not do, because somebody who follows it to the letter would lose mail by it. */

import { SPKI } from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import { planFromZone, recordLines, runPlan } from '../../../../test/support/plan-fixture.js'
import { GOOGLE, SENDGRID } from '../../../../test/support/service-zones.js'

const REJECT = '_dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:dmarc@acme.test"'
const MAILBOXES = `${GOOGLE}
  acme.test. NS ada.ns.cloudflare.com.
  acme.test. MX 1 smtp.google.com.`
const SOUND = `${MAILBOXES}
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
  ${keyZoneLine('google')}`
const OWN_SERVER = `
  acme.test. NS ada.ns.cloudflare.com.
  acme.test. MX 10 mail.acme.test.
  mail.acme.test. A 203.0.113.2`

const dmarc = (tags: string) =>
  `_dmarc.acme.test. TXT "v=DMARC1; ${tags}; rua=mailto:dmarc@acme.test"`
const changes = async (zone: string) =>
  recordLines(await planFromZone(zone)).filter((line) => !line.startsWith('keep'))
const stages = async (zone: string) =>
  (await planFromZone(zone)).rollout.map(({ record }) => record.value)
const ids = async (zone: string) => (await planFromZone(zone)).warnings.map(({ id }) => id)

describe('mail servers', () => {
  test('an alias in an MX stays: a policy of MTA-STS may name it', async () => {
    const zone = `acme.test. MX 10 mail.acme.test.
      mail.acme.test. CNAME lb.hosting.test.
      lb.hosting.test. A 203.0.113.9
      acme.test. TXT "v=spf1 mx -all"
      ${keyZoneLine('default')}
      ${REJECT}`
    expect(await changes(zone)).toEqual([])
    const { steps, warnings } = await planFromZone(zone)
    expect(warnings.map(({ id }) => id)).toEqual(['mx.cname'])
    expect(steps[0]).toMatch(
      /^This plan has no record to publish for acme\.test, but see its warnings/,
    )
  })

  test('a policy of one provider is not laid over the servers of another (RFC 8461 §5)', async () => {
    const zone = `${SOUND}
      acme.test. MX 10 mail.tutanota.de.
      mail.tutanota.de. A 81.3.6.165
      spf.tutanota.de. TXT "v=spf1 ip4:81.3.6.160/28 -all"`
    expect((await changes(zone)).filter((line) => line.includes('mta-sts'))).toEqual([])
  })
})

describe('wildcards (RFC 4592)', () => {
  test('what a wildcard CNAME makes is not there to be deleted', async () => {
    const zone = `${MAILBOXES}
      *.acme.test. CNAME pixie.porkbun.com.`
    expect(await changes(zone)).toEqual([
      'create TXT acme.test v=spf1 include:_spf.google.com ~all',
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
  })

  test('nor is a wildcard TXT a set to be added to', async () => {
    const zone = `${SOUND.replace('ada.ns.cloudflare.com', 'ns-1.awsdns-01.com')}
      *.acme.test. TXT "v=spf1 -all"`
    const { steps, exports } = await planFromZone(zone)
    expect(steps[1]).toMatch(/^Add a TXT record set: name `_dmarc`, value/)
    expect(exports.terraform).not.toContain('v=spf1 -all')
  })

  test('a policy that a wildcard gives is not there to be edited', async () => {
    const zone = `${SOUND}
      *.acme.test. TXT "v=DMARC1; p=none"`
    expect(await changes(zone)).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
  })
})

describe('SPF', () => {
  const vendors = (count: number) =>
    Array.from({ length: count }, (_, index) => `spf.v${index}.test`)
  const includes = (hosts: readonly string[]) => hosts.map((host) => `include:${host}`).join(' ')
  const published = (hosts: readonly string[]) =>
    hosts.map((host, index) => `${host}. TXT "v=spf1 ip4:192.0.2.${index} -all"`).join('\n')

  test('the domain’s own server is written out, and not moved for unknown others', async () => {
    const hosts = vendors(12)
    const zone = `${OWN_SERVER}
      ${txtZoneLine('acme.test', `v=spf1 mx ${includes(hosts)} -all`)}
      ${published(hosts)}
      ${keyZoneLine('default')}
      ${REJECT}`
    const [change] = await changes(zone)
    expect(change).toMatch(/^replace TXT acme\.test v=spf1 ip4:203\.0\.113\.2 include:/)
    expect(change?.match(/include:/g)).toHaveLength(10)
  })

  test('everybody who has to move is named, however many they are', async () => {
    const hosts = vendors(24)
    const zone = `${MAILBOXES}
      ${txtZoneLine('acme.test', `v=spf1 include:_spf.google.com ${includes(hosts)} -all`)}
      ${keyZoneLine('google')}
      ${published(hosts)}`
    const { records, warnings, steps } = await planFromZone(zone)
    const spf = records.find(({ purpose }) => purpose === 'spf')
    const moved = hosts.filter((host) => !spf?.value.includes(`${host} `))
    expect(moved.length).toBeGreaterThan(15)
    for (const host of moved) {
      expect(spf?.why).toContain(host)
      expect(warnings.find(({ id }) => id === 'plan.senders-to-move')?.title).toContain(host)
      expect(steps.join('\n')).toContain(host)
    }
  })

  test('under strict alignment a subdomain is no way out', async () => {
    const hosts = vendors(14)
    const zone = `${OWN_SERVER}
      ${txtZoneLine('acme.test', `v=spf1 ${includes(hosts)} -all`)}
      ${published(hosts)}
      ${dmarc('p=reject; aspf=s; adkim=s')}`
    const { warnings } = await planFromZone(zone)
    expect(warnings.find(({ id }) => id === 'plan.senders-to-move')?.fix).toBe(
      'Set up DKIM for acme.test itself at each of them: with aspf=s in the DMARC record, a subdomain is not aligned.',
    )
  })

  test('whoever passed by ptr alone is thought of, and the key comes first', async () => {
    const zone = `${OWN_SERVER}
      acme.test. TXT "v=spf1 ptr:acme.test ip4:203.0.113.5 -all"
      ${REJECT}`
    expect(await changes(zone)).toEqual([
      'create TXT mail._domainkey.acme.test v=DKIM1; k=rsa; p={public-key}',
      'replace TXT acme.test v=spf1 ip4:203.0.113.5 -all',
    ])
    const { steps } = await planFromZone(zone)
    expect(steps[2]).toMatch(
      /^Do this only when whoever sends by ptr:acme\.test signs as acme\.test:/,
    )
    expect(steps[2]).toContain('dkim=pass with header.d=acme.test')
  })

  test('commas and semicolons between terms are slips, and lose nobody', async () => {
    const zone = `${MAILBOXES}
      acme.test. TXT "v=spf1 include:_spf.google.com, ip4:203.0.113.1; ~all"`
    expect((await changes(zone))[0]).toBe(
      'replace TXT acme.test v=spf1 include:_spf.google.com ip4:203.0.113.1 ~all',
    )
  })

  test('a redirect beside "all" is written as an include, and said so', async () => {
    const zone = `${MAILBOXES}
      acme.test. TXT "v=spf1 redirect=_spf.google.com ~all"`
    const { records } = await planFromZone(zone)
    expect(records[0]?.value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(records[0]?.why).toContain('Receivers ignore redirect=_spf.google.com beside "all"')
  })

  test('a domain that only names a service which cannot align is not locked', async () => {
    const zone = `${SENDGRID}
      acme.test. A 192.0.2.80
      acme.test. TXT "v=spf1 include:sendgrid.net ~all"`
    const plan = await planFromZone(zone)
    expect(plan.sendsMail).toBe(true)
    expect(recordLines(plan).filter((line) => line.includes('acme.test v='))).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:{report-mailbox}',
      'keep TXT acme.test v=spf1 include:sendgrid.net ~all',
    ])
  })

  test('nor is one whose only include is gone', async () => {
    const plan = await planFromZone(`acme.test. A 192.0.2.80
      acme.test. TXT "v=spf1 include:gone.vendor.test ~all"`)
    expect(plan.sendsMail).toBe(true)
    expect(recordLines(plan)[0]).toBe('replace TXT acme.test v=spf1 ~all')
  })
})

describe('DMARC', () => {
  test('a silent domain keeps what it says of subdomains that may send', async () => {
    const zone = `acme.test. MX 0 .
      acme.test. TXT "v=spf1 -all"
      ${dmarc('p=none; sp=none')}
      _dmarc.gone.test. TXT "x"`
    expect(await changes(zone)).toEqual([
      'replace TXT _dmarc.acme.test v=DMARC1; p=reject; sp=none; rua=mailto:dmarc@acme.test',
    ])
    expect(await ids(zone)).toContain('dmarc.subdomains-open')
  })

  test.each([
    [
      'of two records, which receivers discard',
      `${dmarc('p=none; sp=reject')}\n${dmarc('p=reject; sp=reject')}`,
    ],
    ['of a record whose p is wrong, which counts as none', dmarc('p=monitor; sp=reject')],
  ])('what is said of subdomains does not come into force unseen: %s', async (_, record) => {
    expect((await stages(`${SOUND}\n${record}`))[0]).toBe(
      'v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    )
  })

  test('t=y is left out where it would take a level off sp (RFC 9989 §4.7)', async () => {
    expect(await stages(`${SOUND}\n${dmarc('p=none; sp=reject')}`)).toEqual([
      'v=DMARC1; p=none; sp=reject; rua=mailto:dmarc@acme.test',
      'v=DMARC1; p=quarantine; sp=reject; rua=mailto:dmarc@acme.test',
      'v=DMARC1; p=reject; sp=reject; rua=mailto:dmarc@acme.test',
    ])
  })

  test.each([
    ['p=reject; sp=none', 2, 'v=DMARC1; p=reject; sp=none; rua=mailto:dmarc@acme.test'],
    ['p=quarantine; pct=50', 2, 'v=DMARC1; p=quarantine; pct=50; rua=mailto:dmarc@acme.test'],
    ['p=quarantine; sp=none', 2, 'v=DMARC1; p=quarantine; sp=none; rua=mailto:dmarc@acme.test'],
  ])('from %s, stage %i goes back to what stood before', async (tags, stage, value) => {
    const { rollout } = await planFromZone(`${SOUND}\n${dmarc(tags)}`)
    expect(rollout[stage - 1]?.rollback).toBe(
      `Publish the record of stage 1 again, "${value}", and find the sender in the reports.`,
    )
  })

  test('reports to a domain that takes no mail do not arrive', async () => {
    const zone = `${SENDGRID}
      acme.test. MX 0 .
      acme.test. TXT "v=spf1 include:sendgrid.net ~all"
      ${dmarc('p=none')}`
    expect((await changes(zone)).at(-1)).toBe(
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test,mailto:{report-mailbox}',
    )
  })

  test('names that others serve are told of', async () => {
    const zone = `${SOUND}
      ${REJECT}
      _domainkey.acme.test. NS ns.vali.test.`
    expect(await ids(zone)).toEqual(['plan.delegated-names'])
  })

  test('names that do not fit are left out, and told of', async () => {
    const domain = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.test`
    const zone = `${domain}. MX 1 smtp.google.com.\n${GOOGLE}`
    const plan = await planFromZone(zone, { domain })
    expect(recordLines(plan).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'create TXT',
      'keep MX',
    ])
    expect([plan.rollout, plan.warnings[0]?.id]).toEqual([[], 'plan.name-too-long'])
  })
})

describe('DKIM', () => {
  test('a selector that could not be looked up is not a key that is missing', async () => {
    const failing = { 'TXT google._domainkey.acme.test': 'servfail' } as const
    const { checked } = await runPlan(`${SOUND}\n${REJECT}`, { failing })
    expect(checked).toMatchObject({
      kind: 'unavailable',
      query: { name: 'google._domainkey.acme.test' },
    })
  })

  test('a server of its own needs a key beside those of a service', async () => {
    const zone = `${OWN_SERVER}
      servers.mcsv.net. TXT "v=spf1 ip4:205.201.128.0/20 ?all"
      dkim2.mcsv.net. TXT "${keyZoneLine('x').split('"')[1]}"
      acme.test. TXT "v=spf1 mx include:servers.mcsv.net ~all"
      k2._domainkey.acme.test. CNAME dkim2.mcsv.net.
      ${dmarc('p=none')}`
    expect(await changes(zone)).toContain(
      'create TXT mail._domainkey.acme.test v=DKIM1; k=rsa; p={public-key}',
    )
  })

  test('a key in use is replaced under a new selector first of all', async () => {
    const zone = `${MAILBOXES}
      acme.test. TXT "v=spf1 include:_spf.google.com ~all"
      ${keyZoneLine('google', `v=DKIM1; k=rsa; p=${SPKI[1024]}`)}
      ${REJECT}`
    const { steps } = await planFromZone(zone)
    expect(steps[1]).toMatch(
      /^If a new selector can be chosen, publish the new key under that one instead.*Only where the selector has to stay: Find/,
    )
  })
})

test('reports on TLS go on to where they went', async () => {
  const zone = `${SOUND}
    ${REJECT}
    _smtp._tls.acme.test. TXT "v=TLSRPTv1 rua=mailto:x@acme.test"`
  expect(await changes(zone)).toEqual([
    'replace TXT _smtp._tls.acme.test v=TLSRPTv1; rua=mailto:x@acme.test',
  ])
})

describe('what is half set up', () => {
  const MICROSOFT = `
    acme.test. NS ada.ns.cloudflare.com.
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme-test.mail.protection.outlook.com. A 52.101.73.4
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com ~all"
    spf.protection.outlook.com. TXT "v=spf1 ip4:40.92.0.0/16 -all"`
  const target = (selector: string) => `${selector}-acme-test._domainkey.acmetest.onmicrosoft.com`

  test('the other selector of a pair is asked for, before the service changes to it', async () => {
    const zone = `${MICROSOFT}
      selector1._domainkey.acme.test. CNAME ${target('selector1')}.
      ${txtZoneLine(target('selector1'), GOOD_KEY_RECORD)}
      ${REJECT}`
    expect(await changes(zone)).toEqual([
      'create CNAME selector2._domainkey.acme.test {selector2-target}',
    ])
  })

  test('a target with the domain once more at its end is a slip, and not right', async () => {
    const zone = `${MICROSOFT}
      selector1._domainkey.acme.test. CNAME ${target('selector1')}.acme.test.
      ${REJECT}`
    expect(await changes(zone)).toEqual([
      'replace CNAME selector1._domainkey.acme.test {selector1-target}',
      'create CNAME selector2._domainkey.acme.test {selector2-target}',
    ])
  })

  test('where the aliases stand and no key is behind them, signing is to be turned on', async () => {
    const zone = `${MICROSOFT}
      selector1._domainkey.acme.test. CNAME ${target('selector1')}.
      selector2._domainkey.acme.test. CNAME ${target('selector2')}.
      ${REJECT}`
    expect(await changes(zone)).toEqual([])
    expect((await planFromZone(zone)).steps.join('\n')).toMatch(/turn signing on for the domain/)
  })
})

test('a domain with a good key is not locked because SPF names nobody', async () => {
  const zone = `${MAILBOXES}
    acme.test. TXT "v=spf1 -all"
    ${keyZoneLine('google')}`
  const plan = await planFromZone(zone)
  expect(plan.sendsMail).toBe(true)
  expect(recordLines(plan)).toContain('keep TXT acme.test v=spf1 -all')
  expect(plan.rollout[0]?.record.value).toBe('v=DMARC1; p=none; rua=mailto:dmarc@acme.test')
})

test('a lock says what it does to names below, and to mailboxes', async () => {
  const { steps } = await planFromZone(`${MAILBOXES}
    acme.test. TXT "v=spf1 -all"`)
  expect(steps[1]).toMatch(
    /^This holds for every name below acme\.test as well: give one that does send a DMARC record of its own first\. It has mail servers: make sure that nobody writes from them\. Add a TXT record/,
  )
})

test('two SPF records are mended at once, and the one that stays is not edited', async () => {
  const zone = `${SENDGRID}${MAILBOXES}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    acme.test. TXT "v=spf1 include:sendgrid.net ~all"
    ${keyZoneLine('google')}
    ${REJECT}`
  const { steps } = await planFromZone(zone)
  expect(steps[1]).toBe(
    'Of the TXT records named `@`, keep `v=spf1 include:_spf.google.com ~all` and delete `v=spf1 include:sendgrid.net ~all`.',
  )
})
