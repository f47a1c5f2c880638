/** Who sends: known mailboxes, many services, too many services. */
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  EMPTY_GOLDEN_PLAN,
  goldenPlan,
  ROLLOUT_ASSUMPTION,
  ROLLOUT_FROM_NO_RECORD,
  ROLLOUT_FROM_NONE,
  ROLLOUT_FROM_QUARANTINE,
  signsNothingYet,
  stillUses,
  TLS_REPORTS,
} from '../../../../test/support/golden-plan.js'
import { planFromZone, recordLines } from '../../../../test/support/plan-fixture.js'
import {
  AT_CLOUDFLARE,
  HELPSCOUT,
  MAILCHIMP,
  MICROSOFT,
  MIMECAST,
  MOOSEND,
  ON_GOOGLE,
  SALESFORCE,
  SENDER_NET,
  SENDGRID,
  ZENDESK,
} from '../../../../test/support/service-zones.js'

const NONE = txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=none; rua=mailto:dmarc@acme.test')
const REJECT = txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=reject; rua=mailto:dmarc@acme.test')

test('Google mailboxes only: creates all records', async () => {
  expect(await goldenPlan(ON_GOOGLE)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '5 F to 100 A',
    assumes: [
      'The record at google._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create TXT acme.test v=spf1 include:_spf.google.com ~all',
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
    ],
    placeholders: { 'TXT google._domainkey.acme.test': ['{google-public-key}'] },
    rollout: ROLLOUT_FROM_NO_RECORD,
  })
})

test('Google mailboxes only: steps and exports', async () => {
  const { steps, exports } = await planFromZone(ON_GOOGLE)
  const panel = 'Cloudflare: your domain > DNS > Records > Add record (as of 2026-11)'
  const screen =
    'Google Workspace: Apps > Google Workspace > Gmail > Authenticate email (as of 2026-11)'
  expect(steps.slice(0, 6).map(({ title, where, actions }) => ({ title, where, actions }))).toEqual(
    [
      {
        title: 'Publish an SPF record with your senders',
        where: panel,
        actions: [
          'Add a TXT record: name `@`, value `v=spf1 include:_spf.google.com ~all`, TTL 3600.',
        ],
      },
      {
        title: 'Get the DNS records from Google Workspace',
        where: screen,
        actions: [
          'Select your domain, choose Generate new record, and keep 2048 bits. Then copy the TXT record’s name and value.',
          'In the next step, replace `{google-public-key}` with the public key, which is the long text after p=.',
        ],
      },
      {
        title: 'Let Google Workspace sign your mail',
        where: panel,
        actions: [
          'Add a TXT record: name `google._domainkey`, value `v=DKIM1; k=rsa; p={google-public-key}`, TTL 3600.',
        ],
      },
      {
        title: 'Turn on DKIM signing in Google Workspace',
        where: screen,
        actions: ['Choose Start authentication.'],
      },
      {
        title: 'Create a mailbox for the reports',
        where: 'Google Workspace',
        actions: [
          'Create `dmarc@acme.test` as a mailbox, an alias, or a forwarding address. Gmail, Outlook, and other receivers will each send it one report a day.',
        ],
      },
      {
        title: 'Ask receivers for DMARC reports',
        where: panel,
        actions: [
          'Add a TXT record: name `_dmarc`, value `v=DMARC1; p=none; rua=mailto:dmarc@acme.test`, TTL 3600.',
        ],
      },
    ],
  )
  expect(steps.slice(6).map(({ title, optional }) => [title, optional])).toEqual([
    ['Read the reports, then tighten the policy in stages', false],
    ['Get reports about incoming mail that couldn’t be encrypted (TLS-RPT)', true],
    ['Require encryption for incoming mail (MTA-STS)', true],
    ['Show your logo next to your mail (BIMI)', true],
  ])
  expect(exports.zoneFile).toBe(`acme.test. 3600 IN TXT "v=spf1 include:_spf.google.com ~all"
; Fill in {google-public-key}: ${screen}
; Publish: google._domainkey.acme.test. 3600 IN TXT "v=DKIM1; k=rsa; p={google-public-key}"
_dmarc.acme.test. 3600 IN TXT "v=DMARC1; p=none; rua=mailto:dmarc@acme.test"
; Optional.
_smtp._tls.acme.test. 3600 IN TXT "v=TLSRPTv1; rua=mailto:dmarc@acme.test"
`)
  expect(exports.terraform).toBe(`# Provider: cloudflare/cloudflare, version 5

variable "zone_id" {
  description = "Cloudflare: the zone ID, shown on its overview page"
  type        = string
}

resource "cloudflare_dns_record" "txt_spf_acme_test" {
  zone_id = var.zone_id
  name    = "acme.test"
  type    = "TXT"
  content = "\\"v=spf1 include:_spf.google.com ~all\\""
  ttl     = 3600
}

# Fill in {google-public-key}: ${screen}
# Publish by hand: TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}

resource "cloudflare_dns_record" "txt_dmarc_dmarc_acme_test" {
  zone_id = var.zone_id
  name    = "_dmarc.acme.test"
  type    = "TXT"
  content = "\\"v=DMARC1; p=none; rua=mailto:dmarc@acme.test\\""
  ttl     = 3600
}

# Optional.
resource "cloudflare_dns_record" "txt_tls_rpt_smtp_tls_acme_test" {
  zone_id = var.zone_id
  name    = "_smtp._tls.acme.test"
  type    = "TXT"
  content = "\\"v=TLSRPTv1; rua=mailto:dmarc@acme.test\\""
  ttl     = 3600
}
`)
  expect(exports.calendar?.match(/^(?:DTSTART|SUMMARY).*/gm)?.map((line) => line.trim())).toEqual([
    'DTSTART;VALUE=DATE:20261216',
    'SUMMARY:acme.test: DMARC stage 2 of 5',
    'DTSTART;VALUE=DATE:20261223',
    'SUMMARY:acme.test: DMARC stage 3 of 5',
    'DTSTART;VALUE=DATE:20270122',
    'SUMMARY:acme.test: DMARC stage 4 of 5',
    'DTSTART;VALUE=DATE:20270129',
    'SUMMARY:acme.test: DMARC stage 5 of 5',
  ])
})

