/** What the owner says beats what DNS shows. */
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
} from '../../../../test/support/service-zones.js'
import {
  changes,
  changesFor,
  dmarcTags,
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
  dmarcZoneLine,
  IMPROVMX,
  MAILGUN,
  signedCname,
  VENDOR_A,
  VENDOR_B,
} from '../../../../test/support/situation-zones.js'
import type { FixPlan } from '../fix-plan-report.js'

const GOOGLE_KEY = keyZoneLine('google')
const MONITORED = dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')

situation({
  name: 'unused=sendgrid with include and keys',
  expert:
    'The include goes now, the keys a week after the last message, and SendGrid is no sender any more.',
  zone: `${ON_GOOGLE}${SENDGRID}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com include:sendgrid.net ~all"
    ${signedCname('s1', 's1.domainkey.u1.wl1.sendgrid.net')}
    ${signedCname('s2', 's2.domainkey.u1.wl1.sendgrid.net')}`,
  options: { unused: ['sendgrid'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ~all')
    expect(plan.senders).toEqual([])
    expect(changesFor(plan, 'dkim')).toEqual([
      'delete CNAME s1._domainkey.acme.test s1.domainkey.u1.wl1.sendgrid.net',
      'delete CNAME s2._domainkey.acme.test s2.domainkey.u1.wl1.sendgrid.net',
    ])
    const removed = plan.records.filter(({ action }) => action === 'delete')
    expect(removed.map(({ onlyIf }) => onlyIf)).toEqual(
      Array(2).fill('You haven’t sent anything with Twilio SendGrid for a week.'),
    )
  },
})

situation({
  name: 'unused=microsoft365 after a move to Google',
  expert: 'The leftover include is removed without another question.',
  zone: `${ON_GOOGLE}${MICROSOFT}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com include:_spf.google.com -all"
    acme.test. TXT "MS=ms12345678"`,
  options: { unused: ['microsoft365'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com -all')
    expect(plan.senders).toEqual([])
    expect(titles(plan).filter((title) => title.startsWith('Do you still use'))).toEqual([])
  },
})

situation({
  name: 'uses=sendgrid, which DNS does not show',
  expert: 'Its keys and bounce CNAME are planned; its include is not needed in SPF.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  options: { uses: ['sendgrid'] },
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['sendgrid yes unsigned'])
    expect(spfOf(plan).action).toBe('keep')
    const sendgrid = plan.records.filter(({ service }) => service === 'sendgrid')
    expect(sendgrid.map(({ name }) => name)).toEqual([
      's1._domainkey.acme.test',
      's2._domainkey.acme.test',
      'em{sendgrid-number}.acme.test',
    ])
    expect(sendgrid.map(({ onlyIf }) => onlyIf)).toEqual([null, null, null])
  },
})

situation({
  name: 'uses=microsoft365 behind Mimecast',
  expert: 'The answer to "who runs your mailboxes": Microsoft’s CNAMEs instead of a placeholder.',
  zone: `${AT_CLOUDFLARE}${MIMECAST}${MICROSOFT}${MONITORED}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    acme.test. TXT "v=spf1 include:us._netblocks.mimecast.com -all"`,
  options: { uses: ['microsoft365'] },
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('microsoft365')
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:us._netblocks.mimecast.com include:spf.protection.outlook.com -all',
    )
    expect(warningIds(plan)).not.toContain('plan.mailboxes-unseen')
    const names = changesFor(plan, 'dkim').map((line) => line.split(' ')[2] ?? '')
    expect(names).toContain('selector1._domainkey.acme.test')
    expect(names.filter((name) => name.includes('{mailbox-provider'))).toEqual([])
  },
})

