/** Safety rules that no other situation would miss if they were gone. */
import { expect } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  AT_CLOUDFLARE,
  GOOGLE,
  MAILCHIMP,
  MICROSOFT,
  MIMECAST,
  ON_GOOGLE,
  SENDGRID,
  TUTA,
  ZENDESK,
} from '../../../../test/support/service-zones.js'
import {
  changes,
  changesFor,
  senderLines,
  situation,
  spfOf,
  stepNamed,
  titles,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  AT_GODADDY,
  dmarcZoneLine,
  HUBSPOT,
  MAILGUN,
  PROOFPOINT,
  SECURESERVER,
  signedCname,
  VENDOR_A,
  VENDOR_B,
  VENDOR_C,
} from '../../../../test/support/situation-zones.js'

const GOOGLE_KEY = keyZoneLine('google')
const MONITORED = dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')
const SOUND_GOOGLE = `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}`

situation({
  name: 'Two records that need 13 lookups together',
  expert: 'Vendor B has no room, but a cheaper sender after it has: it is not left out as well.',
  zone: `${SOUND_GOOGLE}${VENDOR_A}${VENDOR_B}${ZENDESK}
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.vendor-a.test ~all"
    acme.test. TXT "v=spf1 include:spf.vendor-b.test include:mail.zendesk.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      value:
        'v=spf1 include:_spf.google.com include:spf.vendor-a.test include:mail.zendesk.com ~all',
      lookupCount: 9,
    })
    const warning = plan.warnings.find(({ id }) => id === 'plan.senders-to-move')
    expect(warning?.title).toBe('SPF has no room for include:spf.vendor-b.test')
  },
})

situation({
  name: 'Two full records without the mailboxes',
  expert: 'Google is added first; every vendor that then has no room is named, none is forgotten.',
  zone: `${SOUND_GOOGLE}${VENDOR_A}${VENDOR_B}${VENDOR_C}
    acme.test. TXT "v=spf1 include:spf.vendor-a.test include:spf.vendor-b.test -all"
    acme.test. TXT "v=spf1 include:spf.vendor-c.test -all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      value: 'v=spf1 include:spf.vendor-a.test include:_spf.google.com ~all',
      lookupCount: 8,
    })
    const warning = plan.warnings.find(({ id }) => id === 'plan.senders-to-move')
    expect(warning?.title).toContain('include:spf.vendor-b.test')
    expect(warning?.title).toContain('include:spf.vendor-c.test')
  },
})

