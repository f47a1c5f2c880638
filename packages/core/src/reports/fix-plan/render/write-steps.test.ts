import { describe, expect, test } from 'vitest'
import {
  dnsHostServing,
  PLAN_ZONE,
  plannedCname,
  plannedMx,
  plannedTxt,
} from '../../../../test/support/planned-record-fixtures.js'
import type { DnsHost } from '../../../catalog/find-dns-host.js'
import type { RolloutStage } from '../fix-plan-report.js'
import type { PlannedRecord } from '../planned-record.js'
import { renderPlan } from './render-plan.js'

const stepsAt = (
  host: DnsHost | null,
  planned: readonly PlannedRecord[],
  rollout: readonly RolloutStage[] = [],
) =>
  renderPlan({ planned, rollout, zone: PLAN_ZONE, host, domain: 'acme.test', isFinished: true })
    .steps

const stage = (number: number, value: string, minimumDays: number): RolloutStage => ({
  stage: number,
  record: { type: 'TXT', name: '_dmarc.acme.test', value },
  minimumDays,
  proceedWhen: 'The reports show no mail of yours that fails.',
  rollback: `Publish the record of stage ${number - 1} again.`,
})

const CHECK =
  'Wait an hour, or as long as the TTL of the old records, then check acme.test again (GET /v1/check is free).'

const KEY = `v=DKIM1; k=rsa; p=${'A'.repeat(382)}`

test('Cloudflare: SPF merged, CNAMEs for DKIM, a first DMARC record and its rollout', () => {
  const planned = [
    plannedTxt('acme.test', 'v=spf1 include:spf.mail.test ~all', {
      action: 'replace',
      replaces: ['v=spf1 include:spf.mail.test -all', 'v=spf1 mx -all'],
      otherValues: ['verification=1'],
    }),
    plannedCname('k1._domainkey.acme.test', 'k1.{account}.mail.test', {
      placeholders: [{ token: '{account}', whereToFind: 'Mail > Settings > Account' }],
    }),
    plannedCname('k2._domainkey.acme.test', 'k2.{account}.mail.test', {
      placeholders: [{ token: '{account}', whereToFind: 'Mail > Settings > Account' }],
    }),
    plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=none', { purpose: 'dmarc' }),
    plannedTxt('acme.test._report._dmarc.reports.test', 'v=DMARC1', { purpose: 'dmarc' }),
    plannedMx('acme.test', '10 mx.mail.test', { action: 'keep' }),
  ]
  const rollout = [
    stage(1, 'v=DMARC1; p=none', 30),
    stage(2, 'v=DMARC1; p=quarantine', 30),
    stage(3, 'v=DMARC1; p=reject', 0),
  ]
  expect(stepsAt(dnsHostServing('ada.ns.cloudflare.com'), planned, rollout)).toEqual([
    'In Cloudflare open the records of acme.test: your domain > DNS > Records > Add record.',
    'Edit the TXT record named `@` with the value `v=spf1 include:spf.mail.test -all` and enter: value `v=spf1 include:spf.mail.test ~all`. Delete the other: `v=spf1 mx -all`. Keep only one: two SPF records at one name are an error (RFC 7208 §4.5).',
    'Find the value for `{account}`: Mail > Settings > Account. Add a CNAME record: name `k1._domainkey`, target `k1.{account}.mail.test`, TTL 3600. Set the proxy status to DNS only (the gray cloud), because a proxied CNAME does not lead to the DKIM key.',
    'Add a CNAME record: name `k2._domainkey`, target `k2.{account}.mail.test`, TTL 3600.',
    'Add a TXT record: name `_dmarc`, value `v=DMARC1; p=none`, TTL 3600.',
    '`acme.test._report._dmarc.reports.test` is not in your zone: ask the operator of that zone to publish a TXT record: name `acme.test._report._dmarc.reports.test`, value `v=DMARC1`.',
    'Keep unchanged: MX `10 mx.mail.test` at acme.test.',
    CHECK,
    'Stage 2, when stage 1 has been published for at least 30 days, and only when this is true: The reports show no mail of yours that fails. Then edit the DMARC record (TXT, named `_dmarc`) and enter: value `v=DMARC1; p=quarantine`. If legitimate mail is lost: Publish the record of stage 1 again.',
    'Stage 3, when stage 2 has been published for at least 30 days, and only when this is true: The reports show no mail of yours that fails. Then edit the DMARC record (TXT, named `_dmarc`) and enter: value `v=DMARC1; p=reject`. If legitimate mail is lost: Publish the record of stage 2 again.',
  ])
})