test('Microsoft 365 at p=none without keys: placeholders for the targets', async () => {
  const zone = `
    acme.test. NS ns1-05.azure-dns.com.
    acme.test. NS ns2-05.azure-dns.net.
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com -all"
    acme.test. TXT "MS=ms12345678"
    _dmarc.acme.test. TXT "v=DMARC1; p=none"
    ${MICROSOFT}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'microsoft365 via MX acme-test.mail.protection.outlook.com',
    dnsHost: 'azure via NS ns1-05.azure-dns.com',
    score: '40 F to 100 A',
    assumes: [
      'The record at selector1._domainkey.acme.test has a valid 2048-bit key.',
      'The record at selector2._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
      'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
      'replace TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      TLS_REPORTS,
      'keep MX acme.test 0 acme-test.mail.protection.outlook.com',
      'keep TXT acme.test v=spf1 include:spf.protection.outlook.com -all',
    ],
    replaces: { 'TXT _dmarc.acme.test': ['v=DMARC1; p=none'] },
    placeholders: {
      'CNAME selector1._domainkey.acme.test': ['{microsoft365-target-1}'],
      'CNAME selector2._domainkey.acme.test': ['{microsoft365-target-2}'],
    },
    rollout: ROLLOUT_FROM_NO_RECORD,
  })
})

test('Microsoft 365 with keys at p=none: keeps all records and the spare selector', async () => {
  const target = '_domainkey.acme.n-v1.dkim.mail.microsoft'
  const zone = `
    acme.test. NS ns01.domaincontrol.com.
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com -all"
    selector1._domainkey.acme.test. CNAME selector1-acme-test.${target}.
    selector2._domainkey.acme.test. CNAME selector2-acme-test.${target}.
    ${txtZoneLine(`selector1-acme-test.${target}`, GOOD_KEY_RECORD)}
    ${NONE}${MICROSOFT}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'microsoft365 via MX acme-test.mail.protection.outlook.com',
    dnsHost: 'godaddy via NS ns01.domaincontrol.com',
    score: '69 D to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [
      TLS_REPORTS,
      'keep MX acme.test 0 acme-test.mail.protection.outlook.com',
      'keep TXT acme.test v=spf1 include:spf.protection.outlook.com -all',
      'keep CNAME selector1._domainkey.acme.test selector1-acme-test._domainkey.acme.n-v1.dkim.mail.microsoft',
      'keep CNAME selector2._domainkey.acme.test selector2-acme-test._domainkey.acme.n-v1.dkim.mail.microsoft',
      'keep TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ],
    rollout: ROLLOUT_FROM_NONE,
  })
})

