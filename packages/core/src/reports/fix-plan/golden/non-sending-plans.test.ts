/** Domains that send nothing, or have no place for records. */
import { describe, expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  EMPTY_GOLDEN_PLAN,
  goldenPlan,
  ROLLOUT_ASSUMPTION,
  ROLLOUT_FROM_NO_RECORD,
  TLS_REPORTS,
} from '../../../../test/support/golden-plan.js'
import { planFromZone, recordLines } from '../../../../test/support/plan-fixture.js'
import {
  AT_CLOUDFLARE,
  GOOGLE,
  ON_GOOGLE,
  ZENDESK,
} from '../../../../test/support/service-zones.js'

const NULL_MX_CONDITION =
  'No one sends mail to addresses at acme.test. We found no mail server for it in DNS.'
const NO_SENDER_CONDITION =
  'No web form, device, or service sends mail as acme.test. We found none in DNS, but only you know for sure.'
/** A policy rejects what SPF fails, so the owner skips both or neither. */
const LOCK_CONDITION = `${NO_SENDER_CONDITION} No subdomain of acme.test sends mail. The record covers subdomains, too.`

test('locks a parked domain', async () => {
  const zone = `
    acme.test. NS ns1.sedoparking.com.
    acme.test. NS ns2.sedoparking.com.
    acme.test. A 91.195.240.94`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: false,
    mailboxProvider: null,
    dnsHost: 'parking via NS ns1.sedoparking.com',
    score: '3 F to 95 A',
    records: [
      'create TXT acme.test v=spf1 -all',
      'create TXT _dmarc.acme.test v=DMARC1; p=reject',
      'create MX acme.test 0 .',
    ],
    onlyIf: {
      'MX acme.test': NULL_MX_CONDITION,
      'TXT acme.test': NO_SENDER_CONDITION,
      'TXT _dmarc.acme.test': LOCK_CONDITION,
    },
    warnings: ['plan.no-sender-seen'],
  })
})

const NOTHING = 'acme.test. NS ns1.unheard-of.example.'

test('locks a domain without records', async () => {
  expect(await goldenPlan(NOTHING)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: false,
    mailboxProvider: null,
    dnsHost: null,
    score: '2 F to 95 A',
    records: [
      'create TXT acme.test v=spf1 -all',
      'create TXT _dmarc.acme.test v=DMARC1; p=reject',
      'create MX acme.test 0 .',
    ],
    onlyIf: {
      'MX acme.test': NULL_MX_CONDITION,
      'TXT acme.test': NO_SENDER_CONDITION,
      'TXT _dmarc.acme.test': LOCK_CONDITION,
    },
    warnings: ['plan.no-sender-seen'],
  })
})

test('locks a domain without records: steps and zone file', async () => {
  const { steps, exports } = await planFromZone(NOTHING)
  const where =
    'The DNS host for acme.test (name servers: ns1.unheard-of.example): the DNS settings of your domain'
  expect(
    steps.map(({ title, where: place, actions, onlyIf }) => ({ title, place, actions, onlyIf })),
  ).toEqual([
    {
      title: 'Publish an SPF record that allows no one to send as acme.test',
      place: where,
      actions: ['Add a TXT record: name `@`, value `v=spf1 -all`, TTL 3600.'],
      onlyIf: NO_SENDER_CONDITION,
    },
    {
      title: 'Reject forged mail from acme.test',
      place: where,
      actions: [
        'Add a TXT record: name `_dmarc`, value `v=DMARC1; p=reject`, TTL 3600. Most panels add the domain to the name for you. If yours doesn’t, enter the full name.',
      ],
      onlyIf: LOCK_CONDITION,
    },
    {
      title: 'Refuse all mail to acme.test',
      place: where,
      actions: [
        'Add an MX record: name `@`, priority `0`, mail server `.` (a single dot), TTL 3600.',
      ],
      onlyIf: NULL_MX_CONDITION,
    },
  ])
  expect(exports).toEqual({
    zoneFile: `; Only if: ${NO_SENDER_CONDITION}
acme.test. 3600 IN TXT "v=spf1 -all"
; Only if: ${LOCK_CONDITION}
_dmarc.acme.test. 3600 IN TXT "v=DMARC1; p=reject"
; Only if: ${NULL_MX_CONDITION}
acme.test. 3600 IN MX 0 .
`,
    terraform: null,
    calendar: null,
  })
})