test('Route 53: an existing TXT set, a key of 400 octets, and new mail servers', () => {
  const planned = [
    plannedTxt('acme.test', 'v=spf1 ~all', { otherValues: ['verification=1', 'verification=2'] }),
    plannedTxt('s._domainkey.acme.test', KEY, { purpose: 'dkim' }),
    plannedMx('acme.test', '10 new.mail.test'),
    plannedMx('acme.test', '20 new.mail.test'),
    plannedMx('acme.test', '10 old.mail.test', { action: 'delete' }),
    plannedMx('acme.test', '30 third.mail.test', { action: 'keep' }),
    plannedTxt('old.acme.test', 'v=DMARC1', { action: 'delete', purpose: 'dmarc' }),
    plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=reject', {
      purpose: 'dmarc',
      action: 'replace',
      replaces: ['v=DMARC1; p=none', 'v=DMARC1'],
      otherValues: ['stray'],
    }),
  ]
  expect(stepsAt(dnsHostServing('ns-1.awsdns-01.org'), planned)).toEqual([
    'In Amazon Route 53 open the records of acme.test: Route 53 > Hosted zones > your zone > Create record.',
    'Add to the TXT record set of the zone itself (with an empty name), beside `verification=1` and `verification=2`: value `"v=spf1 ~all"` with the quotes. Do not create a second set with this name.',
    `Add a TXT record set: name \`s._domainkey\`, value \`"${KEY.slice(0, 255)}" "${KEY.slice(255)}"\` with the quotes on one line, because a string holds at most 255 octets, TTL 3600.`,
    'Add to the MX record set of the zone itself (with an empty name), beside `10 old.mail.test` and `30 third.mail.test`: priority `10`, mail server `new.mail.test`. Do not create a second set with this name.',
    'Add to the MX record set of the zone itself (with an empty name), beside `10 old.mail.test`, `30 third.mail.test` and `10 new.mail.test`: priority `20`, mail server `new.mail.test`. Do not create a second set with this name.',
    'From the MX record set of the zone itself (with an empty name) remove `10 old.mail.test`. Keep `30 third.mail.test`, `10 new.mail.test` and `20 new.mail.test` in it.',
    'Delete the TXT record set named `old` with the value `v=DMARC1`.',
    'In the TXT record set named `_dmarc`, replace `v=DMARC1; p=none` and `v=DMARC1` with: value `"v=DMARC1; p=reject"` with the quotes. Keep `stray` in it. Keep only one: receivers ignore all DMARC records if there are two (RFC 9989 §4.10).',
    'Keep unchanged: MX `30 third.mail.test` at acme.test.',
    CHECK,
  ])
})

test('GoDaddy: locks a non-sending domain', () => {
  const planned = [
    plannedTxt('acme.test', 'v=spf1 -all'),
    plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=reject', { purpose: 'dmarc' }),
    plannedMx('acme.test', '0 .'),
    plannedMx('acme.test', '10 old.mail.test', { action: 'delete' }),
  ]
  expect(stepsAt(dnsHostServing('ns01.domaincontrol.com'), planned)).toEqual([
    'In GoDaddy open the records of acme.test: My Products > your domain > DNS > DNS Records > Add New Record.',
    'Add a TXT record: name `@`, value `v=spf1 -all`, TTL 3600.',
    'Add a TXT record: name `_dmarc`, value `v=DMARC1; p=reject`, TTL 3600.',
    'Add an MX record: name `@`, priority `0`, mail server `.` (a single dot), TTL 3600.',
    'Delete the MX record named `@` with the value `10 old.mail.test`.',
    CHECK,
  ])
})

test('unknown host: generic panel with alternatives', () => {
  const planned = [plannedTxt('s._domainkey.acme.test', KEY, { purpose: 'dkim' })]
  expect(stepsAt(null, planned)).toEqual([
    'Sign in at the DNS host of acme.test (name servers: ns1.host.test and ns2.host.test) and open the DNS settings of your domain.',
    `Add a TXT record: name \`s._domainkey\`, value \`${KEY}\` in one piece, or, if the panel rejects that, \`"${KEY.slice(0, 255)}" "${KEY.slice(255)}"\`, TTL 3600. Most panels add the domain to the name. If yours does not, enter the full name.`,
    CHECK,
  ])
})

