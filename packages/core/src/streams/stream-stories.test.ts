/** Stories of owners who ask: will my own mail be trusted? */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { expect, test } from 'vitest'
import { GOOD_KEY_RECORD, keyZoneLine, txtZoneLine } from '../../test/support/dkim-fixture.js'
import { as, checkOf, hasStream, planOf, streamOf } from '../../test/support/expert.js'
import {
  GOOGLE_DONE,
  GOOGLE_INCLUDE,
  GOOGLE_KEY,
  halfAtMicrosoft,
  MICROSOFT_KEYS,
  movedToMicrosoft,
  ON_MICROSOFT,
  policy,
  spfLine,
} from '../../test/support/expert-zones.js'
import {
  AT_CLOUDFLARE,
  FASTMAIL,
  GOOGLE,
  MAILCHIMP,
  MICROSOFT,
  MIMECAST,
  ON_GOOGLE,
  SENDGRID,
} from '../../test/support/service-zones.js'
import {
  CLOUDFLARE_ROUTING,
  IMPROVMX,
  PROOFPOINT,
  signedCname,
  VENDOR_A,
  VENDOR_B,
  ZOHO_EU,
} from '../../test/support/situation-zones.js'

test('mailboxes that moved to Microsoft are lost under reject, whatever Google left behind', async () => {
  const check = await checkOf(movedToMicrosoft('p=reject'))
  const stream = streamOf(check, 'microsoft365')
  expect(stream).toMatchObject({ kind: 'mailbox', at: 'acme.test', spf: 'fails', dkim: 'none' })
  expect(stream.outcome).toBe('lost')
  expect(['certain', 'likely']).toContain(stream.certainty)
  expect(stream.evidence.join()).toContain('acme-test.mail.protection.outlook.com')
  expect(check.ownMail.status).toBe('fail')
  expect(check.ownMail.statement).toContain('Microsoft')
  expect(check.status).toBe('fail')
})

test('the same mailboxes go to spam under quarantine', async () => {
  const check = await checkOf(movedToMicrosoft('p=quarantine'))
  expect(streamOf(check, 'microsoft365').outcome).toBe('quarantined')
  expect(check.ownMail.status).toBe('fail')
})

test('the same mailboxes are only at risk while the policy asks for nothing', async () => {
  const check = await checkOf(movedToMicrosoft('p=none'))
  expect(streamOf(check, 'microsoft365').outcome).toBe('at-risk')
  expect(check.ownMail.status).toBe('warn')
})

test('the same mailboxes are at risk under quarantine in test mode', async () => {
  // RFC 9989 §4.7: t=y lowers quarantine to none.
  const check = await checkOf(movedToMicrosoft('p=quarantine; t=y'))
  expect(streamOf(check, 'microsoft365').outcome).toBe('at-risk')
  expect(check.ownMail.status).toBe('warn')
})

test('reject in test mode still sends the mail of a moved mailbox to spam', async () => {
  const check = await checkOf(movedToMicrosoft('p=reject; t=y'))
  expect(streamOf(check, 'microsoft365').outcome).toBe('quarantined')
  expect(check.ownMail.status).toBe('fail')
})

test('mailboxes at Google lose their pass when SPF and the keys are Microsoft’s', async () => {
  const check = await checkOf(`${ON_GOOGLE}${MICROSOFT}${MICROSOFT_KEYS}
    ${spfLine('include:spf.protection.outlook.com -all')}${policy('p=reject')}`)
  const stream = streamOf(check, 'google')
  expect(stream.spf).toBe('fails')
  // Google lets its customers choose the selector, so an empty usual one proves nothing.
  expect(stream.dkim).not.toBe('aligned')
  expect(['lost', 'unknown']).toContain(stream.outcome)
  expect(['fail', 'unknown']).toContain(check.ownMail.status)
})