describe('at a DNS host that refuses a null MX', () => {
  const atDigitalOcean = (records = '') => `
    acme.test. NS ns1.digitalocean.com.
    ${records}`

  test('locks the domain without one', async () => {
    expect(await goldenPlan(atDigitalOcean())).toEqual({
      ...EMPTY_GOLDEN_PLAN,
      sendsMail: false,
      mailboxProvider: null,
      dnsHost: 'digitalocean via NS ns1.digitalocean.com',
      score: '2 F to 95 A',
      records: [
        'create TXT acme.test v=spf1 -all',
        'create TXT _dmarc.acme.test v=DMARC1; p=reject',
      ],
      onlyIf: {
        'TXT acme.test': NO_SENDER_CONDITION,
        'TXT _dmarc.acme.test': LOCK_CONDITION,
      },
      warnings: ['plan.no-sender-seen', 'plan.null-mx-refused'],
    })
  })

  test('says why', async () => {
    const { warnings } = await planFromZone(atDigitalOcean())
    expect(warnings[1]).toMatchObject({
      id: 'plan.null-mx-refused',
      severity: 'info',
      title: 'DigitalOcean doesn’t accept a null MX',
      detail: expect.stringContaining('("acme.test MX 0 .")'),
      fix: expect.stringContaining('You don’t need to do anything about the null MX.'),
      evidence: [],
      reference: 'RFC 7505 §3',
    })
  })

  test('has nothing left to do once the domain is locked', async () => {
    const locked = atDigitalOcean(`
      acme.test. A 192.0.2.80
      acme.test. TXT "v=spf1 -all"
      _dmarc.acme.test. TXT "v=DMARC1; p=reject; adkim=s; aspf=s"`)
    const { steps, summary, warnings } = await planFromZone(locked)
    expect(steps).toEqual([])
    expect(summary).toBe(
      'acme.test scores 93 of 100 (grade A): receivers refuse forged mail from it. You don’t need to change anything today. The policy is already p=reject.',
    )
    expect(warnings.map(({ id }) => id)).toEqual(['plan.null-mx-refused'])
  })

  test('keeps a null MX that is published', async () => {
    const plan = await planFromZone(atDigitalOcean('acme.test. MX 0 .'))
    expect(recordLines(plan)).toContain('keep MX acme.test 0 .')
    expect(plan.warnings).toEqual([])
  })
})

test('plans a null MX with an empty target at Linode', async () => {
  const { steps, exports } = await planFromZone('acme.test. NS ns1.linode.com.')
  expect(steps[2]?.actions).toEqual([
    'Add an MX record: leave the name field empty, priority `0`, leave the mail server field empty, TTL 3600.',
  ])
  expect(exports.terraform).toContain('  target      = ""\n')
  expect(exports.zoneFile).toContain('acme.test. 3600 IN MX 0 .\n')
})

test('keeps the mail servers of a domain that only receives', async () => {
  expect(await goldenPlan(`${ON_GOOGLE} acme.test. TXT "v=spf1 -all"`)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: false,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '46 F to 100 A',
    records: [
      'create TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 -all',
    ],
    warnings: ['plan.mailboxes-cannot-send'],
    onlyIf: {
      'TXT _dmarc.acme.test':
        'No subdomain of acme.test sends mail. The record covers subdomains, too. The domain has mail servers, so make sure that no one sends mail through them.',
    },
  })
})

test('changes nothing on a locked domain', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 -all"
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; sp=reject; adkim=s; aspf=s"
    *._domainkey.acme.test. TXT "v=DKIM1; p="`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: false,
    mailboxProvider: null,
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '95 A to 95 A',
    records: [
      'keep MX acme.test 0 .',
      'keep TXT acme.test v=spf1 -all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; sp=reject; adkim=s; aspf=s',
    ],
  })
})

test('completes the lock of a subdomain that inherits p=reject', async () => {
  const zone = `
    acme.test. NS ada.ns.cloudflare.com.
    acme.test. MX 1 smtp.google.com.
    _dmarc.acme.test. TXT "v=DMARC1; p=reject; rua=mailto:dmarc@acme.test"
    www.acme.test. A 192.0.2.80
    ${GOOGLE}`
  expect(await goldenPlan(zone, 'www.acme.test')).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: false,
    mailboxProvider: null,
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '92 A to 100 A',
    records: [
      'create TXT www.acme.test v=spf1 -all',
      'create MX www.acme.test 0 .',
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
    onlyIf: {
      'MX www.acme.test':
        'No one sends mail to addresses at www.acme.test. We found no mail server for it in DNS.',
      'TXT www.acme.test':
        'No web form, device, or service sends mail as www.acme.test. We found none in DNS, but only you know for sure.',
    },
    warnings: ['plan.no-sender-seen'],
  })
})

test('keeps a good key although SPF names no sender, and names it', async () => {
  // RFC 7208 §2.4: SPF is about MAIL FROM. Mail that bounces elsewhere passes DMARC by this key alone.
  const zone = `${ON_GOOGLE}
    acme.test. TXT "v=spf1 -all"
    ${keyZoneLine('google')}`
  const plan = await planFromZone(zone)
  expect(recordLines(plan)).toEqual(
    expect.arrayContaining([
      'replace TXT acme.test v=spf1 include:_spf.google.com -all',
      `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
    ]),
  )
  expect(plan.safety.tested).toEqual([
    { sender: 'Google Workspace', ip: '74.125.0.1', before: 'fail', after: 'pass' },
  ])
})