test('mail servers of Google and Microsoft: allows both to send', async () => {
  const zone = `${ON_GOOGLE}
    acme.test. MX 10 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${keyZoneLine('google')}${MICROSOFT}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    senders: ['microsoft365 via MX acme-test.mail.protection.outlook.com (yes)'],
    score: '40 F to 100 A',
    assumes: [
      'The record at selector1._domainkey.acme.test has a valid 2048-bit key.',
      'The record at selector2._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'replace TXT acme.test v=spf1 include:_spf.google.com include:spf.protection.outlook.com ~all',
      'create CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
      'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      'keep MX acme.test 10 acme-test.mail.protection.outlook.com',
      `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
    ],
    replaces: { 'TXT acme.test': ['v=spf1 include:_spf.google.com ~all'] },
    placeholders: {
      'CNAME selector1._domainkey.acme.test': ['{microsoft365-target-1}'],
      'CNAME selector2._domainkey.acme.test': ['{microsoft365-target-2}'],
    },
    rollout: ROLLOUT_FROM_NO_RECORD,
    warnings: ['plan.several-mailbox-providers'],
  })
})

/** a, mx and ptr 1 each, Google 4, SendGrid and Salesforce 2 each, the other three 1 each: 14. */
const FOURTEEN = `${ON_GOOGLE}
  acme.test. A 192.0.2.80
  acme.test. TXT "v=spf1 a mx ptr include:_spf.google.com include:sendgrid.net include:servers.mcsv.net include:_spf.salesforce.com include:mail.zendesk.com include:spfa.mailendo.com ~all"
  ${keyZoneLine('google')}${NONE}${SENDGRID}${MAILCHIMP}${SALESFORCE}${ZENDESK}${MOOSEND}`