situation({
  name: '11 lookups where one of two needless includes makes room',
  expert: 'Only SendGrid goes; Mailchimp’s include fits and is not touched.',
  zone: `${SOUND_GOOGLE}${SENDGRID}${MAILCHIMP}${VENDOR_A}
    acme.test. TXT "v=spf1 include:_spf.google.com include:sendgrid.net include:servers.mcsv.net include:spf.vendor-a.test -all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      value:
        'v=spf1 include:_spf.google.com include:servers.mcsv.net include:spf.vendor-a.test -all',
      lookupCount: 9,
    })
  },
})

situation({
  name: 'Mailboxes behind Proofpoint, no SPF record',
  expert: 'Every customer of Proofpoint has its own include: the placeholder says so by its name.',
  zone: `${AT_CLOUDFLARE}${PROOFPOINT}${MONITORED}
    acme.test. MX 10 mx0a-001b2d01.pphosted.com.`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:{proofpoint-spf-host} ~all')
    expect(spfOf(plan).placeholders[0]?.whereToFind).toMatch(/SPF record that Proofpoint/)
  },
})

situation({
  name: 'unused=sendgrid: when its keys go',
  expert: 'Mail on its way is still checked against them: last of all, with a day in the calendar.',
  zone: `${SOUND_GOOGLE}${SENDGRID}
    acme.test. TXT "v=spf1 include:_spf.google.com include:sendgrid.net ~all"
    ${signedCname('s1', 's1.domainkey.u1.wl1.sendgrid.net')}`,
  options: { unused: ['sendgrid'] },
  expect: (plan) => {
    const removal = stepNamed(plan, 'Remove the old key for Twilio SendGrid')
    expect(removal.order).toBeGreaterThan(stepNamed(plan, 'Correct the SPF record').order)
    expect(plan.exports.calendar).toContain('SUMMARY:acme.test: delete the old DKIM key s1')
    expect(plan.exports.calendar).toContain('DTSTART;VALUE=DATE:20261123')
    // It is not work of today.
    expect(plan.summary).toContain('Today: 1 change (SPF)')
  },
})

situation({
  name: 'Microsoft 365 behind Mimecast, seen by autodiscover alone',
  expert: 'The mailboxes are Microsoft’s: its CNAMEs instead of a placeholder, and no question.',
  zone: `${AT_CLOUDFLARE}${MIMECAST}${MICROSOFT}${MONITORED}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    acme.test. TXT "v=spf1 include:us._netblocks.mimecast.com -all"
    autodiscover.acme.test. CNAME autodiscover.outlook.com.`,
  expect: (plan) => {
    expect(plan.mailboxProvider).toEqual({
      id: 'microsoft365',
      name: 'Microsoft 365 / Exchange Online',
      evidence: 'autodiscover.acme.test CNAME autodiscover.outlook.com',
    })
    expect(warningIds(plan)).not.toContain('plan.mailboxes-unseen')
    expect(changesFor(plan, 'dkim').join('\n')).toContain('selector1._domainkey.acme.test')
    expect(changesFor(plan, 'dkim').join('\n')).not.toContain('{mailbox-provider-')
  },
})

situation({
  name: 'Microsoft 365 behind Mimecast, seen by MS= alone',
  expert: 'Same: the token shows where the mailboxes behind the gateway are.',
  zone: `${AT_CLOUDFLARE}${MIMECAST}${MICROSOFT}${MONITORED}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    acme.test. TXT "v=spf1 include:us._netblocks.mimecast.com -all"
    acme.test. TXT "MS=ms12345678"`,
  expect: (plan) => {
    expect(plan.mailboxProvider?.evidence).toBe('TXT MS=ms12345678')
    expect(warningIds(plan)).not.toContain('plan.mailboxes-unseen')
    expect(changesFor(plan, 'dkim').join('\n')).toContain('selector1._domainkey.acme.test')
    expect(changesFor(plan, 'dkim').join('\n')).not.toContain('{mailbox-provider-')
  },
})

situation({
  name: 'SPF split into two strings before "a"',
  expert: 'Joined, it names a host that does not exist: the space goes back in, and both stay.',
  zone: `${SOUND_GOOGLE}
    acme.test. A 203.0.113.7
    acme.test. TXT "v=spf1 include:_spf.google.com" "a ~all"`,
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      action: 'replace',
      value: 'v=spf1 include:_spf.google.com a ~all',
    })
  },
})

situation({
  name: 'mx after all, with an own mail server',
  expert: 'The own server sends: its term moves before all.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2
    acme.test. TXT "v=spf1 ip4:203.0.113.9 ~all mx"
    ${keyZoneLine('default')}${MONITORED}`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 ip4:203.0.113.9 mx ~all')
    expect(warningIds(plan)).not.toContain('plan.terms-left-out')
  },
})

situation({
  name: 'The key of a forwarder at a domain that declares no mail',
  expert: 'It signs no mail of the owner: the domain stays locked and the key stays.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 0 .
    acme.test. TXT "v=spf1 -all"
    ${keyZoneLine('cf2024-1')}${dmarcZoneLine('p=reject')}`,
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(changes(plan)).toEqual([])
  },
})

situation({
  name: 'p=none with reports for a year, all else in order',
  expert: 'The month of reports is served: the next stage can come today, reject in 44 days.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  expect: (plan) => {
    // 7 + 30 + 7 days, without the first 30.
    expect(plan.effort.earliestEnd).toBe('2026-12-30')
    expect(stepNamed(plan, 'Read the reports').actions.join(' ')).toContain(
      'Stage 1 is already published. Move on to stage 2 once stage 1 has been published for at least 30 days',
    )
  },
})

situation({
  name: 'A key at a selector that two services use',
  expert: 'Mailgun and LeadConnector both use "pic": alone, it shows neither of them.',
  zone: `${SOUND_GOOGLE}${keyZoneLine('pic')}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  expect: (plan) => {
    expect(plan.senders).toEqual([])
    expect(changesFor(plan, 'dkim')).toEqual([])
  },
})