test('Hurricane Electric: full names', () => {
  const planned = [
    plannedTxt('acme.test', 'v=spf1 -all'),
    plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=none', {
      purpose: 'dmarc',
      action: 'replace',
      replaces: ['v=DMARC1'],
    }),
  ]
  expect(stepsAt(dnsHostServing('ns1.he.net'), planned)).toEqual([
    'In Hurricane Electric open the records of acme.test: dns.he.net > your domain > New TXT (New CNAME, New MX).',
    'Add a TXT record: name `acme.test`, value `v=spf1 -all`, TTL 3600.',
    'Edit the TXT record named `_dmarc.acme.test` with the value `v=DMARC1` and enter: value `v=DMARC1; p=none`.',
    CHECK,
  ])
})

describe('what the panel needs', () => {
  const added = (nameServer: string, ...planned: readonly PlannedRecord[]) =>
    stepsAt(dnsHostServing(nameServer), planned).slice(1, -1)

  test('Hetzner, OVHcloud and Gandi: targets end with a dot', () => {
    const records = [
      plannedCname('k1._domainkey.acme.test', 'k1.mail.test'),
      plannedMx('acme.test', '10 mx.mail.test'),
    ]
    expect(added('helium.ns.hetzner.de', ...records)).toEqual([
      'Add a CNAME record: name `k1._domainkey`, target `k1.mail.test.`, TTL 3600.',
      'Add an MX record set: name `@`, priority `10`, mail server `mx.mail.test.`, TTL 3600.',
    ])
    expect(added('dns1.ovh.net', ...records)).toEqual([
      'Add a CNAME record: name `k1._domainkey`, target `k1.mail.test.`, TTL 3600.',
      'Add an MX record: leave the name field empty, priority `10`, mail server `mx.mail.test.`, TTL 3600.',
    ])
    expect(added('ns-1-a.gandi.net', ...records)[0]).toContain('target `k1.mail.test.`')
  })

  test('a target in another zone has no final dot', () => {
    const [step] = stepsAt(dnsHostServing('dns1.ovh.net'), [plannedCname('x.other.test', 'y.test')])
    expect(step).toContain('target `y.test`.')
  })

  test('Linode: the mail server of a null MX is empty', () => {
    expect(added('ns1.linode.com', plannedMx('acme.test', '0 .'))).toEqual([
      'Add an MX record: leave the name field empty, priority `0`, leave the mail server field empty, TTL 3600.',
    ])
  })

  test('Bluehost: the TTL is at least four hours', () => {
    expect(added('ns1.bluehost.com', plannedTxt('acme.test', 'v=spf1 -all'))).toEqual([
      'Add a TXT record: name `@`, value `v=spf1 -all`, TTL 14400.',
    ])
  })

  test('Vultr: a long text is one quoted string', () => {
    expect(added('ns1.vultr.com', plannedTxt('s._domainkey.acme.test', KEY))).toEqual([
      `Add a TXT record: name \`s._domainkey\`, value \`"${KEY}"\` with the quotes, TTL 3600. Paste the whole text in one pair of quotes and do not split it.`,
    ])
  })

  test('OVHcloud: a key to fill in counts as long', () => {
    const key = plannedTxt('s._domainkey.acme.test', 'v=DKIM1; k=rsa; p={public-key}')
    expect(added('dns1.ovh.net', key)[0]).toMatch(
      /or use TXT\. .* Use the type DKIM or Change in text format, because the plain TXT form stops at 255 characters\.$/,
    )
    const short = plannedTxt('acme.test', 'v=spf1 -all')
    expect(added('dns1.ovh.net', short)[0]).not.toContain('255 characters')
  })

  test('Dynadot: names below the domain have their own table', () => {
    expect(
      added(
        'ns1.dyna-ns.net',
        plannedTxt('acme.test', 'v=spf1 -all'),
        plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=reject', { purpose: 'dmarc' }),
      ),
    ).toEqual([
      'Add a TXT record: leave the name field empty, value `v=spf1 -all`, TTL 3600.',
      'Add a TXT record: name `_dmarc`, value `v=DMARC1; p=reject`, TTL 3600. Add it in Subdomain Records, because the domain itself has a table of its own.',
    ])
  })

  test('STRATO: a note for two purposes is shown once', () => {
    const steps = added(
      'docks01.rzone.de',
      plannedTxt('acme.test', 'v=spf1 -all'),
      plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=reject', { purpose: 'dmarc' }),
    )
    expect(steps.join('\n').match(/ready-made rules/g)).toHaveLength(1)
  })

  test('Netlify: says where else the zone can be', () => {
    const [open] = stepsAt(dnsHostServing('dns1.p01.nsone.net'), [plannedTxt('acme.test', 'x')])
    expect(open).toBe(
      'In Netlify DNS open the records of acme.test: Domains > your domain > DNS records > Add new record. Customers of NS1 and Squarespace can have the same name servers: if you have no Netlify account, look there.',
    )
  })

  test('a long SPF record is split at a space', () => {
    const record = `v=spf1 ${'include:_spf.mail.example '.repeat(12)}~all`
    const [step] = added('ns-1.awsdns-01.org', plannedTxt('acme.test', record))
    expect(step).toContain('include:_spf.mail.example " "include:_spf.mail.example ')
  })
})

