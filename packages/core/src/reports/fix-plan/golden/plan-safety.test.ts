/** Plans that must not lose mail when they are followed exactly. */

import { SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import { TLS_REPORTS } from '../../../../test/support/golden-plan.js'
import { planFromZone, recordLines, runPlan } from '../../../../test/support/plan-fixture.js'
import { GOOGLE, SENDGRID } from '../../../../test/support/service-zones.js'
import { evaluateSpf } from '../../../checks/spf/evaluate-spf.js'
import { createOverlayDns } from '../../overlay-dns.js'
import type { FixPlan } from '../fix-plan-report.js'

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
    expect(steps.filter(({ optional }) => !optional)).toMatchObject([
      {
        title: 'mail.acme.test is a CNAME',
        actions: [expect.stringMatching(/the name the CNAME points to.*in the MX record/)],
        records: [],
      },
    ])
  })
})

describe('an SPF record that lets every server in', () => {
  const SENDER = '198.51.100.9'
  const passes = async (zone: string, records: FixPlan['records']) => {
    const published = records.filter(({ action }) => action === 'create' || action === 'replace')
    const dns = createOverlayDns(zoneDns(zone), published)
    const message = { ip: SENDER, sender: 'ann@acme.test', helo: null, timestamp: 0 }
    return (await evaluateSpf(dns, 'acme.test', message)).result
  }

  test.each([
    ['own server, p=reject', `${OWN_SERVER}\nacme.test. TXT "v=spf1 mx +all"\n${REJECT}`],
    [
      'Google, p=quarantine',
      `${MAILBOXES}\nacme.test. TXT "v=spf1 +all"\n${dmarc('p=quarantine')}`,
    ],
    [
      'an open include',
      `${OWN_SERVER}
      open.test. TXT "v=spf1 +all"
      acme.test. TXT "v=spf1 mx include:open.test -all"
      ${REJECT}`,
    ],
    ['no MX', `acme.test. A 203.0.113.1\nacme.test. TXT "v=spf1 +all"\n${REJECT}`],
    ['null MX', `acme.test. MX 0 .\nacme.test. TXT "v=spf1 +all"\n${REJECT}`],
  ])('keeps an unsigned sender passing until a condition is met: %s', async (_, zone) => {
    const { records } = await planFromZone(zone)
    expect(await passes(zone, [])).toBe('pass')
    const unconditional = records.filter(({ onlyIf }) => onlyIf === null)
    expect(await passes(zone, unconditional)).toBe('pass')
    // With the condition met, the record closes.
    expect(await passes(zone, records)).toMatch(/fail/)
  })

  test('asks for signatures and reports before it closes SPF under p=reject', async () => {
    const zone = `${OWN_SERVER}
      acme.test. TXT "v=spf1 mx +all"
      _dmarc.acme.test. TXT "v=DMARC1; p=reject"`
    const { steps } = await planFromZone(zone)
    expect(steps.filter(({ optional }) => !optional).map(({ title }) => title)).toEqual([
      'Urgent: Create a DKIM key on your own server',
      'Urgent: Publish your own server’s DKIM key',
      'Urgent: Have your own server sign your mail',
      'Create a mailbox for the reports',
      'Correct the DMARC record',
      'Correct the SPF record',
    ])
    const { onlyIf } = steps.find(({ title }) => title === 'Correct the SPF record') ?? {}
    expect(onlyIf).toBe(
      'Every server and service that sends for you is in the new record or signs with DKIM. Until now, every server has passed. With p=reject, unsigned mail from a server that isn’t listed is rejected. If you don’t have a full list of your senders, set p=none in the DMARC record first: while every server passes, p=reject stops no forged mail anyway. Go back to p=reject when the reports have shown for 30 days that all your mail passes.',
    )
  })
})