situation({
  name: 'A key at s1 while SendGrid and Wix both send',
  expert: 'Both use s1: the key is credited to neither, so none of them is called signed.',
  zone: `${SOUND_GOOGLE}${SENDGRID}${keyZoneLine('s1')}
    acme.test. TXT "v=spf1 include:_spf.google.com include:sendgrid.net ~all"`,
  options: { uses: ['sendgrid', 'wix'] },
  expect: (plan) => {
    expect(plan.senders.map(({ id }) => id)).toEqual(['sendgrid', 'wix'])
    expect(senderLines(plan).filter((line) => line.endsWith(' signed'))).toEqual([])
  },
})

situation({
  name: '11 lookups with Mailgun at the root',
  expert: 'Mailgun bounces to the domain itself; SendGrid never does, so SendGrid makes room.',
  zone: `${SOUND_GOOGLE}${MAILGUN}${SENDGRID}${MAILCHIMP}${ZENDESK}${keyZoneLine('smtp')}
    acme.test. TXT "v=spf1 include:mailgun.org include:_spf.google.com include:sendgrid.net include:servers.mcsv.net include:mail.zendesk.com ~all"
    email.acme.test. CNAME mailgun.org.`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:mailgun.org include:_spf.google.com include:servers.mcsv.net include:mail.zendesk.com ~all',
    )
    const mailgun = plan.safety.tested.find(({ sender }) => sender === 'Mailgun')
    expect(mailgun).toMatchObject({ before: 'pass', after: 'pass' })
  },
})

situation({
  name: 'SendGrid with a bounce host at em.',
  expert: 'The bounce CNAME shows SendGrid though SPF and keys do not: its keys are planned.',
  zone: `${SOUND_GOOGLE}${SENDGRID}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    em.acme.test. CNAME u1234567.wl123.sendgrid.net.`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['sendgrid yes unsigned'])
    expect(changesFor(plan, 'dkim').map((line) => line.split(' ')[2])).toEqual([
      's1._domainkey.acme.test',
      's2._domainkey.acme.test',
    ])
  },
})

situation({
  name: 'Postmark, Resend and Stripe, which the owner names',
  expert: 'Each gets the record that puts its bounces below the domain; Postmark’s is optional.',
  zone: `${SOUND_GOOGLE}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  options: { uses: ['postmark', 'resend', 'stripe'] },
  expect: (plan) => {
    expect(changesFor(plan, 'spf')).toEqual([
      'create CNAME send.acme.test send.forge.rmta.net',
      'create CNAME rsend.acme.test {resend-host}.forge.rmta.net',
      'create CNAME bounce.acme.test custom-email-domain.stripe.com',
      'create CNAME pm-bounces.acme.test pm.mtasv.net',
    ])
    const optional = plan.records.filter((record) => record.purpose === 'spf' && record.optional)
    expect(optional.map(({ service }) => service)).toEqual(['postmark'])
  },
})

situation({
  name: 'Mailchimp in SPF without keys: asked in the step',
  expert: 'An include may be a leftover: the step that sets it up asks first.',
  zone: `${SOUND_GOOGLE}${MAILCHIMP}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net ~all"`,
  expect: (plan) => {
    expect(titles(plan)).toContain('Add your domain to Mailchimp, if you still use it')
    expect(stepNamed(plan, 'if you still use it').onlyIf).toBe(
      'You still use Mailchimp. If you don’t, skip this step. Next time you get a plan, mark Mailchimp as no longer used, and the plan will remove what’s left of it.',
    )
  },
})

situation({
  name: 'Tuta first in MX, Google behind it',
  expert: 'Tuta’s MTA-STS policy names only its own servers, so senders would refuse Google’s.',
  zone: `${AT_CLOUDFLARE}${TUTA}${GOOGLE}${GOOGLE_KEY}
    acme.test. MX 0 mail.tutanota.de.
    acme.test. MX 10 smtp.google.com.
    acme.test. TXT "v=spf1 include:spf.tutanota.de include:_spf.google.com -all"
    ${MONITORED}`,
  expect: (plan) => {
    expect(changesFor(plan, 'mta-sts')).toEqual([])
    expect(changesFor(plan, 'tls-rpt')).toEqual([])
  },
})