describe('text of more than 255 octets', () => {
  const panelOf = (differences: Partial<DnsHost['panel']>): DnsHost => {
    const host = dnsHostServing('ada.ns.cloudflare.com')
    return { ...host, panel: { ...host.panel, ...differences } }
  }
  const [head, tail] = [KEY.slice(0, 255), KEY.slice(255)]

  test.each([
    ['automatic', 'never', `value \`${KEY}\` in one piece`],
    ['automatic', 'when-split', `value \`${KEY}\` in one piece`],
    ['automatic', 'always', `value \`"${KEY}"\` with the quotes`],
    [
      'manual',
      'when-split',
      `value \`"${head}" "${tail}"\` with the quotes on one line, because a string holds at most 255 octets`,
    ],
    [
      'manual',
      'never',
      `value in 2 strings of one record, because a string holds at most 255 octets: \`${head}\`, then \`${tail}\``,
    ],
  ] as const)('%s splitting, quotes %s', (split, quotes, value) => {
    const [, step] = stepsAt(panelOf({ split, quotes }), [plannedTxt('s.acme.test', KEY)])
    expect(step).toBe(`Add a TXT record: name \`s\`, ${value}, TTL 3600.`)
  })

  test('quotes a short text only if the panel always needs quotes', () => {
    const [, step] = stepsAt(panelOf({ split: 'manual', quotes: 'when-split' }), [
      plannedTxt('s.acme.test', 'short'),
    ])
    expect(step).toBe('Add a TXT record: name `s`, value `short`, TTL 3600.')
  })
})

test('says that the name field stays empty', () => {
  const host = dnsHostServing('ns1.vercel-dns.com')
  const [, added, deleted] = stepsAt(host, [
    plannedTxt('acme.test', 'v=spf1 -all'),
    plannedTxt('acme.test', 'v=spf1 a', { action: 'delete' }),
  ])
  expect(added).toBe('Add a TXT record: leave the name field empty, value `v=spf1 -all`, TTL 3600.')
  expect(deleted).toBe(
    'Delete the TXT record of the zone itself (with an empty name) with the value `v=spf1 a`.',
  )
})

test('opens no panel if only another operator has to act', () => {
  const name = 'acme.test._report._dmarc.reports.test'
  expect(
    stepsAt(dnsHostServing('ns1.he.net'), [
      plannedTxt(name, 'v=DMARC1', { action: 'replace', replaces: ['v=DMARC'] }),
      plannedTxt('x.reports.test', 'old', { action: 'delete' }),
    ]),
  ).toEqual([
    `\`${name}\` is not in your zone: ask the operator of that zone to publish a TXT record in place of \`v=DMARC\`: name \`${name}\`, value \`v=DMARC1\`.`,
    '`x.reports.test` is not in your zone: ask the operator of that zone to delete the TXT record with the value `old`.',
    CHECK,
  ])
})

test('lists only rollout steps if all records are published', () => {
  const kept = plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=none', {
    action: 'keep',
    purpose: 'dmarc',
  })
  const rollout = [stage(1, 'v=DMARC1; p=none', 0), stage(2, 'v=DMARC1; p=reject', 0)]
  expect(stepsAt(null, [kept], rollout)).toEqual([
    `Nothing has to change in the DNS of acme.test today. For the stages below: Sign in at the DNS host of acme.test (name servers: ns1.host.test and ns2.host.test) and open the DNS settings of your domain.`,
    'Stage 2, when stage 1 is published, and only when this is true: The reports show no mail of yours that fails. Then edit the DMARC record (TXT, named `_dmarc`) and enter: value `v=DMARC1; p=reject`. If legitimate mail is lost: Publish the record of stage 1 again.',
  ])
  expect(stepsAt(null, [kept])).toEqual(['Nothing has to change in the DNS of acme.test.'])
})