test('fourteen lookups: removes only senders that cannot align', async () => {
  expect(await goldenPlan(FOURTEEN)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    senders: [
      'sendgrid via include:sendgrid.net (unsure)',
      'mailchimp via include:servers.mcsv.net (unsure)',
      'salesforce via include:_spf.salesforce.com (likely)',
      'zendesk via include:mail.zendesk.com (likely)',
      'moosend via include:spfa.mailendo.com (likely)',
    ],
    score: '49 F to 95 A',
    assumes: [
      'The record at s1._domainkey.acme.test has a valid 2048-bit key.',
      'The record at s2._domainkey.acme.test has a valid 2048-bit key.',
      'Mailchimp publishes a valid 2048-bit key at dkim2.mcsv.net.',
      'Mailchimp publishes a valid 2048-bit key at dkim3.mcsv.net.',
      'The record at {salesforce-selector-1}._domainkey.acme.test has a valid 2048-bit key.',
      'The record at {salesforce-selector-2}._domainkey.acme.test has a valid 2048-bit key.',
      'Zendesk publishes a valid 2048-bit key at zendesk1._domainkey.zendesk.com.',
      'Zendesk publishes a valid 2048-bit key at zendesk2._domainkey.zendesk.com.',
      'The record at ms._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      // An include that receivers never look up goes before `a` becomes a fixed address.
      'replace TXT acme.test v=spf1 a ptr include:_spf.google.com include:_spf.salesforce.com include:mail.zendesk.com include:spfa.mailendo.com ~all',
      'create CNAME s1._domainkey.acme.test s1.domainkey.{sendgrid-account}.sendgrid.net',
      'create CNAME s2._domainkey.acme.test s2.domainkey.{sendgrid-account}.sendgrid.net',
      'create CNAME k2._domainkey.acme.test dkim2.mcsv.net',
      'create CNAME k3._domainkey.acme.test dkim3.mcsv.net',
      'create CNAME {salesforce-selector-1}._domainkey.acme.test {salesforce-selector-1}.{salesforce-code-1}.custdkim.salesforce.com',
      'create CNAME {salesforce-selector-2}._domainkey.acme.test {salesforce-selector-2}.{salesforce-code-2}.custdkim.salesforce.com',
      'create CNAME zendesk1._domainkey.acme.test zendesk1._domainkey.zendesk.com',
      'create CNAME zendesk2._domainkey.acme.test zendesk2._domainkey.zendesk.com',
      'create TXT ms._domainkey.acme.test k=rsa; p={moosend-public-key}',
      'create CNAME em{sendgrid-number}.acme.test {sendgrid-account}.sendgrid.net',
      'create TXT mail._domainkey.acme.test v=DKIM1; k=rsa; p={mail-server-public-key}',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
      'keep TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ],
    replaces: {
      'TXT acme.test': [
        'v=spf1 a mx ptr include:_spf.google.com include:sendgrid.net include:servers.mcsv.net include:_spf.salesforce.com include:mail.zendesk.com include:spfa.mailendo.com ~all',
      ],
    },
    placeholders: {
      'CNAME s1._domainkey.acme.test': ['{sendgrid-account}'],
      'CNAME s2._domainkey.acme.test': ['{sendgrid-account}'],
      'CNAME {salesforce-selector-1}._domainkey.acme.test': [
        '{salesforce-selector-1}',
        '{salesforce-code-1}',
      ],
      'CNAME {salesforce-selector-2}._domainkey.acme.test': [
        '{salesforce-selector-2}',
        '{salesforce-code-2}',
      ],
      'TXT ms._domainkey.acme.test': ['{moosend-public-key}'],
      'TXT mail._domainkey.acme.test': ['{mail-server-public-key}'],
      'CNAME em{sendgrid-number}.acme.test': ['{sendgrid-number}', '{sendgrid-account}'],
    },
    onlyIf: {
      'CNAME s1._domainkey.acme.test': stillUses('Twilio SendGrid'),
      'CNAME s2._domainkey.acme.test': stillUses('Twilio SendGrid'),
      'CNAME k2._domainkey.acme.test': stillUses('Mailchimp'),
      'CNAME k3._domainkey.acme.test': stillUses('Mailchimp'),
      'CNAME {salesforce-selector-1}._domainkey.acme.test': signsNothingYet('Salesforce'),
      'CNAME {salesforce-selector-2}._domainkey.acme.test': signsNothingYet('Salesforce'),
      'CNAME em{sendgrid-number}.acme.test': stillUses('Twilio SendGrid'),
      'TXT mail._domainkey.acme.test':
        'The server at acme.test sends mail as acme.test without a DKIM signature, and you can’t have it send through Google Workspace instead.',
    },
    rollout: ROLLOUT_FROM_NONE,
    warnings: ['plan.ptr-kept', 'spf.at-lookup-limit'],
  })
})

test('explains every term that is no longer there', async () => {
  const { records } = await planFromZone(FOURTEEN)
  const spf = records.find(({ purpose }) => purpose === 'spf')
  expect(spf?.lookupCount).toBe(10)
  const terms = (value: string) => value.split(' ')
  const left = new Set(terms(spf?.value ?? ''))
  const gone = terms(spf?.replaces[0] ?? '').filter((term) => !left.has(term))
  expect(gone).toEqual(expect.arrayContaining(['mx', 'include:sendgrid.net']))
  for (const term of gone) expect(terms(spf?.why ?? '')).toContain(term)
})

/** Sender.net 5, Google 4, Salesforce 2, Zendesk and Help Scout 1 each: 13, and all of them align. */
const NO_ROOM = `${ON_GOOGLE}
  acme.test. TXT "v=spf1 include:sendersrv.com include:_spf.google.com include:_spf.salesforce.com include:mail.zendesk.com include:helpscoutemail.com -all"
  ${keyZoneLine('google')}${SENDER_NET}${SALESFORCE}${ZENDESK}${HELPSCOUT}`

