/** Customers by the services that send for them. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  AT_CLOUDFLARE,
  MAILCHIMP,
  MICROSOFT,
  ON_GOOGLE,
  SALESFORCE,
  SENDGRID,
  ZENDESK,
} from '../../../../test/support/service-zones.js'
import {
  changes,
  changesFor,
  FULL_LADDER,
  ladder,
  recordAt,
  senderLines,
  situation,
  spfOf,
  stepNamed,
  titles,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  ATLASSIAN,
  BREVO,
  dmarcZoneLine,
  FRESHDESK,
  HUBSPOT,
  KLAVIYO,
  MAILGUN,
  POSTMARK,
  SES,
  SHOPIFY,
  signedCname,
} from '../../../../test/support/situation-zones.js'

const GOOGLE_KEY = keyZoneLine('google')
const MONITORED = dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')

situation({
  name: 'Shop on Google Workspace with Klaviyo, Postmark and Shopify',
  expert:
    'Every service gets its own DKIM records; no include is dropped; DMARC starts at none with reports.',
  zone: `${ON_GOOGLE}${KLAVIYO}${POSTMARK}${SHOPIFY}${GOOGLE_KEY}
    acme.test. TXT "v=spf1 include:_spf.google.com include:send.klaviyo.com include:spf.mtasv.net include:shops.shopify.com -all"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    const created = plan.records.filter(
      ({ purpose, action }) => purpose === 'dkim' && action === 'create',
    )
    const count = (id: string) => created.filter(({ service }) => service === id).length
    expect([count('klaviyo'), count('postmark'), count('shopify')]).toEqual([2, 1, 4])
    expect(plan.senders.map(({ id }) => id).sort()).toEqual(['klaviyo', 'postmark', 'shopify'])
    expect(warningIds(plan)).not.toContain('plan.selector-taken')
    expect(changesFor(plan, 'dmarc')).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(plan.safety.tested.map(({ after }) => after)).toEqual(['pass', 'pass', 'pass', 'pass'])
  },
})

situation({
  name: 'Postmark under strict alignment for SPF',
  expert: 'A Return-Path below the domain doesn’t help, so no step asks to verify one.',
  zone: `${ON_GOOGLE}${POSTMARK}${GOOGLE_KEY}${dmarcZoneLine('p=none; aspf=s; rua=mailto:dmarc@acme.test')}
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.mtasv.net -all"`,
  expect: (plan) => {
    expect(plan.records.filter(({ name }) => name.startsWith('pm-bounces'))).toEqual([])
    const { actions, verify } = stepNamed(plan, 'Turn on DKIM signing in Postmark')
    expect([...actions, verify.text].join(' ')).not.toContain('Return-Path')
  },
})

situation({
  name: 'Five services whose selectors only they know',
  expert:
    'Salesforce, Atlassian, Freshdesk, Klaviyo and Shopify never share a placeholder or block each other.',
  zone: `${ON_GOOGLE}${KLAVIYO}${SHOPIFY}${SALESFORCE}${ATLASSIAN}${FRESHDESK}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com include:_spf.salesforce.com include:_spf.atlassian.net include:email.freshdesk.com include:send.klaviyo.com -all"`,
  options: { uses: ['shopify'] },
  expect: (plan) => {
    const signing = new Set(changesFor(plan, 'dkim').map((line) => line.split(' ')[2]))
    expect(signing.size).toBe(2 + 2 + 3 + 2 + 4)
    expect(warningIds(plan)).not.toContain('plan.selector-taken')
    expect(spfOf(plan).action).toBe('keep')
  },
})

situation({
  name: 'Mailgun at the root: key at smtp, tracking CNAME at email',
  expert: 'Mailgun bounces to the domain itself here, so its include is needed and stays.',
  zone: `${ON_GOOGLE}${MAILGUN}${GOOGLE_KEY}${keyZoneLine('smtp', `k=rsa; p=${SPKI[2048]}`)}${MONITORED}
    acme.test. TXT "v=spf1 include:mailgun.org include:_spf.google.com ~all"
    email.acme.test. CNAME mailgun.org.`,
  expect: (plan) => {
    expect(changes(plan).filter((line) => !line.includes('_smtp._tls'))).toEqual([])
    expect(senderLines(plan)).toEqual(['mailgun yes signed'])
    expect(plan.safety.tested[0]).toMatchObject({
      sender: 'Mailgun',
      before: 'pass',
      after: 'pass',
    })
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Mailgun on mg. beside Google',
  expert:
    'd=mg.acme.test is aligned, so no second key is demanded at the root and SPF needs no Mailgun.',
  zone: `${ON_GOOGLE}${MAILGUN}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    mg.acme.test. MX 10 mxa.mailgun.org.
    mg.acme.test. MX 10 mxb.mailgun.org.
    mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
    email.mg.acme.test. CNAME mailgun.org.
    ${txtZoneLine('pic._domainkey.mg.acme.test', GOOD_KEY_RECORD)}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(changesFor(plan, 'spf')).toEqual([])
    expect(senderLines(plan)).toEqual(['mailgun yes signed'])
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Mailgun on mg. with a leftover include at the root',
  expert: 'It is still set up on mg.: no keys at the root.',
  zone: `${ON_GOOGLE}${MAILGUN}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com include:mailgun.org ~all"
    mg.acme.test. MX 10 mxa.mailgun.org.
    mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
    ${txtZoneLine('pic._domainkey.mg.acme.test', GOOD_KEY_RECORD)}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(senderLines(plan)).toEqual(['mailgun yes signed'])
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Web application on Amazon SES with a custom MAIL FROM, no mailboxes',
  expert:
    'SES bounces to the subdomain, so nothing at the root may say that nobody sends; no own server is assumed.',
  zone: `${AT_CLOUDFLARE}${SES}
    acme.test. A 192.0.2.80
    bounce.acme.test. MX 10 feedback-smtp.eu-west-1.amazonses.com.
    bounce.acme.test. TXT "v=spf1 include:amazonses.com ~all"
    ${signedCname('abcdefghijklmnopqrstuvwxyz234567', 'abcdefghijklmnopqrstuvwxyz234567.dkim.amazonses.com')}`,
  signsElsewhere: true,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(true)
    expect(senderLines(plan)[0]).toMatch(/^ses yes/)
    expect(spfOf(plan).value).not.toMatch(/^v=spf1 [~-]all$|\bmx\b/)
    expect(recordAt(plan, '_dmarc.acme.test').value).toContain('p=none')
    expect(changesFor(plan, 'dkim').join(' ')).not.toContain('mail-server')
  },
})

situation({
  name: 'Google with Amazon SES, whose MAIL FROM is at bounce.',
  expert:
    'The bounce name proves no signature: the keys of SES are planned unless its mail is signed already.',
  zone: `${ON_GOOGLE}${SES}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    bounce.acme.test. MX 10 feedback-smtp.eu-west-1.amazonses.com.
    bounce.acme.test. TXT "v=spf1 include:amazonses.com ~all"`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['ses yes unknown'])
    const keys = plan.records.filter(
      ({ service, purpose }) => service === 'ses' && purpose === 'dkim',
    )
    expect(keys).toHaveLength(3)
    expect(keys.filter(({ onlyIf }) => !onlyIf?.startsWith('Amazon SES doesn’t sign'))).toEqual([])
    expect(changesFor(plan, 'spf')).toEqual([])
  },
})

situation({
  name: 'The feedback host of Amazon SES as the only MX',
  expert: 'It is not a mail server of the owner: no mx in SPF and no key for an own server.',
  zone: `${AT_CLOUDFLARE}${SES}
    acme.test. MX 10 feedback-smtp.us-east-1.amazonses.com.
    acme.test. TXT "v=spf1 include:amazonses.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:amazonses.com ~all')
    expect(plan.senders.map(({ id }) => id)).toEqual(['ses'])
    expect(changesFor(plan, 'dkim').join(' ')).not.toContain('mail-server')
    expect(changesFor(plan, 'dkim').length).toBe(3)
    // Reports to dmarc@acme.test would go to the bounce handler of SES.
    expect(recordAt(plan, '_dmarc.acme.test').value).not.toContain('dmarc@acme.test')
  },
})

situation({
  name: 'The mail servers of Mailgun as the only MX of the root',
  expert: 'Mailgun receives and sends; nothing is planned for an own mail server.',
  zone: `${AT_CLOUDFLARE}${MAILGUN}
    acme.test. MX 10 mxa.mailgun.org.
    acme.test. MX 10 mxb.mailgun.org.
    acme.test. TXT "v=spf1 include:mailgun.org ~all"
    ${keyZoneLine('pic')}`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(senderLines(plan)).toEqual(['mailgun yes signed'])
  },
})

situation({
  name: 'SendGrid with automated security beside Google',
  expert: 'em1234, s1 and s2 are in place: SendGrid signs, and nothing is left but the policy.',
  zone: `${ON_GOOGLE}${SENDGRID}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    em1234.acme.test. CNAME u1234567.wl123.sendgrid.net.
    ${signedCname('s1', 's1.domainkey.u1234567.wl123.sendgrid.net')}
    ${signedCname('s2', 's2.domainkey.u1234567.wl123.sendgrid.net')}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['sendgrid yes signed'])
    expect(changes(plan).filter((line) => !line.includes('_smtp._tls'))).toEqual([])
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'SendGrid CNAMEs that lead nowhere after the account was closed',
  expert:
    'Not called right and warned about at once: the owner is asked whether SendGrid is still used.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    s1._domainkey.acme.test. CNAME s1.domainkey.u999.wl001.sendgrid.net.
    s2._domainkey.acme.test. CNAME s2.domainkey.u999.wl001.sendgrid.net.`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['sendgrid unsure unsigned'])
    expect(titles(plan).filter((title) => /SendGrid/.test(title))).toEqual([
      'Do you still use Twilio SendGrid?',
    ])
    expect(plan.records.filter(({ service }) => service === 'sendgrid')).toEqual([])
    expect(warningIds(plan).filter((id) => id.startsWith('dkim.'))).toEqual([])
  },
})

situation({
  name: 'SendGrid CNAMEs proxied by Cloudflare',
  expert: 'The record exists; it has to be switched to DNS only, not added again.',
  zone: `${ON_GOOGLE}${SENDGRID}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com include:sendgrid.net ~all"
    s1._domainkey.acme.test. A 104.21.5.6
    s2._domainkey.acme.test. A 104.21.5.6`,
  expect: (plan) => {
    expect(warningIds(plan)).toContain('plan.proxied-record')
    const step = stepNamed(plan, 'SendGrid')
    const actions = plan.steps.flatMap((each) => (each.service === 'sendgrid' ? each.actions : []))
    expect(actions.join(' ')).toMatch(/DNS only/)
    expect(
      actions.filter((action) => /^Add a CNAME record: name `s[12]\._domainkey/.test(action)),
    ).toEqual([])
    expect(step.service).toBe('sendgrid')
  },
})

situation({
  name: 'HubSpot with the portal id in its include',
  expert: 'The account number is in DNS already, so the selectors are complete.',
  zone: `${ON_GOOGLE}${HUBSPOT}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com include:1234567.spf04.hubspotemail.net ~all"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim').map((line) => line.split(' ')[2])).toEqual([
      'hs1-1234567._domainkey.acme.test',
      'hs2-1234567._domainkey.acme.test',
    ])
    expect(spfOf(plan).action).toBe('keep')
  },
})

situation({
  name: 'Salesforce in SPF without keys',
  expert:
    'Two CNAMEs with two different codes; the include stays, because Salesforce can bounce to the domain.',
  zone: `${ON_GOOGLE}${SALESFORCE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com include:_spf.salesforce.com ~all"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME {salesforce-selector-1}._domainkey.acme.test {salesforce-selector-1}.{salesforce-code-1}.custdkim.salesforce.com',
      'create CNAME {salesforce-selector-2}._domainkey.acme.test {salesforce-selector-2}.{salesforce-code-2}.custdkim.salesforce.com',
    ])
    expect(spfOf(plan).action).toBe('keep')
  },
})

situation({
  name: 'Shopify, which the owner names',
  expert: 'Six CNAMEs: four keys and two bounce hosts, all with values from the Shopify admin.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  options: { uses: ['shopify'] },
  expect: (plan) => {
    const shopify = plan.records.filter(({ service }) => service === 'shopify')
    expect(shopify.map(({ type }) => type)).toEqual(Array(6).fill('CNAME'))
    expect(senderLines(plan)[0]).toMatch(/^shopify yes/)
    expect(spfOf(plan).action).toBe('keep')
  },
})

situation({
  name: 'Klaviyo set up on send. with its own CNAMEs',
  expert: 'Klaviyo is a sender and signs as send.acme.test, which is aligned: nothing to add.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    acme.test. TXT "klaviyo-site-verification=AbC123"
    send.acme.test. CNAME u123.wl.klaviyodns.com.
    ${signedCname('km1', 'dkim1.u123.klaviyodns.com', 'send.acme.test')}
    ${signedCname('km2', 'dkim2.u123.klaviyodns.com', 'send.acme.test')}`,
  expect: (plan) => {
    expect(plan.senders.map(({ id, inUse }) => `${id} ${inUse}`)).toEqual(['klaviyo yes'])
    const demanded = plan.records.filter(
      ({ service, action, onlyIf }) =>
        service === 'klaviyo' && action === 'create' && onlyIf === null,
    )
    expect(demanded).toEqual([])
    expect(changesFor(plan, 'spf')).toEqual([])
  },
})

situation({
  name: 'Customer.io, which the owner names',
  expert: 'Its records are below cio and a number; nothing changes at the root.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  options: { uses: ['customerio'] },
  expect: (plan) => {
    const names = plan.records
      .filter(({ service }) => service === 'customerio')
      .map(({ name }) => name)
    expect(names).toHaveLength(4)
    expect(names.filter((name) => !name.endsWith('cio{customerio-id}.acme.test'))).toEqual([])
    expect(spfOf(plan)).toMatchObject({
      action: 'keep',
      value: 'v=spf1 include:_spf.google.com ~all',
    })
  },
})

situation({
  name: 'Stripe receipts from the own domain',
  expert: 'The bounce CNAME and the keys show Stripe; nothing is planned twice.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    bounce.acme.test. CNAME custom-email-domain.stripe.com.
    custom-email-domain.stripe.com. TXT "v=spf1 ip4:198.2.180.0/24 ~all"
    ${signedCname('aaaabbbbccccddddeeeeffffgggghhhh', 'aaaabbbbccccddddeeeeffffgggghhhh.dkim.custom-email-domain.stripe.com')}`,
  expect: (plan) => {
    expect(plan.senders.map(({ id, inUse }) => `${id} ${inUse}`)).toEqual(['stripe yes'])
    const demanded = plan.records.filter(
      ({ service, action, onlyIf }) =>
        service === 'stripe' && action === 'create' && onlyIf === null,
    )
    // The selectors are random, so DNS does not prove that Stripe does not sign.
    expect(demanded).toEqual([])
    expect(plan.records.filter(({ name }) => name === 'bounce.acme.test')).toEqual([])
    expect(changesFor(plan, 'spf')).toEqual([])
  },
})

situation({
  name: 'Wix with its keys and its _dmarc CNAME',
  expert:
    'Wix’s shared policy cannot be tightened, so the CNAME gives way to an own record right away.',
  zone: `acme.test. NS ns8.wixdns.net.
    acme.test. NS ns9.wixdns.net.
    ${ON_GOOGLE.replace(AT_CLOUDFLARE, '')}${GOOGLE_KEY}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${signedCname('s1', 's1._domainkey.acme.test.s12.ascendbywix.com')}
    ${signedCname('s2', 's2._domainkey.acme.test.s12.ascendbywix.com')}
    _dmarc.acme.test. CNAME _dmarc.wixemails.com.
    _dmarc.wixemails.com. TXT "v=DMARC1; p=none"`,
  expect: (plan) => {
    expect(plan.senders.map(({ id, inUse }) => `${id} ${inUse}`)).toEqual(['wix yes'])
    expect(changesFor(plan, 'dmarc')).toEqual([
      'delete CNAME _dmarc.acme.test _dmarc.wixemails.com',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Start-up on Google with Resend, Postmark and Kit',
  expert:
    'All three are listed from keys, bounce CNAMEs and targets, though SPF names none of them.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}${POSTMARK}${SES}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${keyZoneLine('resend', GOOD_KEY_RECORD.replace('v=DKIM1; k=rsa; ', ''))}
    send.acme.test. MX 10 feedback-smtp.eu-west-1.amazonses.com.
    send.acme.test. TXT "v=spf1 include:amazonses.com ~all"
    ${keyZoneLine('20260101000000pm')}
    pm-bounces.acme.test. CNAME pm.mtasv.net.
    ${signedCname('cka', 'dkim.dm-abc123.sg7.convertkit.com')}
    ${signedCname('cka2', 'dkim2.dm-abc123.sg7.convertkit.com')}
    ckespa.acme.test. CNAME spf.dm-abc123.sg7.convertkit.com.`,
  expect: (plan) => {
    const ids = plan.senders.map(({ id }) => id)
    // "send" with Amazon's host belongs to Resend here, so Amazon SES is no sender of its own.
    expect([...ids].sort()).toEqual(['kit', 'postmark', 'resend'])
    const demanded = plan.records.filter(
      ({ action, onlyIf, optional, purpose }) =>
        purpose === 'dkim' && action === 'create' && onlyIf === null && !optional,
    )
    expect(demanded).toEqual([])
    expect(changesFor(plan, 'spf').filter((line) => line.includes(' acme.test '))).toEqual([])
  },
})

situation({
  name: 'Mailchimp and Zendesk in SPF, neither signs',
  expert:
    'Mailchimp’s include has no effect but costs one lookup of six: it may stay; both get their CNAMEs.',
  zone: `${ON_GOOGLE}${MAILCHIMP}${ZENDESK}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net include:mail.zendesk.com ~all"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME k2._domainkey.acme.test dkim2.mcsv.net',
      'create CNAME k3._domainkey.acme.test dkim3.mcsv.net',
      'create CNAME zendesk1._domainkey.acme.test zendesk1._domainkey.zendesk.com',
      'create CNAME zendesk2._domainkey.acme.test zendesk2._domainkey.zendesk.com',
    ])
    expect(plan.safety.tested.every(({ after }) => after === 'pass')).toBe(true)
    expect(plan.senders.map(({ signs }) => signs)).toEqual(['no', 'no'])
  },
})

situation({
  name: 'Brevo, seen by its code only, beside Google',
  expert: 'A verification code may be years old: asked about, not set up.',
  zone: `${ON_GOOGLE}${BREVO}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    acme.test. TXT "brevo-code:0123456789abcdef"`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['brevo unsure unsigned'])
    expect(titles(plan).join('\n')).toContain('Do you still use Brevo')
    expect(changesFor(plan, 'dkim')).toEqual([])
  },
})

situation({
  name: 'Mailgun on mg. without a key',
  expert: 'Mailgun signs for the name it was given, so its keys belong below mg., not at the root.',
  zone: `${ON_GOOGLE}${MAILGUN}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${keyZoneLine('google')}
    mg.acme.test. MX 10 mxa.mailgun.org.
    mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME pdk1._domainkey.mg.acme.test {mailgun-mg-target-1}',
      'create CNAME pdk2._domainkey.mg.acme.test {mailgun-mg-target-2}',
    ])
    expect(spfOf(plan).action).toBe('keep')
  },
})

situation({
  name: 'A plan for mg.acme.test itself, where Mailgun sends',
  expert:
    'Mailgun bounces to exactly this name, so its include is needed there; hosts are relative to the zone.',
  domain: 'mg.acme.test',
  zone: `${AT_CLOUDFLARE}${MAILGUN}
    acme.test. A 192.0.2.80
    mg.acme.test. MX 10 mxa.mailgun.org.
    mg.acme.test. TXT "v=spf1 include:mailgun.org ~all"
    ${txtZoneLine('pic._domainkey.mg.acme.test', GOOD_KEY_RECORD)}
    ${dmarcZoneLine('p=quarantine; rua=mailto:dmarc@reports.example')}
    reports.example. MX 10 mx.reports.example.
    mx.reports.example. A 192.0.2.50
    *._report._dmarc.reports.example. TXT "v=DMARC1"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    expect(plan.senders.map(({ id }) => id)).toEqual(['mailgun'])
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(recordAt(plan, '_dmarc.acme.test').action).toBe('keep')
    expect(ladder(plan)).toEqual(['quarantine', 'reject test', 'reject'])
    expect(plan.rollout.at(-1)?.record.name).toBe('_dmarc.mg.acme.test')
  },
})

situation({
  name: 'Valimail’s macro include in front of everything',
  expert: 'It decides for each message; the plan neither expands nor completes it.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:%{i}._ip.%{h}._ehlo.%{d}._spf.vali.email ~all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'keep',
      value: 'v=spf1 include:%{i}._ip.%{h}._ehlo.%{d}._spf.vali.email ~all',
    })
  },
})

situation({
  name: 'Klaviyo and Resend, which both want send.',
  expert: 'One name holds one CNAME: Klaviyo gets another subdomain, for its keys as well.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  options: { uses: ['klaviyo', 'resend'] },
  expect: (plan) => {
    const names = plan.records.map(({ name, service }) => `${service} ${name}`)
    expect(names).toContain('resend send.acme.test')
    expect(names).toContain('klaviyo news.acme.test')
    expect(names).toContain('klaviyo {klaviyo-selector-1}._domainkey.news.acme.test')
    expect(names).not.toContain('klaviyo send.acme.test')
  },
})

situation({
  name: 'Klaviyo to be added where Resend bounces to send.',
  expert: 'The name is in use, so the subdomain of Klaviyo is another one, and none is left out.',
  zone: `${ON_GOOGLE}${SES}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    send.acme.test. MX 10 feedback-smtp.us-east-1.amazonses.com.
    send.acme.test. TXT "v=spf1 include:amazonses.com ~all"
    ${keyZoneLine('resend', `p=${SPKI[1024]}`)}`,
  options: { uses: ['klaviyo'] },
  expect: (plan) => {
    expect(recordAt(plan, 'news.acme.test', 'CNAME').service).toBe('klaviyo')
  },
})

situation({
  name: 'Resend at send. and Amazon SES at mail.',
  expert: 'Only the name that Resend uses is its own: SES is a sender as well.',
  zone: `${ON_GOOGLE}${SES}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    send.acme.test. MX 10 feedback-smtp.us-east-1.amazonses.com.
    send.acme.test. TXT "v=spf1 include:amazonses.com ~all"
    mail.acme.test. MX 10 feedback-smtp.eu-west-1.amazonses.com.
    mail.acme.test. TXT "v=spf1 include:amazonses.com ~all"
    ${keyZoneLine('resend', `p=${SPKI[1024]}`)}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['resend yes signed', 'ses yes unknown'])
    expect(changesFor(plan, 'dkim').length).toBe(3)
  },
})

situation({
  name: 'Amazon WorkMail, which sends through SES',
  expert: 'Both sign with the keys of one identity: one set of records.',
  zone: `${AT_CLOUDFLARE}${SES}
    acme.test. MX 10 inbound-smtp.us-east-1.amazonaws.com.
    inbound-smtp.us-east-1.amazonaws.com. A 198.51.100.77
    acme.test. TXT "v=spf1 include:amazonses.com ~all"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim').length).toBe(3)
    expect(senderLines(plan)).toEqual([])
    // Its domains are identities of Amazon SES, whether WorkMail receives or SES itself.
    expect(stepNamed(plan, 'Get the DNS records').where).toContain('Amazon SES console')
  },
})

situation({
  name: 'Google signs under p=reject, Mailchimp in SPF does not',
  expert:
    'Mailchimp passes only with DKIM and has no key: its mail is rejected today, and the plan says so first.',
  zone: `${ON_GOOGLE}${keyZoneLine('google')}${MAILCHIMP}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net ~all"
    ${dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    const warning = plan.warnings.find(({ id }) => id === 'plan.sender-at-risk')
    expect(warning?.title).toBe('Mail from Mailchimp is rejected today')
  },
})

situation({
  name: 'Google signs under p=reject, and so does Mailchimp',
  expert: 'Its keys are there, so nothing is at risk.',
  zone: `${ON_GOOGLE}${keyZoneLine('google')}${MAILCHIMP}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net ~all"
    ${signedCname('k2', 'dkim2.mcsv.net')}${signedCname('k3', 'dkim3.mcsv.net')}
    ${dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(warningIds(plan)).not.toContain('plan.sender-at-risk')
  },
})

const AZURE_TOKEN = 'acme.test. TXT "ms-domain-verification=0b5c1f6e-7a54-4f0e-9f60-2f1f4f6f6f10"'
const AZURE_KEYS = ['selector1', 'selector2']
  .map((name) => `${name}-azurecomm-prod-net`)
  .map((selector) => signedCname(selector, `${selector}._domainkey.azurecomm.net`))
  .join('\n')
const ON_GOOGLE_WITH_AZURE = `${ON_GOOGLE}${MICROSOFT}${GOOGLE_KEY}${MONITORED}
    ${AZURE_TOKEN}
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.protection.outlook.com -all"
    `

situation({
  name: 'Google Workspace with Azure Communication Services, and unused=microsoft365',
  expert:
    'Azure passes through Microsoft’s include, so that stays although nobody uses Microsoft 365.',
  zone: `${ON_GOOGLE_WITH_AZURE}${AZURE_KEYS}`,
  options: { unused: ['microsoft365'] },
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['azure-communication yes signed'])
    expect(spfOf(plan).action).toBe('keep')
    expect(changesFor(plan, 'dkim')).toEqual([])
  },
})

situation({
  name: 'Google Workspace with Azure Communication Services, and unused=azure-communication',
  expert: 'The include stays for Microsoft 365, which may still send; only Azure’s keys go.',
  zone: `${ON_GOOGLE_WITH_AZURE}${AZURE_KEYS}`,
  options: { unused: ['azure-communication'] },
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    expect(changesFor(plan, 'dkim')).toEqual([
      'delete CNAME selector1-azurecomm-prod-net._domainkey.acme.test selector1-azurecomm-prod-net._domainkey.azurecomm.net',
      'delete CNAME selector2-azurecomm-prod-net._domainkey.acme.test selector2-azurecomm-prod-net._domainkey.azurecomm.net',
    ])
  },
})

situation({
  name: 'Google Workspace where neither Azure nor Microsoft 365 is used any longer',
  expert: 'Nobody needs the include, so it goes.',
  zone: ON_GOOGLE_WITH_AZURE,
  options: { unused: ['microsoft365', 'azure-communication'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com -all')
    expect(plan.senders).toEqual([])
  },
})

situation({
  name: 'uses=azure-communication, which is not set up in DNS yet',
  expert: 'Its two CNAMEs are known in advance, and SPF gets Microsoft’s include.',
  zone: `${ON_GOOGLE}${MICROSOFT}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com -all"`,
  options: { uses: ['azure-communication'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:_spf.google.com include:spf.protection.outlook.com -all',
    )
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME selector1-azurecomm-prod-net._domainkey.acme.test selector1-azurecomm-prod-net._domainkey.azurecomm.net',
      'create CNAME selector2-azurecomm-prod-net._domainkey.acme.test selector2-azurecomm-prod-net._domainkey.azurecomm.net',
    ])
  },
})

situation({
  name: 'The MAIL FROM name of Amazon SES, asked by itself',
  expert: 'No one writes from a name for bounces, so SES needs no key there, and the plan says so.',
  zone: `${ON_GOOGLE}${SES}${MONITORED}
    mail.acme.test. MX 10 feedback-smtp.eu-west-1.amazonses.com.
    mail.acme.test. TXT "v=spf1 include:amazonses.com ~all"`,
  domain: 'mail.acme.test',
  expect: (plan) => {
    expect(plan.senders).toEqual([])
    expect(changes(plan)).toEqual([])
    expect(spfOf(plan).action).toBe('keep')
    expect(warningIds(plan)).toEqual(['plan.no-sender-seen'])
    expect(plan.warnings[0]?.detail).toContain('Amazon SES')
    expect(plan.warnings[0]?.fix).toContain('acme.test')
    const [, ...later] = plan.rollout
    expect(later.filter(({ onlyIf }) => !onlyIf?.startsWith('Nothing sends mail from'))).toEqual([])
  },
})

situation({
  name: 'The MAIL FROM name of Amazon SES, which the owner says sends',
  expert: 'Then it gets the keys of SES.',
  zone: `${ON_GOOGLE}${SES}${MONITORED}
    mail.acme.test. MX 10 feedback-smtp.eu-west-1.amazonses.com.
    mail.acme.test. TXT "v=spf1 include:amazonses.com ~all"`,
  domain: 'mail.acme.test',
  options: { uses: ['ses'] },
  expect: (plan) => {
    expect(changesFor(plan, 'dkim').length).toBe(3)
  },
})