describe('wildcards (RFC 4592)', () => {
  test('does not delete the answer of a wildcard CNAME', async () => {
    const zone = `${MAILBOXES}
      *.acme.test. CNAME pixie.porkbun.com.`
    expect(await changes(zone)).toEqual([
      'create TXT acme.test v=spf1 include:_spf.google.com ~all',
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
  })

  test('does not add to the answer of a wildcard TXT', async () => {
    const zone = `${SOUND.replace('ada.ns.cloudflare.com', 'ns-1.awsdns-01.com')}
      *.acme.test. TXT "v=spf1 -all"`
    const { steps, exports } = await planFromZone(zone)
    const step = steps.find(({ title }) => title === 'Ask receivers for DMARC reports')
    expect(step?.actions).toEqual([
      'Add a TXT record set: name `_dmarc`, value `"v=DMARC1; p=none; rua=mailto:dmarc@acme.test"` with the quotes, TTL 3600.',
    ])
    expect(exports.terraform).not.toContain('v=spf1 -all')
  })

  test('does not edit a policy from a wildcard', async () => {
    const zone = `${SOUND}
      *.acme.test. TXT "v=DMARC1; p=none"`
    expect(await changes(zone)).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      TLS_REPORTS,
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
    const { records, warnings, safety } = await planFromZone(zone)
    const spf = records.find(({ purpose }) => purpose === 'spf')
    const moved = hosts.filter((host) => !spf?.value.includes(`${host} `))
    expect(moved.length).toBeGreaterThan(15)
    for (const host of moved) {
      expect(spf?.why).toContain(host)
      expect(warnings.find(({ id }) => id === 'plan.senders-to-move')?.title).toContain(host)
      expect(safety.tested.find(({ sender }) => sender === host)).toMatchObject({
        before: 'permerror',
        after: 'softfail',
      })
    }
  })

  test('proposes no subdomain under strict alignment', async () => {
    const hosts = vendors(14)
    const zone = `${OWN_SERVER}
      ${txtZoneLine('acme.test', `v=spf1 ${includes(hosts)} -all`)}
      ${published(hosts)}
      ${dmarc('p=reject; aspf=s; adkim=s')}`
    const { warnings } = await planFromZone(zone)
    const fix = warnings.find(({ id }) => id === 'plan.senders-to-move')?.fix
    expect(fix).toContain('Set up DKIM for acme.test itself')
    expect(fix).toContain('A subdomain doesn’t count, because your DMARC record has "aspf=s".')
    expect(fix).not.toContain('send from its own subdomain')
  })

  test('keeps ptr, because DNS does not show who relies on it', async () => {
    const zone = `${OWN_SERVER}
      acme.test. TXT "v=spf1 ptr:acme.test ip4:203.0.113.5 -all"
      ${REJECT}`
    expect(await changes(zone)).toEqual([
      'replace TXT acme.test v=spf1 ptr:acme.test ip4:203.0.113.5 mx -all',
      'create TXT mail._domainkey.acme.test v=DKIM1; k=rsa; p={mail-server-public-key}',
    ])
    expect(await ids(zone)).toEqual(['plan.mail-at-risk', 'plan.ptr-kept'])
  })

  test('repairs commas and semicolons between terms', async () => {
    const zone = `${MAILBOXES}
      acme.test. TXT "v=spf1 include:_spf.google.com, ip4:203.0.113.1; ~all"`
    expect((await changes(zone))[0]).toBe(
      'replace TXT acme.test v=spf1 include:_spf.google.com ip4:203.0.113.1 ~all',
    )
  })

  test('replaces a redirect beside "all" with an include if other records show the sender', async () => {
    const zone = `${MAILBOXES}
      acme.test. TXT "v=spf1 redirect=_spf.google.com ~all"`
    const { records } = await planFromZone(zone)
    expect(records[0]?.value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(records[0]?.why).toContain('redirect=_spf.google.com')
  })

  test('drops a redirect beside "all", which no receiver follows, and warns', async () => {
    const zone = `${OWN_SERVER}
      _spf.vendor.test. TXT "v=spf1 ip4:192.0.2.0/24 -all"
      acme.test. TXT "v=spf1 mx redirect=_spf.vendor.test ~all"
      ${keyZoneLine('default')}
      ${REJECT}`
    expect(await changes(zone)).toEqual(['replace TXT acme.test v=spf1 mx ~all'])
    const { warnings } = await planFromZone(zone)
    expect(warnings.map(({ id, title }) => [id, title])).toEqual([
      ['plan.terms-left-out', 'The plan leaves "redirect=_spf.vendor.test" out of your SPF record'],
    ])
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
    expect(recordLines(plan)[0]).toBe('replace TXT acme.test v=spf1 {your-senders} ~all')
  })

  test('says in the step what to enter for a placeholder', async () => {
    const { records, steps } = await planFromZone(`acme.test. A 192.0.2.80
      acme.test. TXT "v=spf1 include:gone.vendor.test ~all"`)
    // A record with the placeholder in it breaks SPF (RFC 7208 §4.6).
    const [placeholder] = records[0]?.placeholders ?? []
    expect(placeholder?.token).toBe('{your-senders}')
    const step = steps.find((each) => each.records.includes(records[0]?.order ?? 0))
    expect(step?.actions[0]).toBe(
      'Fill in `{your-senders}`: the SPF terms for the servers that send with acme.test in the Return-Path, such as include:spf.example.com or ip4:192.0.2.1. Ask the person who set up the service that sends your mail. If there are none, remove the placeholder.',
    )
  })
})

describe('DMARC', () => {
  test('keeps the subdomain policy of a non-sending domain', async () => {
    const zone = `acme.test. MX 0 .
      acme.test. TXT "v=spf1 -all"
      ${dmarc('p=none; sp=none')}
      _dmarc.gone.test. TXT "x"`
    expect(await changes(zone)).toEqual([
      'replace TXT _dmarc.acme.test v=DMARC1; p=reject; sp=none',
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
      `Publish the stage 1 record again, "${value}", and find the sender in the reports.`,
    )
  })

  test('replaces a report address at a domain that accepts no mail', async () => {
    const zone = `${SENDGRID}
      acme.test. MX 0 .
      acme.test. TXT "v=spf1 include:sendgrid.net ~all"
      ${dmarc('p=none')}`
    expect((await changes(zone)).at(-1)).toBe(
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:{report-mailbox}',
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
    const { records } = (checked as Extract<typeof checked, { kind: 'report' }>).report
    const key = records.find(({ name }) => name === 'google._domainkey.acme.test')
    expect(key?.onlyIf).toMatch(/^Google Workspace doesn’t sign your mail yet\./)
    expect(key?.onlyIf).toMatch(/google\._domainkey\.acme\.test has no record yet\./)
  })

  test('plans a key for its own server beside those of a service', async () => {
    const zone = `${OWN_SERVER}
      servers.mcsv.net. TXT "v=spf1 ip4:205.201.128.0/20 ?all"
      ${txtZoneLine('dkim2.mcsv.net', GOOD_KEY_RECORD)}
      acme.test. TXT "v=spf1 mx include:servers.mcsv.net ~all"
      k2._domainkey.acme.test. CNAME dkim2.mcsv.net.
      ${dmarc('p=none')}`
    expect(await changes(zone)).toEqual([
      'create CNAME k3._domainkey.acme.test dkim3.mcsv.net',
      'create TXT mail._domainkey.acme.test v=DKIM1; k=rsa; p={mail-server-public-key}',
    ])
  })

  test('does not overwrite a key in use', async () => {
    const weak = `v=DKIM1; k=rsa; p=${SPKI[1024]}`
    const zone = `${MAILBOXES}
      acme.test. TXT "v=spf1 include:_spf.google.com ~all"
      ${keyZoneLine('google', weak)}
      ${REJECT}`
    expect(await changes(zone)).toEqual([
      'create TXT google2._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      TLS_REPORTS,
      `delete TXT google._domainkey.acme.test ${weak}`,
    ])
    const { records } = await planFromZone(zone)
    expect(records[2]?.onlyIf).toBe(
      'It’s been a week since Google Workspace started signing with the selector google2.',
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
    expect(await changes(zone)).toEqual([
      'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
      TLS_REPORTS,
    ])
  })

  test('replaces a target with the domain appended', async () => {
    const zone = `${MICROSOFT}
      selector1._domainkey.acme.test. CNAME ${target('selector1')}.acme.test.
      ${REJECT}`
    expect(await changes(zone)).toEqual([
      'replace CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
      'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
      TLS_REPORTS,
    ])
  })

  test('asks to turn on signing if the CNAMEs have no keys yet', async () => {
    const zone = `${MICROSOFT}
      selector1._domainkey.acme.test. CNAME ${target('selector1')}.
      selector2._domainkey.acme.test. CNAME ${target('selector2')}.
      ${REJECT}`
    expect(await changes(zone)).toEqual([TLS_REPORTS])
    expect((await planFromZone(zone)).steps[0]).toMatchObject({
      title: 'Urgent: Turn on DKIM signing in Microsoft 365 / Exchange Online',
      where:
        'Microsoft 365 / Exchange Online: Microsoft Defender (security.microsoft.com) > Email & collaboration > Policies & rules > Threat policies > Email authentication settings > DKIM (as of 2026-11)',
      actions: [
        'Compare the CNAME records at selector1._domainkey.acme.test and selector2._domainkey.acme.test with what Microsoft 365 / Exchange Online shows for your domain. If the targets are different there, change them in your DNS first.',
        'Turn on “Sign messages for this domain with DKIM signatures”.',
      ],
    })
  })
})

test('does not lock a domain with a good key and SPF without senders', async () => {
  const zone = `${MAILBOXES}
    acme.test. TXT "v=spf1 -all"
    ${keyZoneLine('google')}`
  const plan = await planFromZone(zone)
  expect(plan.sendsMail).toBe(true)
  expect(recordLines(plan)).toContain('replace TXT acme.test v=spf1 include:_spf.google.com -all')
  expect(plan.rollout[0]?.record.value).toBe('v=DMARC1; p=none; rua=mailto:dmarc@acme.test')
})

test('locks a domain with mailboxes only if nothing sends from them or below it', async () => {
  const { steps } = await planFromZone(`${MAILBOXES}
    acme.test. TXT "v=spf1 -all"`)
  expect(steps.find(({ title }) => title.startsWith('Reject forged mail'))).toMatchObject({
    title: 'Reject forged mail from acme.test',
    onlyIf:
      'No subdomain of acme.test sends mail. The record covers subdomains, too. The domain has mail servers, so make sure that no one sends mail through them.',
    actions: [
      'Add a TXT record: name `_dmarc`, value `v=DMARC1; p=reject; rua=mailto:dmarc@acme.test`, TTL 3600.',
    ],
  })
})

test('merges two SPF records into one', async () => {
  const zone = `${SENDGRID}${MAILBOXES}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    acme.test. TXT "v=spf1 include:sendgrid.net ~all"
    ${keyZoneLine('google')}
    ${REJECT}`
  const { steps } = await planFromZone(zone)
  expect(steps[0]).toMatchObject({
    title: 'Correct the SPF record',
    actions: [
      'Find the TXT record named `@` with the value `v=spf1 include:_spf.google.com ~all`, and enter this instead: value `v=spf1 include:_spf.google.com include:sendgrid.net ~all`. Delete the other: `v=spf1 include:sendgrid.net ~all`. Keep only one, because two SPF records at one name are an error (RFC 7208 §4.5).',
    ],
  })
})