test('names the senders that have no room, none of which passes today', async () => {
  const zone = `${NO_ROOM}
    _dmarc.acme.test. TXT "v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test"`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    senders: [
      'sendernet via include:sendersrv.com (likely)',
      'salesforce via include:_spf.salesforce.com (likely)',
      'zendesk via include:mail.zendesk.com (likely)',
      'helpscout via include:helpscoutemail.com (likely)',
    ],
    score: '54 F to 98 A',
    assumes: [
      'Zendesk publishes a valid 2048-bit key at zendesk1._domainkey.zendesk.com.',
      'Zendesk publishes a valid 2048-bit key at zendesk2._domainkey.zendesk.com.',
      'Help Scout publishes a valid 2048-bit key at strong1._domainkey.helpscout.net.',
      'Help Scout publishes a valid 2048-bit key at strong2._domainkey.helpscout.net.',
      'Sender.net publishes a valid 2048-bit key at dkim.sendersrv.com.',
      'The record at {salesforce-selector-1}._domainkey.acme.test has a valid 2048-bit key.',
      'The record at {salesforce-selector-2}._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'replace TXT acme.test v=spf1 include:sendersrv.com include:_spf.google.com include:mail.zendesk.com ~all',
      'create CNAME zendesk1._domainkey.acme.test zendesk1._domainkey.zendesk.com',
      'create CNAME zendesk2._domainkey.acme.test zendesk2._domainkey.zendesk.com',
      'create CNAME strong1._domainkey.acme.test strong1._domainkey.helpscout.net',
      'create CNAME strong2._domainkey.acme.test strong2._domainkey.helpscout.net',
      'create CNAME sender._domainkey.acme.test dkim.sendersrv.com',
      'create CNAME {salesforce-selector-1}._domainkey.acme.test {salesforce-selector-1}.{salesforce-code-1}.custdkim.salesforce.com',
      'create CNAME {salesforce-selector-2}._domainkey.acme.test {salesforce-selector-2}.{salesforce-code-2}.custdkim.salesforce.com',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
      'keep TXT _dmarc.acme.test v=DMARC1; p=quarantine; rua=mailto:dmarc@acme.test',
    ],
    replaces: {
      'TXT acme.test': [
        'v=spf1 include:sendersrv.com include:_spf.google.com include:_spf.salesforce.com include:mail.zendesk.com include:helpscoutemail.com -all',
      ],
    },
    placeholders: {
      'CNAME {salesforce-selector-1}._domainkey.acme.test': [
        '{salesforce-selector-1}',
        '{salesforce-code-1}',
      ],
      'CNAME {salesforce-selector-2}._domainkey.acme.test': [
        '{salesforce-selector-2}',
        '{salesforce-code-2}',
      ],
    },
    onlyIf: {
      'CNAME {salesforce-selector-1}._domainkey.acme.test': signsNothingYet('Salesforce'),
      'CNAME {salesforce-selector-2}._domainkey.acme.test': signsNothingYet('Salesforce'),
    },
    rollout: ROLLOUT_FROM_QUARANTINE,
    warnings: ['plan.sender-at-risk', 'plan.senders-to-move', 'spf.at-lookup-limit'],
  })
  const [, warning] = (await planFromZone(zone)).warnings
  expect(warning).toMatchObject({
    id: 'plan.senders-to-move',
    title:
      'SPF has no room for Help Scout (include:helpscoutemail.com) and Salesforce (include:_spf.salesforce.com)',
  })
})

test('keeps the senders in SPF that pass today, also under p=reject', async () => {
  // Receivers stop at the first match, so the mail of Sender.net passes SPF today.
  const { records, safety } = await planFromZone(`${NO_ROOM}${REJECT}`)
  expect(records.find(({ purpose }) => purpose === 'spf')?.value).toBe(
    'v=spf1 include:sendersrv.com include:_spf.google.com include:mail.zendesk.com ~all',
  )
  expect(safety.tested.map(({ sender, before, after }) => [sender, before, after])).toEqual([
    ['Sender.net', 'pass', 'pass'],
    ['Google Workspace', 'pass', 'pass'],
    ['Zendesk', 'permerror', 'pass'],
    ['Help Scout', 'permerror', 'softfail'],
  ])
})

