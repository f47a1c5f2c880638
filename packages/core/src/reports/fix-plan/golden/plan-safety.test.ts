/** Plans that must not lose mail when they are followed exactly. */

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
  test('keeps an MX that is a CNAME: an MTA-STS policy may name it', async () => {
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
      /^This plan has no record to publish for acme\.test\. See its warnings/,
    )
  })

  test('plans no hosted MTA-STS policy for the servers of another provider (RFC 8461 §5)', async () => {
    const zone = `${SOUND}
      acme.test. MX 10 mail.tutanota.de.
      mail.tutanota.de. A 81.3.6.165
      spf.tutanota.de. TXT "v=spf1 ip4:81.3.6.160/28 -all"`
    expect((await changes(zone)).filter((line) => line.includes('mta-sts'))).toEqual([])
  })
})

describe('wildcards (RFC 4592)', () => {
  test('does not delete the answer of a wildcard CNAME', async () => {
    const zone = `${MAILBOXES}
      *.acme.test. CNAME pixie.porkbun.com.`
    expect(await changes(zone)).toEqual([
      'create TXT acme.test v=spf1 include:_spf.google.com ~all',
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
  })

  test('does not add to the answer of a wildcard TXT', async () => {
    const zone = `${SOUND.replace('ada.ns.cloudflare.com', 'ns-1.awsdns-01.com')}
      *.acme.test. TXT "v=spf1 -all"`
    const { steps, exports } = await planFromZone(zone)
    expect(steps[1]).toMatch(/^Add a TXT record set: name `_dmarc`, value/)
    expect(exports.terraform).not.toContain('v=spf1 -all')
  })

  test('does not edit a policy from a wildcard', async () => {
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

  test('expands its own server instead of moving it', async () => {
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

  test('names every sender that has to move', async () => {
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

  test('proposes no subdomain under strict alignment', async () => {
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

  test('publishes the key first for a sender that passed via ptr', async () => {
    const zone = `${OWN_SERVER}
      acme.test. TXT "v=spf1 ptr:acme.test ip4:203.0.113.5 -all"
      ${REJECT}`
    expect(await changes(zone)).toEqual([
      'create TXT mail._domainkey.acme.test v=DKIM1; k=rsa; p={public-key}',
      'replace TXT acme.test v=spf1 ip4:203.0.113.5 -all',
    ])
    const { steps } = await planFromZone(zone)
    expect(steps[2]).toMatch(
      /^Do this only once every service that sends via ptr:acme\.test signs as acme\.test:/,
    )
    expect(steps[2]).toContain('dkim=pass with header.d=acme.test')
  })

  test('repairs commas and semicolons between terms', async () => {
    const zone = `${MAILBOXES}
      acme.test. TXT "v=spf1 include:_spf.google.com, ip4:203.0.113.1; ~all"`
    expect((await changes(zone))[0]).toBe(
      'replace TXT acme.test v=spf1 include:_spf.google.com ip4:203.0.113.1 ~all',
    )
  })

  test('replaces a redirect beside "all" with an include and explains it', async () => {
    const zone = `${MAILBOXES}
      acme.test. TXT "v=spf1 redirect=_spf.google.com ~all"`
    const { records } = await planFromZone(zone)
    expect(records[0]?.value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(records[0]?.why).toContain('Receivers ignore redirect=_spf.google.com beside "all"')
  })

  test('does not lock a domain whose only service cannot align', async () => {
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

  test('does not lock a domain whose only include is gone', async () => {
    const plan = await planFromZone(`acme.test. A 192.0.2.80
      acme.test. TXT "v=spf1 include:gone.vendor.test ~all"`)
    expect(plan.sendsMail).toBe(true)
    expect(recordLines(plan)[0]).toBe('replace TXT acme.test v=spf1 ~all')
  })
})

describe('DMARC', () => {
  test('keeps the subdomain policy of a non-sending domain', async () => {
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
  ])('does not activate the subdomain policy of %s', async (_, record) => {
    expect((await stages(`${SOUND}\n${record}`))[0]).toBe(
      'v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    )
  })

  test('skips t=y where it would lower sp (RFC 9989 §4.7)', async () => {
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
  ])('rolls back from %s, stage %i, to the previous record', async (tags, stage, value) => {
    const { rollout } = await planFromZone(`${SOUND}\n${dmarc(tags)}`)
    expect(rollout[stage - 1]?.rollback).toBe(
      `Publish the record of stage 1 again, "${value}", and find the sender in the reports.`,
    )
  })

  test('replaces a report address at a domain that accepts no mail', async () => {
    const zone = `${SENDGRID}
      acme.test. MX 0 .
      acme.test. TXT "v=spf1 include:sendgrid.net ~all"
      ${dmarc('p=none')}`
    expect((await changes(zone)).at(-1)).toBe(
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test,mailto:{report-mailbox}',
    )
  })

  test('warns about delegated names', async () => {
    const zone = `${SOUND}
      ${REJECT}
      _domainkey.acme.test. NS ns.vali.test.`
    expect(await ids(zone)).toEqual(['plan.delegated-names'])
  })

  test('leaves out names that are too long and warns', async () => {
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
  test('does not treat a failed selector query as a missing key', async () => {
    const failing = { 'TXT google._domainkey.acme.test': 'servfail' } as const
    const { checked } = await runPlan(`${SOUND}\n${REJECT}`, { failing })
    expect(checked).toMatchObject({
      kind: 'unavailable',
      query: { name: 'google._domainkey.acme.test' },
    })
  })

  test('plans a key for its own server beside those of a service', async () => {
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

  test('recommends a new selector for a key in use', async () => {
    const zone = `${MAILBOXES}
      acme.test. TXT "v=spf1 include:_spf.google.com ~all"
      ${keyZoneLine('google', `v=DKIM1; k=rsa; p=${SPKI[1024]}`)}
      ${REJECT}`
    const { steps } = await planFromZone(zone)
    expect(steps[1]).toMatch(
      /^If you can choose a new selector, publish the new key there instead.*If you must reuse the selector, continue with this step\. Find/,
    )
  })
})

test('keeps the TLS report addresses', async () => {
  const zone = `${SOUND}
    ${REJECT}
    _smtp._tls.acme.test. TXT "v=TLSRPTv1 rua=mailto:x@acme.test"`
  expect(await changes(zone)).toEqual([
    'replace TXT _smtp._tls.acme.test v=TLSRPTv1; rua=mailto:x@acme.test',
  ])
})

describe('partial setup', () => {
  const MICROSOFT = `
    acme.test. NS ada.ns.cloudflare.com.
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme-test.mail.protection.outlook.com. A 52.101.73.4
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com ~all"
    spf.protection.outlook.com. TXT "v=spf1 ip4:40.92.0.0/16 -all"`
  const target = (selector: string) => `${selector}-acme-test._domainkey.acmetest.onmicrosoft.com`

  test('plans the missing selector of a pair', async () => {
    const zone = `${MICROSOFT}
      selector1._domainkey.acme.test. CNAME ${target('selector1')}.
      ${txtZoneLine(target('selector1'), GOOD_KEY_RECORD)}
      ${REJECT}`
    expect(await changes(zone)).toEqual(['create CNAME selector2._domainkey.acme.test {target-2}'])
  })

  test('replaces a target with the domain appended', async () => {
    const zone = `${MICROSOFT}
      selector1._domainkey.acme.test. CNAME ${target('selector1')}.acme.test.
      ${REJECT}`
    expect(await changes(zone)).toEqual([
      'replace CNAME selector1._domainkey.acme.test {target-1}',
      'create CNAME selector2._domainkey.acme.test {target-2}',
    ])
  })

  test('asks to turn on signing if the CNAMEs have no keys yet', async () => {
    const zone = `${MICROSOFT}
      selector1._domainkey.acme.test. CNAME ${target('selector1')}.
      selector2._domainkey.acme.test. CNAME ${target('selector2')}.
      ${REJECT}`
    expect(await changes(zone)).toEqual([])
    expect((await planFromZone(zone)).steps.join('\n')).toMatch(
      /Set Sign messages for this domain with DKIM signatures to Enabled\./,
    )
  })
})

test('does not lock a domain with a good key and SPF without senders', async () => {
  const zone = `${MAILBOXES}
    acme.test. TXT "v=spf1 -all"
    ${keyZoneLine('google')}`
  const plan = await planFromZone(zone)
  expect(plan.sendsMail).toBe(true)
  expect(recordLines(plan)).toContain('keep TXT acme.test v=spf1 -all')
  expect(plan.rollout[0]?.record.value).toBe('v=DMARC1; p=none; rua=mailto:dmarc@acme.test')
})

test('warns that a lock affects subdomains and mailboxes', async () => {
  const { steps } = await planFromZone(`${MAILBOXES}
    acme.test. TXT "v=spf1 -all"`)
  expect(steps[1]).toMatch(
    /^This also applies to every name below acme\.test: if one of them sends mail, publish a DMARC record for it first\. The domain has mail servers: make sure that no one sends from them\. Add a TXT record/,
  )
})

test('deletes one of two SPF records and does not edit the other', async () => {
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