test('treats a domain with broken mail servers as sending', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    acme.test. TXT "v=spf1 mx -all"`
  const plan = await planFromZone(zone)
  expect(plan.sendsMail).toBe(true)
  expect(plan.rollout).toHaveLength(5)
})

test('null MX beside a sender: sends reports to another mailbox', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 include:_spf.google.com -all"
    ${GOOGLE}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    // A null MX says that there are no mailboxes, so Google only sends.
    mailboxProvider: null,
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    senders: ['google via include:_spf.google.com (likely)'],
    score: '33 F to 98 A',
    assumes: [
      'The record at google._domainkey.acme.test has a valid 2048-bit key.',
      '{report-mailbox} at _dmarc.acme.test is a mailbox that receives the reports.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:{report-mailbox}',
      'keep MX acme.test 0 .',
      'keep TXT acme.test v=spf1 include:_spf.google.com -all',
    ],
    placeholders: {
      'TXT google._domainkey.acme.test': ['{google-public-key}'],
      'TXT _dmarc.acme.test': ['{report-mailbox}'],
    },
    rollout: ROLLOUT_FROM_NO_RECORD.map((stage) =>
      stage.replace('dmarc@acme.test', '{report-mailbox}'),
    ),
    warnings: ['mx.null-but-sending'],
  })
})

test('without MX and address: plans the MX of the provider in SPF', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. TXT "v=spf1 include:_spf.google.com -all"
    ${GOOGLE}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via include:_spf.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '32 F to 100 A',
    assumes: [
      'The record at google._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create MX acme.test 1 smtp.google.com',
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      TLS_REPORTS,
      'keep TXT acme.test v=spf1 include:_spf.google.com -all',
    ],
    placeholders: { 'TXT google._domainkey.acme.test': ['{google-public-key}'] },
    onlyIf: {
      'MX acme.test':
        'Your mailboxes are at Google Workspace. If they’re elsewhere, publish that provider’s MX records instead.',
    },
    rollout: ROLLOUT_FROM_NO_RECORD,
  })
})

const ALIAS = `
  acme.test. CNAME acme.myshop.example.
  acme.myshop.example. A 192.0.2.80
  acme.myshop.example. TXT "v=spf1 include:mail.zendesk.com -all"
  ${ZENDESK}`

test('plans only names below a domain that is an alias', async () => {
  expect(await goldenPlan(ALIAS)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: null,
    dnsHost: null,
    senders: ['zendesk via include:mail.zendesk.com (likely)'],
    score: '33 F to 98 A',
    assumes: [
      'Zendesk publishes a valid 2048-bit key at zendesk1._domainkey.zendesk.com.',
      'Zendesk publishes a valid 2048-bit key at zendesk2._domainkey.zendesk.com.',
      '{report-mailbox} at _dmarc.acme.test is a mailbox that receives the reports.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create CNAME zendesk1._domainkey.acme.test zendesk1._domainkey.zendesk.com',
      'create CNAME zendesk2._domainkey.acme.test zendesk2._domainkey.zendesk.com',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:{report-mailbox}',
    ],
    placeholders: { 'TXT _dmarc.acme.test': ['{report-mailbox}'] },
    rollout: ROLLOUT_FROM_NO_RECORD.map((stage) =>
      stage.replace('dmarc@acme.test', '{report-mailbox}'),
    ),
    warnings: ['plan.domain-is-alias'],
  })
})

test('warns about no record that cannot exist beside an alias', async () => {
  const zone = `
    acme.test. NS ada.ns.cloudflare.com.
    acme.test. MX 1 smtp.google.com.
    www.acme.test. CNAME acme.pages.example.
    acme.pages.example. A 192.0.2.80
    ${GOOGLE}`
  const { warnings } = await planFromZone(zone, { domain: 'www.acme.test' })
  expect(warnings.map(({ id }) => id)).toEqual(['plan.domain-is-alias', 'plan.no-sender-seen'])
})