test('includes that cannot align under p=reject: stay in SPF and get keys', async () => {
  const zone = `${ON_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com include:sendgrid.net include:servers.mcsv.net -all"
    ${keyZoneLine('google')}${REJECT}${SENDGRID}${MAILCHIMP}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    senders: [
      'sendgrid via include:sendgrid.net (unsure)',
      'mailchimp via include:servers.mcsv.net (unsure)',
    ],
    score: '79 C to 100 A',
    warnings: ['plan.sender-at-risk'],
    assumes: [
      'The record at s1._domainkey.acme.test has a valid 2048-bit key.',
      'The record at s2._domainkey.acme.test has a valid 2048-bit key.',
      'Mailchimp publishes a valid 2048-bit key at dkim2.mcsv.net.',
      'Mailchimp publishes a valid 2048-bit key at dkim3.mcsv.net.',
    ],
    records: [
      'create CNAME s1._domainkey.acme.test s1.domainkey.{sendgrid-account}.sendgrid.net',
      'create CNAME s2._domainkey.acme.test s2.domainkey.{sendgrid-account}.sendgrid.net',
      'create CNAME k2._domainkey.acme.test dkim2.mcsv.net',
      'create CNAME k3._domainkey.acme.test dkim3.mcsv.net',
      'create CNAME em{sendgrid-number}.acme.test {sendgrid-account}.sendgrid.net',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      'keep TXT acme.test v=spf1 include:_spf.google.com include:sendgrid.net include:servers.mcsv.net -all',
      `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
    placeholders: {
      'CNAME s1._domainkey.acme.test': ['{sendgrid-account}'],
      'CNAME s2._domainkey.acme.test': ['{sendgrid-account}'],
      'CNAME em{sendgrid-number}.acme.test': ['{sendgrid-number}', '{sendgrid-account}'],
    },
    onlyIf: {
      'CNAME s1._domainkey.acme.test': stillUses('Twilio SendGrid'),
      'CNAME s2._domainkey.acme.test': stillUses('Twilio SendGrid'),
      'CNAME k2._domainkey.acme.test': stillUses('Mailchimp'),
      'CNAME k3._domainkey.acme.test': stillUses('Mailchimp'),
      'CNAME em{sendgrid-number}.acme.test': stillUses('Twilio SendGrid'),
    },
  })
})

test('does not lock a domain whose only sender cannot align', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    acme.test. TXT "v=spf1 include:sendgrid.net ~all"
    ${SENDGRID}`
  const plan = await planFromZone(zone)
  expect(plan.sendsMail).toBe(true)
  expect(plan.rollout.map(({ record }) => record.value)[0]).toMatch(/^v=DMARC1; p=none;/)
  expect(recordLines(plan)).not.toContain('create MX acme.test 0 .')
})

test.each([
  [
    'via a record that allows every server',
    'include:relay.example',
    'relay.example. TXT "v=spf1 +all"',
  ],
  [
    'twice',
    'include:relay.example',
    'relay.example. TXT "v=spf1 a ~all"\nrelay.example. TXT "v=spf1 mx ~all"',
  ],
  ['by reverse names', 'ptr', ''],
])('does not lock a domain that authorizes a sender only %s', async (_, term, others) => {
  const plan = await planFromZone(`${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    acme.test. TXT "v=spf1 ${term} ~all"
    ${others}`)
  expect(plan.sendsMail).toBe(true)
  expect(plan.rollout.map(({ record }) => record.value)[0]).toMatch(/^v=DMARC1; p=none;/)
})

test('removes terms that break the record or allow every server, and warns', async () => {
  const zone = `${ON_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com include:relay.example include:two.example ip4:192.0.2.300 ?all"
    relay.example. TXT "v=spf1 +all"
    two.example. TXT "v=spf1 a -all"
    two.example. TXT "v=spf1 mx -all"
    ${keyZoneLine('google')}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'google via MX smtp.google.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '35 F to 100 A',
    assumes: [ROLLOUT_ASSUMPTION],
    records: [
      'replace TXT acme.test v=spf1 include:_spf.google.com ~all',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      TLS_REPORTS,
      'keep MX acme.test 1 smtp.google.com',
      `keep TXT google._domainkey.acme.test ${GOOD_KEY_RECORD}`,
    ],
    replaces: {
      'TXT acme.test': [
        'v=spf1 include:_spf.google.com include:relay.example include:two.example ip4:192.0.2.300 ?all',
      ],
    },
    rollout: ROLLOUT_FROM_NO_RECORD,
    warnings: ['plan.terms-left-out'],
  })
  const [warning] = (await planFromZone(zone)).warnings
  expect(warning).toMatchObject({
    id: 'plan.terms-left-out',
    title:
      'The plan leaves "include:relay.example", "include:two.example", and "ip4:192.0.2.300" out of your SPF record',
  })
})