test('mailboxes that moved to Fastmail go to spam behind the records of Google', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}${FASTMAIL}${GOOGLE_INCLUDE}${GOOGLE_KEY}
    acme.test. MX 10 in1-smtp.messagingengine.com.
    acme.test. MX 20 in2-smtp.messagingengine.com.
    ${spfLine('include:_spf.google.com -all')}${policy('p=quarantine')}`)
  expect(streamOf(check, 'fastmail')).toMatchObject({ spf: 'fails', outcome: 'quarantined' })
  expect(check.ownMail.status).toBe('fail')
  expect(check.ownMail.statement).toContain('Fastmail')
})

test('a moved mailbox that SPF names passes, although the only key is the former provider’s', async () => {
  const check = await checkOf(`${ON_MICROSOFT}${GOOGLE_INCLUDE}${GOOGLE_KEY}
    ${spfLine('include:spf.protection.outlook.com -all')}${policy('p=reject')}`)
  const stream = streamOf(check, 'microsoft365')
  expect(stream).toMatchObject({ spf: 'aligned', dkim: 'none', outcome: 'pass' })
  expect(check.ownMail.status).toBe('pass')
})

test('with two mailbox providers, the one that nothing names is lost', async () => {
  const check = await checkOf(halfAtMicrosoft('p=reject'))
  expect(streamOf(check, 'google').outcome).toBe('pass')
  expect(streamOf(check, 'microsoft365').outcome).toBe('lost')
  expect(check.ownMail.status).toBe('fail')
  const { providers } = as<{ providers: { id: string }[] }>(check.mx)
  expect(providers.map(({ id }) => id)).toEqual(['google', 'microsoft365'])
})

test('with two mailbox providers, both that SPF and DKIM name pass', async () => {
  const check = await checkOf(`${ON_GOOGLE}${MICROSOFT}${MICROSOFT_KEYS}${GOOGLE_KEY}
    acme.test. MX 5 acme-test.mail.protection.outlook.com.
    ${spfLine('include:_spf.google.com include:spf.protection.outlook.com -all')}
    ${policy('p=reject')}`)
  for (const id of ['google', 'microsoft365']) {
    expect(streamOf(check, id)).toMatchObject({ spf: 'aligned', dkim: 'aligned', outcome: 'pass' })
  }
  expect(check.ownMail.status).toBe('pass')
})

test('a gateway in front of Microsoft doesn’t make Microsoft’s own mail disappear', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}${MIMECAST}${MICROSOFT}${MICROSOFT_KEYS}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    acme.test. MX 10 us-smtp-inbound-2.mimecast.com.
    ${spfLine('include:us._netblocks.mimecast.com include:spf.protection.outlook.com -all')}
    ${policy('p=reject')}`)
  expect(streamOf(check, 'microsoft365')).toMatchObject({ dkim: 'aligned', outcome: 'pass' })
  expect(check.ownMail.status).toBe('pass')
})