situation({
  name: 'Tuta first in MX, an own server behind it',
  expert: 'Same with a server that is in no catalogue.',
  zone: `${AT_CLOUDFLARE}${TUTA}
    acme.test. MX 0 mail.tutanota.de.
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2
    acme.test. TXT "v=spf1 include:spf.tutanota.de mx -all"
    ${keyZoneLine('default')}${MONITORED}`,
  expect: (plan) => {
    expect(changesFor(plan, 'mta-sts')).toEqual([])
  },
})

situation({
  name: 'Microsoft 365 from GoDaddy that signs',
  expert: 'Its keys are at Microsoft, but Microsoft 365 is no second service beside it.',
  zone: `${AT_GODADDY}${MICROSOFT}${SECURESERVER}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "NETORGFT1234567.onmicrosoft.com"
    acme.test. TXT "v=spf1 include:secureserver.net -all"
    ${signedCname('selector1', 'selector1-acme-test._domainkey.netorgft1234567.onmicrosoft.com')}
    ${signedCname('selector2', 'selector2-acme-test._domainkey.netorgft1234567.onmicrosoft.com')}
    ${dmarcZoneLine('p=quarantine; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('godaddy-m365')
    expect(plan.senders).toEqual([])
    expect(changesFor(plan, 'dkim')).toEqual([])
  },
})

situation({
  name: 'Microsoft 365 from GoDaddy that signs with the first of its keys',
  expert:
    'The second CNAME waits for the next rotation: nothing is replaced, and no selector is taken.',
  zone: `${AT_GODADDY}${MICROSOFT}${SECURESERVER}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "NETORGFT1234567.onmicrosoft.com"
    acme.test. TXT "v=spf1 include:secureserver.net -all"
    ${signedCname('selector1', 'selector1-acme-test._domainkey.netorgft1234567.onmicrosoft.com')}
    selector2._domainkey.acme.test. CNAME selector2-acme-test._domainkey.netorgft1234567.onmicrosoft.com.
    ${dmarcZoneLine('p=quarantine; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('godaddy-m365')
    expect(plan.senders).toEqual([])
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(warningIds(plan)).toEqual([])
  },
})

situation({
  name: 'Microsoft 365 from GoDaddy whose signing is not turned on',
  expert: 'Both CNAMEs are right: the click at Microsoft is missing, not a record.',
  zone: `${AT_GODADDY}${MICROSOFT}${SECURESERVER}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "NETORGFT1234567.onmicrosoft.com"
    acme.test. TXT "v=spf1 include:secureserver.net -all"
    selector1._domainkey.acme.test. CNAME selector1-acme-test._domainkey.netorgft1234567.onmicrosoft.com.
    selector2._domainkey.acme.test. CNAME selector2-acme-test._domainkey.netorgft1234567.onmicrosoft.com.
    ${dmarcZoneLine('p=quarantine; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('godaddy-m365')
    expect(plan.senders).toEqual([])
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(titles(plan).join()).toContain('Turn on DKIM signing in Microsoft 365 (GoDaddy)')
  },
})

situation({
  name: 'HubSpot alone, with selectors that no check guesses',
  expert: 'The planned keys count in the projected score, whatever their selectors are.',
  zone: `${AT_CLOUDFLARE}${HUBSPOT}
    acme.test. A 192.0.2.80
    acme.test. TXT "v=spf1 include:1234567.spf04.hubspotemail.net ~all"
    ${dmarcZoneLine('p=none; rua=mailto:acme@reports.example')}
    reports.example. MX 10 mx.reports.example.
    mx.reports.example. A 192.0.2.50
    *._report._dmarc.reports.example. TXT "v=DMARC1"`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim').map((line) => line.split(' ')[2])).toEqual([
      'hs1-1234567._domainkey.acme.test',
      'hs2-1234567._domainkey.acme.test',
    ])
    // Two points are lost without an MX record.
    expect(plan.projected.score).toBe(98)
  },
})