test('warns about an unknown mailbox provider behind a gateway', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    acme.test. MX 10 us-smtp-inbound-2.mimecast.com.
    acme.test. TXT "v=spf1 include:us._netblocks.mimecast.com ~all"
    ${MIMECAST}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: null,
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    senders: ['mimecast via MX us-smtp-inbound-1.mimecast.com (yes)'],
    score: '32 F to 100 A',
    assumes: [
      'The record at {mimecast-selector}._domainkey.acme.test has a valid 2048-bit key.',
      'The record at {mailbox-provider-selector}._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create TXT {mimecast-selector}._domainkey.acme.test v=DKIM1; k=rsa; p={mimecast-public-key}',
      'create TXT {mailbox-provider-selector}._domainkey.acme.test {mailbox-provider-dkim-record}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      'keep MX acme.test 10 us-smtp-inbound-1.mimecast.com',
      'keep MX acme.test 10 us-smtp-inbound-2.mimecast.com',
      'keep TXT acme.test v=spf1 include:us._netblocks.mimecast.com ~all',
    ],
    placeholders: {
      'TXT {mimecast-selector}._domainkey.acme.test': [
        '{mimecast-selector}',
        '{mimecast-public-key}',
      ],
      'TXT {mailbox-provider-selector}._domainkey.acme.test': [
        '{mailbox-provider-selector}',
        '{mailbox-provider-dkim-record}',
      ],
    },
    onlyIf: {
      'TXT {mimecast-selector}._domainkey.acme.test': 'Your outgoing mail goes through Mimecast.',
      'TXT {mailbox-provider-selector}._domainkey.acme.test':
        'Your outgoing mail doesn’t go through Mimecast.',
    },
    rollout: ROLLOUT_FROM_NO_RECORD,
    warnings: ['plan.mailboxes-unseen'],
  })
})

test('plans keys for a gateway and the mailbox provider in SPF', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    acme.test. TXT "v=spf1 include:us._netblocks.mimecast.com include:spf.protection.outlook.com -all"
    ${NONE}${MIMECAST}${MICROSOFT}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'microsoft365 via include:spf.protection.outlook.com',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    senders: ['mimecast via MX us-smtp-inbound-1.mimecast.com (yes)'],
    score: '44 F to 100 A',
    assumes: [
      'The record at {mimecast-selector}._domainkey.acme.test has a valid 2048-bit key.',
      'The record at selector1._domainkey.acme.test has a valid 2048-bit key.',
      'The record at selector2._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create TXT {mimecast-selector}._domainkey.acme.test v=DKIM1; k=rsa; p={mimecast-public-key}',
      'create CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
      'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
      'keep MX acme.test 10 us-smtp-inbound-1.mimecast.com',
      'keep TXT acme.test v=spf1 include:us._netblocks.mimecast.com include:spf.protection.outlook.com -all',
      'keep TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ],
    placeholders: {
      'TXT {mimecast-selector}._domainkey.acme.test': [
        '{mimecast-selector}',
        '{mimecast-public-key}',
      ],
      'CNAME selector1._domainkey.acme.test': ['{microsoft365-target-1}'],
      'CNAME selector2._domainkey.acme.test': ['{microsoft365-target-2}'],
    },
    onlyIf: {
      'TXT {mimecast-selector}._domainkey.acme.test': 'Your outgoing mail goes through Mimecast.',
    },
    rollout: ROLLOUT_FROM_NONE,
  })
})