test('a gateway that receives only and signs nothing is no proof that mail is lost', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}${PROOFPOINT}${GOOGLE}${GOOGLE_KEY}
    acme.test. MX 10 mx0a-001b2d01.pphosted.com.
    ${spfLine('include:_spf.google.com -all')}${policy('p=reject')}`)
  expect(streamOf(check, 'google').outcome).toBe('pass')
  expect(check.ownMail.status).not.toBe('fail')
})

test('a provider behind the tenth lookup of SPF fails as if it weren’t named', async () => {
  // RFC 7208 §4.6.4: beyond ten lookups the result is permerror.
  const check = await checkOf(`${ON_MICROSOFT}${VENDOR_A}${VENDOR_B}${SENDGRID}
    ${spfLine(
      'include:spf.vendor-a.test include:spf.vendor-b.test include:sendgrid.net include:spf.protection.outlook.com -all',
    )}${policy('p=reject')}`)
  expect(streamOf(check, 'microsoft365')).toMatchObject({ spf: 'fails', outcome: 'lost' })
  expect(check.ownMail.status).toBe('fail')
})

test('a key that only another service signs with leaves the mailboxes unsigned, and says so', async () => {
  const spf = spfLine('include:spf.protection.outlook.com -all')
  const keys = ['2', '3'].map((each) => signedCname(`k${each}`, `dkim${each}.mcsv.net`)).join('\n')
  for (const other of [GOOGLE_KEY, `${MAILCHIMP}${keys}`]) {
    const { ownMail } = await checkOf(`${ON_MICROSOFT}${other}${spf}${policy('p=reject')}`)
    expect(ownMail.status).toBe('pass')
    expect(ownMail.statement).toContain('forwarded')
    expect(ownMail.bulkSender).toEqual({ ready: false, missing: ['dkim'], unknown: [] })
  }
  const { ownMail } = await checkOf(`${ON_MICROSOFT}${MICROSOFT_KEYS}${spf}${policy('p=reject')}`)
  expect(ownMail.statement).not.toContain('forwarded')
  expect(ownMail.bulkSender).toEqual({ ready: true, missing: [], unknown: [] })
})

test('whether mailboxes sign with a selector of their own choice, a newsletter’s keys don’t show', async () => {
  const keys = ['2', '3'].map((each) => signedCname(`k${each}`, `dkim${each}.mcsv.net`)).join('\n')
  const spf = spfLine('include:_spf.google.com -all')
  const { ownMail } = await checkOf(`${ON_GOOGLE}${MAILCHIMP}${keys}${spf}${policy('p=none')}`)
  expect(ownMail.bulkSender).toEqual({ ready: false, missing: [], unknown: ['dkim'] })
})

/** Nine hosts, so that a macro before them and they together take all ten lookups. */
const NINE_HOSTS = Array.from({ length: 9 }, (_, index) => `a:host${index}.acme.test`).join(' ')

const behindLimit = (first: string) =>
  checkOf(`${ON_MICROSOFT}${GOOGLE_KEY}host0.acme.test. A 192.0.2.1
    ${spfLine(`${first} ${NINE_HOSTS} include:spf.protection.outlook.com -all`)}
    ${policy('p=reject')}`)

test('a macro of another vendor saves no provider behind the tenth lookup', async () => {
  const check = await behindLimit('exists:%{i}._spf.vendor.test')
  expect(streamOf(check, 'microsoft365')).toMatchObject({ spf: 'fails', outcome: 'lost' })
  expect(check.ownMail.statement).toContain('Microsoft')
})

test('a macro that may list any sender leaves a provider behind the tenth lookup unknown', async () => {
  const lists = [
    'exists:%{i}._spf.acme.test',
    'exists:%{i}._spf.%{d}',
    'exists:%{i}.spf.protection.outlook.com',
    'include:%{i}._ip.%{h}._ehlo.%{d}._spf.vali.email',
    'ptr:outlook.com',
  ]
  for (const first of lists) {
    expect(streamOf(await behindLimit(first), 'microsoft365').spf, first).toBe('unknown')
  }
})

test('one broken term takes the pass of a provider that SPF names correctly', async () => {
  // RFC 7208 §4.6: a syntax error anywhere in the record is permerror.
  const check = await checkOf(`${ON_MICROSOFT}
    ${spfLine('include:spf.protection.outlook.com ipv4:192.0.2.1 -all')}${policy('p=reject')}`)
  expect(streamOf(check, 'microsoft365')).toMatchObject({ spf: 'fails', outcome: 'lost' })
  expect(check.ownMail.status).toBe('fail')
})

test('a signature saves the mail whose SPF is broken', async () => {
  const check = await checkOf(`${ON_MICROSOFT}${MICROSOFT_KEYS}
    ${spfLine('include:spf.protection.outlook.com ipv4:192.0.2.1 -all')}${policy('p=reject')}`)
  expect(streamOf(check, 'microsoft365')).toMatchObject({ dkim: 'aligned', outcome: 'pass' })
  expect(check.ownMail.status).not.toBe('fail')
})

test('Mailchimp never uses the domain in the envelope, so without keys its mail is lost', async () => {
  const check = await checkOf(`${ON_GOOGLE}${MAILCHIMP}${GOOGLE_KEY}
    ${spfLine('include:_spf.google.com include:servers.mcsv.net ~all')}${policy('p=reject')}`)
  const stream = streamOf(check, 'mailchimp')
  expect(stream).toMatchObject({ kind: 'service', at: 'acme.test', certainty: 'likely' })
  expect(stream).toMatchObject({ spf: 'not-aligned', dkim: 'none', outcome: 'lost' })
  expect(streamOf(check, 'google').outcome).toBe('pass')
  expect(check.ownMail.status).toBe('fail')
  expect(check.ownMail.statement).toContain('Mailchimp')
})

test('Mailchimp with its keys passes, although SPF doesn’t help it', async () => {
  const check = await checkOf(`${GOOGLE_DONE}${MAILCHIMP}${policy('p=reject')}
    ${signedCname('k2', 'dkim2.mcsv.net')}
    ${signedCname('k3', 'dkim3.mcsv.net')}`)
  expect(streamOf(check, 'mailchimp')).toMatchObject({ dkim: 'aligned', outcome: 'pass' })
  expect(check.ownMail.status).toBe('pass')
})

test('an old verification record alone makes a sender possible and condemns no one', async () => {
  const check = await checkOf(`${GOOGLE_DONE}${policy('p=reject')}
    acme.test. TXT "zoho-verification=zb12345678.zmverify.zoho.eu"`)
  if (hasStream(check, 'zoho')) expect(streamOf(check, 'zoho').certainty).toBe('possible')
  expect(check.ownMail.status).toBe('pass')
})

test('an own server that SPF names and that signs passes', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 192.0.2.25
    ${spfLine('mx -all')}${keyZoneLine('default')}${policy('p=reject')}`)
  expect(streamOf(check, 'own-server')).toMatchObject({
    kind: 'own-server',
    spf: 'aligned',
    outcome: 'pass',
  })
  expect(check.ownMail.status).toBe('pass')
})