situation({
  name: 'uses=firebase, which bounces to the domain itself',
  expert: 'The owner says that it sends, and it always needs its include: SPF gets it.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    _spf.firebasemail.com. TXT "v=spf1 ip4:209.85.220.0/24 ~all"
    acme.test. TXT "v=spf1 include:_spf.google.com -all"`,
  options: { uses: ['firebase'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:_spf.google.com include:_spf.firebasemail.com -all',
    )
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME firebase1._domainkey.acme.test mail-acme-test.dkim1._domainkey.firebasemail.com',
      'create CNAME firebase2._domainkey.acme.test mail-acme-test.dkim2._domainkey.firebasemail.com',
    ])
  },
})

situation({
  name: 'uses=mailchimp for a leftover-looking include',
  expert: 'No question any more: the keys are a plain step.',
  zone: `${ON_GOOGLE}${MAILCHIMP}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com include:servers.mcsv.net ~all"`,
  options: { uses: ['mailchimp'] },
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['mailchimp yes unsigned'])
    expect(titles(plan).filter((title) => title.startsWith('Do you still use'))).toEqual([])
    expect(recordAt(plan, 'k2._domainkey.acme.test', 'CNAME').onlyIf).toBeNull()
  },
})

situation({
  name: 'unused makes room in a full record',
  expert:
    'The answer that the warning asked for: without vendor B’s neighbour the rest fits and nothing is lost.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}${VENDOR_A}${VENDOR_B}${MICROSOFT}
    acme.test. TXT "v=spf1 include:_spf.google.com include:spf.vendor-a.test include:spf.protection.outlook.com include:mail.zendesk.com -all"
    mail.zendesk.com. TXT "v=spf1 include:one.zendesk.test ~all"
    one.zendesk.test. TXT "v=spf1 ip4:103.151.192.0/23 ~all"`,
  options: { unused: ['microsoft365'] },
  expect: (plan) => {
    expect(spfOf(plan)).toMatchObject({
      value:
        'v=spf1 include:_spf.google.com include:spf.vendor-a.test include:mail.zendesk.com -all',
      lookupCount: 10,
    })
    expect(warningIds(plan)).not.toContain('plan.spf-too-full')
  },
})

situation({
  name: 'rua at a report service that accepts reports',
  expert:
    'The address is added beside the present one, in every stage, and nothing else is needed.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    reports.example. MX 10 mx.reports.example.
    mx.reports.example. A 192.0.2.50
    *._report._dmarc.reports.example. TXT "v=DMARC1"`,
  options: { rua: 'acme@reports.example' },
  expect: (plan) => {
    const rua = 'mailto:dmarc@acme.test,mailto:acme@reports.example'
    expect(dmarcTags(recordAt(plan, '_dmarc.acme.test').value).rua).toBe(rua)
    expect(plan.rollout.map(({ record }) => dmarcTags(record.value).rua)).toEqual(
      Array(5).fill(rua),
    )
    expect(titles(plan)).not.toContain('Create a mailbox for the reports')
    expect(changesFor(plan, 'dmarc')).toHaveLength(1)
  },
})

situation({
  name: 'rua for a domain without a record',
  expert: 'The owner’s address is used; no second mailbox is asked for.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  options: { rua: 'it@acme.test' },
  expect: (plan) => {
    expect(changesFor(plan, 'dmarc')).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:it@acme.test',
    ])
    expect(titles(plan)).not.toContain('Create a mailbox for the reports')
    expect(recordAt(plan, '_smtp._tls.acme.test').value).toContain('mailto:it@acme.test')
  },
})