test('own mail server: SPF with mx, and a key to create', async () => {
  const zone = `
    acme.test. NS ns1.acme.test.
    acme.test. MX 10 mail.acme.test.
    acme.test. A 192.0.2.80
    mail.acme.test. A 192.0.2.25
    mail.acme.test. AAAA 2001:db8::25`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: null,
    dnsHost: null,
    score: '5 F to 100 A',
    assumes: [
      'The record at mail._domainkey.acme.test has a valid 2048-bit key.',
      ROLLOUT_ASSUMPTION,
    ],
    records: [
      'create TXT acme.test v=spf1 mx ~all',
      'create TXT mail._domainkey.acme.test v=DKIM1; k=rsa; p={mail-server-public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      'keep MX acme.test 10 mail.acme.test',
    ],
    placeholders: { 'TXT mail._domainkey.acme.test': ['{mail-server-public-key}'] },
    rollout: ROLLOUT_FROM_NO_RECORD,
  })
})

test('keeps SPF with a redirect to the provider', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. MX 10 mx.yandex.net.
    acme.test. TXT "v=spf1 redirect=_spf.yandex.net"
    mx.yandex.net. A 77.88.21.249
    _spf.yandex.net. TXT "v=spf1 ip4:77.88.0.0/18 ~all"
    ${keyZoneLine('mail')}${REJECT}`
  expect(await goldenPlan(zone)).toEqual({
    ...EMPTY_GOLDEN_PLAN,
    sendsMail: true,
    mailboxProvider: 'yandex via MX mx.yandex.net',
    dnsHost: 'cloudflare via NS ada.ns.cloudflare.com',
    score: '100 A to 100 A',
    records: [
      'keep MX acme.test 10 mx.yandex.net',
      'keep TXT acme.test v=spf1 redirect=_spf.yandex.net',
      `keep TXT mail._domainkey.acme.test ${GOOD_KEY_RECORD}`,
      'keep TXT _dmarc.acme.test v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
    ],
  })
})

test('a provider that sends through another service: plans no key of the other', async () => {
  const zone = `${AT_CLOUDFLARE}
    acme.test. MX 10 mx1.dreamhost.com.
    acme.test. TXT "v=spf1 include:netblocks.dreamhost.com include:relay.mailchannels.net -all"
    mx1.dreamhost.com. A 192.0.2.1
    netblocks.dreamhost.com. TXT "v=spf1 ip4:192.0.2.0/24 ~all"
    relay.mailchannels.net. TXT "v=spf1 ip4:198.51.100.0/24 ~all"
    ${keyZoneLine('dreamhost')}${REJECT}`
  const plan = await planFromZone(zone)
  expect(plan.senders).toEqual([])
  expect(recordLines(plan).filter((line) => !line.startsWith('keep'))).toEqual([])
})

test('a sender that signs for a subdomain: plans the keys below it', async () => {
  const zone = `${ON_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com include:send.klaviyo.com ~all"
    send.klaviyo.com. TXT "v=spf1 ip4:192.0.2.0/24 ~all"
    ${keyZoneLine('google')}${REJECT}`
  expect(recordLines(await planFromZone(zone))).toEqual(
    expect.arrayContaining([
      'create CNAME {klaviyo-selector-1}._domainkey.send.acme.test {klaviyo-target-1}.klaviyodns.com',
      'create CNAME {klaviyo-selector-2}._domainkey.send.acme.test {klaviyo-target-2}.klaviyodns.com',
      'create CNAME send.acme.test {klaviyo-target}.klaviyodns.com',
    ]),
  )
})

test('two services whose selectors are unknown: plans the keys of both', async () => {
  const zone = `${ON_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com include:_spf.salesforce.com include:mailsenders.netsuite.com ~all"
    mailsenders.netsuite.com. TXT "v=spf1 ip4:192.0.2.0/24 ~all"
    ${keyZoneLine('google')}${REJECT}${SALESFORCE}`
  const plan = await planFromZone(zone)
  expect(plan.warnings).toEqual([])
  expect(recordLines(plan).filter((line) => line.startsWith('create'))).toEqual([
    'create CNAME {salesforce-selector-1}._domainkey.acme.test {salesforce-selector-1}.{salesforce-code-1}.custdkim.salesforce.com',
    'create CNAME {salesforce-selector-2}._domainkey.acme.test {salesforce-selector-2}.{salesforce-code-2}.custdkim.salesforce.com',
    'create CNAME {netsuite-selector-1}._domainkey.acme.test {netsuite-target-1}',
    'create CNAME {netsuite-selector-2}._domainkey.acme.test {netsuite-target-2}',
    TLS_REPORTS,
  ])
})