test('a web host without any mail record is possible, and no reason for alarm', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}
    acme.test. A 192.0.2.80
    www.acme.test. A 192.0.2.80
    ${policy('p=reject')}`)
  expect(streamOf(check, 'web-host')).toMatchObject({ kind: 'web-host', certainty: 'possible' })
  expect(check.ownMail.status).not.toBe('fail')
})

test('a domain that declares no mail has no streams', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}
    acme.test. MX 0 .
    ${spfLine('-all')}${policy('p=reject')}`)
  expect(check.streams).toEqual([])
  expect(check.ownMail.status).toBe('pass')
})

test('a forwarder alone sends nothing as the domain', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}${CLOUDFLARE_ROUTING}
    acme.test. MX 10 route1.mx.cloudflare.net.
    acme.test. MX 20 route2.mx.cloudflare.net.
    ${spfLine('include:_spf.mx.cloudflare.net ~all')}${policy('p=reject')}`)
  expect(check.ownMail.status).toBe('pass')
})

test('a third party’s broken DNS leaves open whether the mailboxes pass', async () => {
  const zone = `${ON_MICROSOFT}${spfLine('include:spf.protection.outlook.com -all')}
    ${policy('p=reject')}`
  const failing = { 'TXT spf.protection.outlook.com': 'servfail' } as const
  const check = await checkOf(zone, { failing })
  expect(streamOf(check, 'microsoft365')).toMatchObject({ spf: 'unknown', outcome: 'unknown' })
  expect(check.ownMail.status).toBe('unknown')
})

test('a signature decides even when SPF can’t be looked up', async () => {
  const zone = `${ON_MICROSOFT}${MICROSOFT_KEYS}${policy('p=reject')}
    ${spfLine('include:spf.protection.outlook.com -all')}`
  const failing = { 'TXT spf.protection.outlook.com': 'servfail' } as const
  const check = await checkOf(zone, { failing })
  expect(streamOf(check, 'microsoft365')).toMatchObject({ dkim: 'aligned', outcome: 'pass' })
  expect(check.ownMail.status).toBe('pass')
})

test('a revoked key at the provider’s selector is no key', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}${MICROSOFT}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    ${spfLine('ip4:192.0.2.1 -all')}${policy('p=reject')}
    ${txtZoneLine('selector1._domainkey.acme.test', 'v=DKIM1; p=')}
    ${txtZoneLine('selector2._domainkey.acme.test', 'v=DKIM1; p=')}`)
  expect(streamOf(check, 'microsoft365')).toMatchObject({ dkim: 'none', outcome: 'lost' })
})

test('a key under 1024 bits at the provider’s selector saves no mail', async () => {
  // RFC 8301 §3.2: verifiers must not accept keys below 1024 bits.
  const key = txtZoneLine('selector1._domainkey.acme.test', `v=DKIM1; p=${SPKI[512]}`)
  const check = await checkOf(`${ON_MICROSOFT}${key}
    ${spfLine('ip4:192.0.2.1 -all')}${policy('p=reject')}`)
  expect(streamOf(check, 'microsoft365').outcome).toBe('lost')
})