situation({
  name: 'selector that only the owner knows',
  expert: 'The key counts: no second key, no question, and reject can be reached.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2
    acme.test. TXT "v=spf1 mx -all"
    ${keyZoneLine('kx7f3a')}${dmarcZoneLine('p=quarantine; rua=mailto:dmarc@acme.test')}`,
  options: { selectors: ['kx7f3a'] },
  expect: (plan) => {
    expect(changes(plan)).toEqual([])
    expect(recordAt(plan, 'kx7f3a._domainkey.acme.test').action).toBe('keep')
    expect(ladder(plan)).toEqual(['quarantine', 'reject test', 'reject'])
  },
})

situation({
  name: 'Locked-looking domain whose owner names a sender',
  expert: 'uses wins over silence in DNS: no lock, stages with reports.',
  zone: `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    elsewhere.example. MX 10 mx.elsewhere.example.`,
  options: { uses: ['postmark'], rua: 'me@elsewhere.example' },
  expect: (plan) => {
    expect(plan.sendsMail).toBe(true)
    expect(dmarcTags(recordAt(plan, '_dmarc.acme.test').value)).toMatchObject({
      p: 'none',
      rua: 'mailto:me@elsewhere.example',
    })
    expect(changesFor(plan, 'dkim').join(' ')).toContain('{postmark-selector}._domainkey.acme.test')
    expect(changes(plan).join(' ')).not.toContain('-all')
  },
})

situation({
  name: 'uses=improvmx with its two keys: a paid plan with SMTP',
  expert: 'The owner says that ImprovMX sends; its keys then sign, and reject can be reached.',
  zone: `${AT_CLOUDFLARE}${IMPROVMX}${MONITORED}
    acme.test. MX 10 mx1.improvmx.com.
    acme.test. TXT "v=spf1 include:spf.improvmx.com ~all"
    ${signedCname('dkimprovmx1', 'dkimprovmx1.improvmx.com')}
    ${signedCname('dkimprovmx2', 'dkimprovmx2.improvmx.com')}`,
  options: { uses: ['improvmx'] },
  signsElsewhere: true,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['improvmx yes signed'])
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(ladder(plan).at(-1)).toBe('reject')
    expect(warningIds(plan)).not.toContain('plan.reject-not-reached')
  },
})

situation({
  name: 'uses=improvmx without its keys',
  expert: 'The two CNAMEs are known and planned.',
  zone: `${AT_CLOUDFLARE}${IMPROVMX}${MONITORED}
    acme.test. MX 10 mx1.improvmx.com.
    acme.test. TXT "v=spf1 include:spf.improvmx.com ~all"`,
  options: { uses: ['improvmx'] },
  signsElsewhere: true,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME dkimprovmx1._domainkey.acme.test dkimprovmx1.improvmx.com',
      'create CNAME dkimprovmx2._domainkey.acme.test dkimprovmx2.improvmx.com',
    ])
  },
})

situation({
  name: 'unused=google while the MX records are Google’s',
  expert:
    'Mail still arrives there: whoever answered by mistake would lose it, so the include stays.',
  zone: `${ON_GOOGLE}${MAILCHIMP}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ip4:203.0.113.9 ~all"`,
  options: { unused: ['google'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com ip4:203.0.113.9 ~all')
    expect(changesFor(plan, 'mx')).toEqual([])
    expect(recordAt(plan, 'acme.test', 'MX').action).toBe('keep')
  },
})

situation({
  name: 'unused=google while the MX records still lead to Google',
  expert: 'Nothing of Google is added or removed, no record appears twice, and a warning says why.',
  zone: `${ON_GOOGLE}${keyZoneLine('google')}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  options: { unused: ['google'] },
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(recordAt(plan, 'google._domainkey.acme.test').action).toBe('keep')
    const warning = plan.warnings.find(({ id }) => id === 'plan.unused-receives-mail')
    expect(warning?.title).toContain('Google Workspace')
    expect(warning?.evidence).toEqual([
      { name: 'acme.test', type: 'MX', value: '1 smtp.google.com' },
    ])
    expect(warningIds(plan)).not.toContain('spf.mailbox-provider-missing')
    expectNoDuplicates(plan)
  },
})

situation({
  name: 'unused=microsoft365 and uses=google before the MX records have moved',
  expert:
    'SPF gets Google beside Microsoft, which gets nothing new, and the warning asks for the MX records.',
  zone: `${AT_CLOUDFLARE}${GOOGLE}${MICROSOFT}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com -all"
    ${dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')}`,
  options: { unused: ['microsoft365'], uses: ['google'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:spf.protection.outlook.com include:_spf.google.com -all',
    )
    expect(spfOf(plan).why).not.toContain('your Microsoft')
    expect(changesFor(plan, 'dkim').join(' ')).not.toContain('microsoft')
    expect(warningIds(plan)).toContain('plan.unused-receives-mail')
    expect(warningIds(plan)).not.toContain('spf.mailbox-provider-missing')
    expectNoDuplicates(plan)
  },
})

situation({
  name: 'unused=cloudflare while Email Routing still forwards',
  expert: 'Its key and its include stay, once.',
  zone: `${AT_CLOUDFLARE}${keyZoneLine('cf2024-1')}
    acme.test. MX 10 route1.mx.cloudflare.net.
    route1.mx.cloudflare.net. A 192.0.2.9
    acme.test. TXT "v=spf1 include:_spf.mx.cloudflare.net ~all"
    _spf.mx.cloudflare.net. TXT "v=spf1 ip4:104.30.0.0/20 ~all"
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  options: { unused: ['cloudflare'] },
  expect: (plan) => {
    expect(spfOf(plan).why).not.toContain('Added include:_spf.mx.cloudflare.net')
    expectNoDuplicates(plan)
    expect(warningIds(plan)).toContain('plan.unused-receives-mail')
  },
})

situation({
  name: 'unused=microsoft365 on a domain with nothing but its token and autodiscover',
  expert: 'No other record shows a sender, so the domain is locked.',
  zone: `${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    acme.test. TXT "MS=ms12345678"
    autodiscover.acme.test. CNAME autodiscover.outlook.com.`,
  options: { unused: ['microsoft365'] },
  expect: (plan) => {
    expect(plan.sendsMail).toBe(false)
    expect(spfOf(plan).value).toBe('v=spf1 -all')
    expect(plan.rollout).toEqual([])
  },
})

situation({
  name: 'uses=knowbe4, which does not sign',
  expert: 'It passes by SPF alone: its include is added, and a step names the setting it needs.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    _spf.psm.knowbe4.com. TXT "v=spf1 ip4:23.21.109.197 ip4:23.21.109.212 ~all"
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  options: { uses: ['knowbe4'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:_spf.google.com include:_spf.psm.knowbe4.com ~all',
    )
    expect(warningIds(plan)).toContain('plan.sender-setting')
    const step = stepNamed(plan, 'KnowBe4')
    expect(step.actions.join(' ')).toContain('Overwrite Fixed Return-path Address')
  },
})

situation({
  name: 'uses=namecheap-fwd beside Google',
  expert: 'A forwarder sends nothing that passes, so the stages wait and a step says what to use.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"`,
  options: { uses: ['namecheap-fwd'] },
  expect: (plan) => {
    expect(ladder(plan)).not.toContain('reject')
    const step = stepNamed(plan, 'Namecheap forwarding')
    expect(step.actions.join(' ')).toContain('Namecheap Private Email')
  },
})

/** No two records with the same name, type and value. */
function expectNoDuplicates({ records }: FixPlan): void {
  const keys = records.map(({ name, type, value }) => `${type} ${name} ${value}`)
  expect(keys).toEqual([...new Set(keys)])
}

situation({
  name: 'uses=mailgun at the domain itself',
  expert:
    'Its bounces may come back to the domain, so it gets its include beside its keys; -all would fail it.',
  zone: `${ON_GOOGLE}${GOOGLE_KEY}${MAILGUN}${MONITORED}
    acme.test. TXT "v=spf1 include:_spf.google.com -all"`,
  options: { uses: ['mailgun'] },
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:_spf.google.com include:mailgun.org -all')
  },
})

situation({
  name: 'uses=mailchannels, which has no screen',
  expert: 'Signing is turned on with a record of the service, and the step for that is there.',
  zone: `${ON_GOOGLE}${MONITORED}`,
  options: { uses: ['mailchannels'] },
  expect: (plan) => {
    const { actions } = stepNamed(plan, 'Turn on DKIM signing in MailChannels')
    expect(actions.join(' ')).toMatch(/A web host signs by itself\./)
    const lockdown = stepNamed(
      plan,
      'Keep other customers of MailChannels from sending as acme.test',
    )
    expect(lockdown.actions.join(' ')).toContain('Domain Lockdown record')
  },
})

situation({
  name: 'unused=microsoft365 while Google is in the MX records as well',
  expert:
    'The records of Microsoft go, because mail that falls back to them is not read; nothing has to be asked for.',
  zone: `${ON_GOOGLE}${MICROSOFT}
    acme.test. MX 20 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${keyZoneLine('google')}
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  options: { unused: ['microsoft365'] },
  expect: (plan) => {
    expect(changesFor(plan, 'mx')).toEqual([
      'delete MX acme.test 20 acme-test.mail.protection.outlook.com',
    ])
    expect(warningIds(plan)).not.toContain('plan.unused-receives-mail')
    expect(plan.projected.score).toBe(100)
  },
})