test('mailboxes that moved to Zoho are at least in doubt behind the records of Google', async () => {
  const check = await checkOf(`${AT_CLOUDFLARE}${ZOHO_EU}${GOOGLE_INCLUDE}${GOOGLE_KEY}
    acme.test. MX 10 mx.zoho.eu.
    ${spfLine('include:_spf.google.com -all')}${policy('p=reject')}`)
  expect(streamOf(check, 'zoho')).toMatchObject({ spf: 'fails' })
  expect(['lost', 'unknown']).toContain(streamOf(check, 'zoho').outcome)
  expect(check.ownMail.status).not.toBe('pass')
})

test('own mail that fails is said before what strangers can do', async () => {
  const check = await checkOf(movedToMicrosoft('p=reject'))
  expect(check.summary.indexOf('Microsoft')).toBeGreaterThan(-1)
  expect(check.summary).not.toContain('Nothing to fix')
})

test('a second key of the former provider doesn’t make two streams of one', async () => {
  const key = txtZoneLine('google2._domainkey.acme.test', GOOD_KEY_RECORD)
  const check = await checkOf(`${movedToMicrosoft('p=reject')}${key}`)
  expect(check.streams.filter(({ id }) => id === 'microsoft365')).toHaveLength(1)
  expect(check.streams.filter(({ id }) => id === 'google').length).toBeLessThanOrEqual(1)
})

test('a service with a bounce name of its own may have one that a check doesn’t look for', async () => {
  const postmark = `${GOOGLE_DONE}${policy('p=reject')}
    ${txtZoneLine('20260101000000pm._domainkey.acme.test', 'v=DKIM1; p=')}
    ${spfLine('include:_spf.google.com include:spf.mtasv.net ~all')}
    spf.mtasv.net. TXT "v=spf1 ip4:50.31.156.96/27 ~all"`.replace(
    /.*include:_spf.google.com ~all.*/,
    '',
  )
  expect(streamOf(await checkOf(postmark), 'postmark')).toMatchObject({ spf: 'unknown' })
})

test.each([
  ['Cloudflare', CLOUDFLARE_ROUTING, 'route1.mx.cloudflare.net'],
  ['ImprovMX', IMPROVMX, 'mx1.improvmx.com'],
])('behind the forwarder %s, SPF of Gmail may only mean “send mail as”', async (_, lines, mx) => {
  const zone = `${AT_CLOUDFLARE}${GOOGLE}${lines}
    acme.test. MX 10 ${mx}.
    ${spfLine('include:_spf.google.com ~all')}${policy('p=quarantine')}`
  const check = await checkOf(zone)
  expect(streamOf(check, 'google').certainty).toBe('possible')
  expect(check.ownMail.statement).not.toContain('Google')
  const signed = await checkOf(`${zone}${GOOGLE_KEY}`)
  expect(streamOf(signed, 'google')).toMatchObject({ certainty: 'certain', dkim: 'aligned' })
})

test('a backup mail server of others sends nothing as the domain', async () => {
  const zone = (backup: number) => `${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 192.0.2.25
    acme.test. MX ${backup} backup.friendly-isp.test.
    backup.friendly-isp.test. A 198.51.100.25
    ${spfLine('mx -all')}${keyZoneLine('mail')}${policy('p=reject')}`
  const check = await checkOf(zone(50))
  expect(check.streams.map(({ id }) => id)).toEqual(['own-server'])
  expect(check.ownMail.statement).toBe('Mail from your own server passes DMARC.')
  expect(hasStream(await checkOf(zone(10)), 'friendly-isp.test')).toBe(true)
})

test('a backup mail server behind those of a provider sends nothing either', async () => {
  const check = await checkOf(`${GOOGLE_DONE}${policy('p=reject')}
    acme.test. MX 50 backup.friendly-isp.test.
    backup.friendly-isp.test. A 198.51.100.25`)
  expect(check.streams.map(({ id }) => id)).toEqual(['google'])
})

test('keys of a service that lead nowhere make it possible, unless SPF names it', async () => {
  const zone = `${ON_GOOGLE}${GOOGLE_KEY}${SENDGRID}${policy('p=quarantine')}
    s1._domainkey.acme.test. CNAME s1.domainkey.u778811.wl033.sendgrid.net.
    s2._domainkey.acme.test. CNAME s2.domainkey.u778811.wl033.sendgrid.net.
`
  const unnamed = await checkOf(`${zone}${spfLine('include:_spf.google.com ~all')}`)
  expect(streamOf(unnamed, 'sendgrid').certainty).toBe('possible')
  expect(unnamed.ownMail.status).toBe('pass')
  const terms = 'include:_spf.google.com include:sendgrid.net ~all'
  const named = await checkOf(`${zone}${spfLine(terms)}`)
  expect(streamOf(named, 'sendgrid')).toMatchObject({ certainty: 'likely', outcome: 'quarantined' })
})

test('at a subdomain, an include helps a service no more than at the domain', async () => {
  const zone = `${ON_GOOGLE}${GOOGLE_KEY}${MAILCHIMP}${policy('p=reject')}
    news.acme.test. TXT "v=spf1 include:servers.mcsv.net -all"`
  const check = await checkOf(zone, { domain: 'news.acme.test' })
  expect(streamOf(check, 'mailchimp')).toMatchObject({ spf: 'not-aligned', outcome: 'lost' })
  expect(check.ownMail.status).toBe('fail')
})

test('a subdomain whose mail servers are the service’s takes its bounces', async () => {
  const zone = `${ON_GOOGLE}${GOOGLE_KEY}${SENDGRID}${policy('p=reject')}
    em.acme.test. MX 10 mx.sendgrid.net.
    mx.sendgrid.net. A 167.89.1.1
    em.acme.test. TXT "v=spf1 include:sendgrid.net -all"`
  const check = await checkOf(zone, { domain: 'em.acme.test' })
  expect(streamOf(check, 'sendgrid')).toMatchObject({ spf: 'aligned', outcome: 'pass' })
})

const SPARKPOST = `sparkpostmail.com. TXT "v=spf1 ip4:147.253.208.0/20 ~all"
  ${spfLine('include:_spf.google.com include:sparkpostmail.com ~all')}`
const SES = `amazonses.com. TXT "v=spf1 ip4:199.255.192.0/22 ~all"
  ${spfLine('include:_spf.google.com include:amazonses.com ~all')}`

const BOUNCES = [
  ['sparkpost', SPARKPOST, 'bounces.acme.test. CNAME sparkpostmail.com.'],
  ['ses', SES, 'bounces.acme.test. MX 10 feedback-smtp.eu-west-1.amazonses.com.'],
  [
    'postmark',
    `${spfLine('include:_spf.google.com include:spf.mtasv.net ~all')}
    spf.mtasv.net. TXT "v=spf1 ip4:50.31.156.96/27 ~all"`,
    'pm-bounces.acme.test. CNAME pm.mtasv.net.',
  ],
] as const

test('under aspf=s, no bounce name below the domain aligns SPF', async () => {
  for (const [id, named, bounces] of BOUNCES) {
    const zone = `${ON_GOOGLE}${named}\n${bounces}\n${policy('p=reject; aspf=s')}`
    expect(streamOf(await checkOf(zone), id), id).toMatchObject({
      spf: 'not-aligned',
      outcome: 'lost',
    })
  }
})

test('a bounce name below the domain may align SPF, and a check doesn’t look there', async () => {
  for (const [id, named, bounces] of BOUNCES) {
    const zone = `${ON_GOOGLE}${named}\n${bounces}\n${policy('p=reject')}`
    // The plan looks, and finds that the mail passes.
    const plan = await planOf(zone)
    expect(
      plan.warnings.map(({ id: warning }) => warning),
      id,
    ).not.toContain('plan.sender-at-risk')
    expect(streamOf(await checkOf(zone), id), id).toMatchObject({
      spf: 'unknown',
      dkim: 'none',
      outcome: 'unknown',
    })
  }
})

test('where no name is set up, the plan says what the check left open', async () => {
  for (const [id, named] of BOUNCES) {
    const plan = await planOf(`${ON_GOOGLE}${named}\n${policy('p=reject')}`)
    expect(
      plan.warnings.map(({ id: warning }) => warning),
      id,
    ).toContain('plan.sender-at-risk')
  }
})
