/** Customers by where their mailboxes are. */
import { expect } from 'vitest'
import { keyZoneLine } from '../../../../test/support/dkim-fixture.js'
import {
  AT_CLOUDFLARE,
  FASTMAIL,
  GOOGLE,
  IONOS,
  MICROSOFT,
  MIMECAST,
  ON_GOOGLE,
} from '../../../../test/support/service-zones.js'
import {
  changes,
  changesFor,
  dmarcTags,
  FULL_LADDER,
  ladder,
  recordAt,
  requiredTitles,
  senderLines,
  situation,
  spfOf,
  stepNamed,
  titles,
  warningIds,
} from '../../../../test/support/situation.js'
import {
  AT_GANDI,
  AT_GODADDY,
  AT_IONOS,
  AT_NAMECHEAP,
  AT_OVH,
  CLOUDFLARE_ROUTING,
  dmarcZoneLine,
  GANDI,
  IMPROVMX,
  MICROSOFT_GOV,
  NAMECHEAP_FORWARDING,
  OVH,
  PRIVATE_EMAIL,
  PROOFPOINT,
  PROTON,
  SECURESERVER,
  signedCname,
  TRANSIP,
  YANDEX,
  ZOHO_EU,
} from '../../../../test/support/situation-zones.js'
import type { FixPlan } from '../fix-plan-report.js'

situation({
  name: 'New Google Workspace at Cloudflare with nothing but MX',
  expert:
    'SPF, the Google key with its own placeholder, then DMARC none; switching signing on is a step.',
  zone: ON_GOOGLE,
  expect: (plan) => {
    expect(changes(plan)).toEqual([
      'create TXT acme.test v=spf1 include:_spf.google.com ~all',
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
      'create TXT _smtp._tls.acme.test v=TLSRPTv1; rua=mailto:dmarc@acme.test',
    ])
    expect(requiredTitles(plan)).toEqual([
      'Publish an SPF record with your senders',
      'Get the DNS records from Google Workspace',
      'Let Google Workspace sign your mail',
      'Turn on DKIM signing in Google Workspace',
      'Create a mailbox for the reports',
      'Ask receivers for DMARC reports',
      'Read the reports, then tighten the policy in stages',
    ])
    expect(stepNamed(plan, 'Turn on DKIM signing').actions.join(' ')).toContain(
      'Start authentication',
    )
    expect(ladder(plan)).toEqual(FULL_LADDER)
    expect(plan.mailboxProvider?.id).toBe('google')
    expect(plan.senders).toEqual([])
    expect(plan.safety.tested).toEqual([
      { sender: 'Google Workspace', ip: '74.125.0.1', before: 'none', after: 'pass' },
    ])
    // 30 + 7 + 30 + 7 days.
    expect(plan.effort.earliestEnd).toBe('2027-01-29')
    expect(plan.summary).toContain('2027-01-29')
    expect(recordAt(plan, '_smtp._tls.acme.test').optional).toBe(true)
  },
})

situation({
  name: 'New Microsoft 365 at IONOS DNS',
  expert:
    'Two CNAMEs whose targets only Microsoft shows; signing is switched on in Defender afterwards.',
  zone: `${AT_IONOS}${MICROSOFT}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "MS=ms12345678"`,
  expect: (plan) => {
    expect(changesFor(plan, 'spf')).toEqual([
      'create TXT acme.test v=spf1 include:spf.protection.outlook.com ~all',
    ])
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME selector1._domainkey.acme.test {microsoft365-target-1}',
      'create CNAME selector2._domainkey.acme.test {microsoft365-target-2}',
    ])
    expect(plan.mailboxProvider?.id).toBe('microsoft365')
    expect(plan.senders).toEqual([])
    const [get, add, turnOn] = [
      'Get the DNS records',
      'sign your mail',
      'Turn on DKIM signing',
    ].map((part) => stepNamed(plan, part).order)
    expect([get, add, turnOn]).toEqual([get, (get ?? 0) + 1, (get ?? 0) + 2])
    expect(stepNamed(plan, 'Turn on DKIM signing').actions.join(' ')).toContain(
      'Sign messages for this domain with DKIM signatures',
    )
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Zoho Mail in the EU data centre',
  expert: 'The include of the same region as the MX; the selector is the customer’s choice.',
  zone: `${AT_CLOUDFLARE}${ZOHO_EU}
    acme.test. MX 10 mx.zoho.eu.
    acme.test. MX 20 mx2.zoho.eu.
    acme.test. TXT "zoho-verification=zb12345678.zmverify.zoho.eu"`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe('v=spf1 include:zohomail.eu ~all')
    expect(changesFor(plan, 'dkim')).toEqual([
      'create TXT {zoho-selector}._domainkey.acme.test v=DKIM1; k=rsa; p={zoho-public-key}',
    ])
    expect(plan.senders).toEqual([])
  },
})

situation({
  name: 'Fastmail with its three CNAMEs missing',
  expert: 'All records are known, so nothing has to be copied and nothing asked.',
  zone: `${AT_CLOUDFLARE}${FASTMAIL}
    acme.test. MX 10 in1-smtp.messagingengine.com.
    acme.test. MX 20 in2-smtp.messagingengine.com.
    acme.test. TXT "v=spf1 include:spf.messagingengine.com ?all"`,
  expect: (plan) => {
    expect(changes(plan)).toEqual([
      'replace TXT acme.test v=spf1 include:spf.messagingengine.com ~all',
      'create CNAME fm1._domainkey.acme.test fm1.acme.test.dkim.fmhosted.com',
      'create CNAME fm2._domainkey.acme.test fm2.acme.test.dkim.fmhosted.com',
      'create CNAME fm3._domainkey.acme.test fm3.acme.test.dkim.fmhosted.com',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(plan.records.flatMap(({ placeholders }) => placeholders)).toEqual([])
    expect(titles(plan).filter((title) => title.startsWith('Get the DNS records'))).toEqual([])
    expect(changes(plan).map((_, index) => plan.records[index]?.onlyIf)).toEqual(
      changes(plan).map(() => null),
    )
  },
})

situation({
  name: 'Proton Mail with the key CNAMEs half published',
  expert: 'The missing two CNAMEs are added beside the live one, with the token of the account.',
  zone: `${AT_CLOUDFLARE}${PROTON}
    acme.test. MX 10 mail.protonmail.ch.
    acme.test. MX 20 mailsec.protonmail.ch.
    acme.test. TXT "protonmail-verification=0123456789abcdef0123456789abcdef01234567"
    acme.test. TXT "v=spf1 include:_spf.protonmail.ch mx ~all"
    ${signedCname('protonmail', 'protonmail.domainkey.dabc123.domains.proton.ch')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'spf')).toEqual([])
    const added = changesFor(plan, 'dkim')
    expect(added.map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual([
      'create CNAME protonmail2._domainkey.acme.test',
      'create CNAME protonmail3._domainkey.acme.test',
    ])
    expect(ladder(plan)).toEqual(FULL_LADDER)
    expect(plan.senders).toEqual([])
  },
})

situation({
  name: 'IONOS mailboxes at another DNS host',
  expert:
    'The three CNAMEs are the same for all customers; the European include belongs to mx00.ionos.de.',
  zone: `${AT_CLOUDFLARE}${IONOS}
    acme.test. MX 10 mx00.ionos.de.
    acme.test. MX 10 mx01.ionos.de.`,
  expect: (plan) => {
    expect(changes(plan)).toEqual([
      'create TXT acme.test v=spf1 include:_spf-eu.ionos.com ~all',
      'create CNAME s1-ionos._domainkey.acme.test s1.dkim.ionos.com',
      'create CNAME s2-ionos._domainkey.acme.test s2.dkim.ionos.com',
      'create CNAME s42582890._domainkey.acme.test s42582890.dkim.ionos.com',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
  },
})

situation({
  name: 'OVHcloud MX Plan at OVH DNS',
  expert: 'SPF stays as OVH publishes it; the selectors come from the control panel.',
  zone: `${AT_OVH}${OVH}
    acme.test. MX 1 mx1.mail.ovh.net.
    acme.test. MX 5 mx2.mail.ovh.net.
    acme.test. TXT "v=spf1 include:mx.ovh.com ~all"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    expect(changesFor(plan, 'dkim')).toEqual([
      'create CNAME {ovh-selector-1}._domainkey.acme.test {ovh-selector-1}._domainkey.{ovh-number-1}.{ovh-zone}.dkim.mail.ovh.net',
      'create CNAME {ovh-selector-2}._domainkey.acme.test {ovh-selector-2}._domainkey.{ovh-number-2}.{ovh-zone}.dkim.mail.ovh.net',
    ])
    expect(plan.dnsHost?.id).toBe('ovh')
  },
})

situation({
  name: 'Gandi mail with the default ?all',
  expert: 'The default record becomes ~all; the trap of the default is named once.',
  zone: `${AT_GANDI}${GANDI}
    acme.test. MX 10 spool.mail.gandi.net.
    acme.test. MX 50 fb.mail.gandi.net.
    acme.test. TXT "v=spf1 include:_mailcust.gandi.net ?all"`,
  expect: (plan) => {
    expect(changes(plan)).toEqual([
      'replace TXT acme.test v=spf1 include:_mailcust.gandi.net ~all',
      'create CNAME gm1._domainkey.acme.test gm1.gandimail.net',
      'create CNAME gm2._domainkey.acme.test gm2.gandimail.net',
      'create CNAME gm3._domainkey.acme.test gm3.gandimail.net',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(spfOf(plan).replaces).toEqual(['v=spf1 include:_mailcust.gandi.net ?all'])
  },
})

situation({
  name: 'Namecheap Private Email that signs already',
  expert: 'SPF and the key at "default" are kept; only DMARC is missing.',
  zone: `${AT_NAMECHEAP}${PRIVATE_EMAIL}
    acme.test. MX 10 mx1.privateemail.com.
    acme.test. MX 10 mx2.privateemail.com.
    acme.test. TXT "v=spf1 include:spf.privateemail.com ~all"
    ${keyZoneLine('default')}`,
  expect: (plan) => {
    expect(changes(plan)).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(recordAt(plan, 'default._domainkey.acme.test').service).toBe('namecheap')
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Yandex 360 with the redirect that Yandex recommends',
  expert: 'A redirect without all is right for a sole sender and stays as it is.',
  zone: `${AT_CLOUDFLARE}${YANDEX}
    acme.test. MX 10 mx.yandex.net.
    acme.test. TXT "yandex-verification: 0123456789abcdef"
    acme.test. TXT "v=spf1 redirect=_spf.yandex.net"
    ${keyZoneLine('mail')}
    ${dmarcZoneLine('p=quarantine; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('yandex')
    expect(plan.safety.tested.map(({ before, after }) => [before, after])).toEqual([
      ['pass', 'pass'],
    ])
    expect(changes(plan).filter((line) => !line.includes('acme.test v=spf1'))).toEqual([])
    expect(ladder(plan)).toEqual(['quarantine', 'reject test', 'reject'])
  },
})

situation({
  name: 'Microsoft 365 bought from GoDaddy with GoDaddy’s default DMARC record',
  expert:
    'GoDaddy’s include is right and stays; Microsoft’s selectors are wanted; reports go to the owner.',
  zone: `${AT_GODADDY}${MICROSOFT}${SECURESERVER}
    acme.test. MX 0 acme-test.mail.protection.outlook.com.
    acme.test. TXT "NETORGFT1234567.onmicrosoft.com"
    acme.test. TXT "v=spf1 include:secureserver.net -all"
    ${dmarcZoneLine('p=quarantine; adkim=r; aspf=r; rua=mailto:dmarc_rua@onsecureserver.net;')}
    onsecureserver.net. MX 10 mx.onsecureserver.net.
    mx.onsecureserver.net. A 192.0.2.20
    *._report._dmarc.onsecureserver.net. TXT "v=DMARC1"`,
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('godaddy-m365')
    expect(plan.senders).toEqual([])
    expect(spfOf(plan)).toMatchObject({
      action: 'keep',
      value: 'v=spf1 include:secureserver.net -all',
    })
    expect(changesFor(plan, 'dkim').map((line) => line.split(' ')[2])).toEqual([
      'selector1._domainkey.acme.test',
      'selector2._domainkey.acme.test',
    ])
    const dmarc = recordAt(plan, '_dmarc.acme.test')
    expect(dmarcTags(dmarc.value)).toMatchObject({
      p: 'quarantine',
      rua: 'mailto:dmarc@acme.test',
    })
    expect(dmarc.why).toMatch(/reports/i)
    expect(warningIds(plan)).toContain('plan.mail-at-risk')
  },
})

situation({
  name: 'Exchange on premises behind Mimecast without a trace of the mailboxes',
  expert: 'DKIM is planned for the unknown mailboxes; the owner is asked; Mimecast stays in SPF.',
  zone: `${AT_CLOUDFLARE}${MIMECAST}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    acme.test. MX 10 us-smtp-inbound-2.mimecast.com.
    acme.test. TXT "v=spf1 include:us._netblocks.mimecast.com ip4:203.0.113.9 -all"`,
  expect: (plan) => {
    expect(spfOf(plan).action).toBe('keep')
    expect(plan.mailboxProvider).toBeNull()
    expect(plan.senders.map(({ id }) => id)).toEqual(['mimecast'])
    expect(warningIds(plan)).toContain('plan.mailboxes-unseen')
    expect(changesFor(plan, 'dkim').some((line) => line.includes('{mailbox-provider-'))).toBe(true)
    const gateway = plan.records.find(({ service }) => service === 'mimecast')
    expect(gateway?.onlyIf).toMatch(/outgoing mail goes through Mimecast/)
    const unknown = plan.records.find(({ name }) => name.includes('{mailbox-provider-'))
    expect(unknown?.onlyIf).toMatch(/doesn’t go through Mimecast/)
    expect(plan.safety.tested).toContainEqual({
      sender: '203.0.113.9',
      ip: '203.0.113.9',
      before: 'pass',
      after: 'pass',
    })
  },
})

situation({
  name: 'Microsoft 365 behind Mimecast, seen by MS= and autodiscover',
  expert: 'Microsoft 365 is the mailbox provider, Mimecast a sender; both may sign.',
  zone: `${AT_CLOUDFLARE}${MIMECAST}${MICROSOFT}
    acme.test. MX 10 us-smtp-inbound-1.mimecast.com.
    acme.test. MX 10 us-smtp-inbound-2.mimecast.com.
    acme.test. TXT "MS=ms12345678"
    autodiscover.acme.test. CNAME autodiscover.outlook.com.
    acme.test. TXT "v=spf1 include:us._netblocks.mimecast.com include:spf.protection.outlook.com -all"
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('microsoft365')
    expect(plan.senders.map(({ id }) => id)).toEqual(['mimecast'])
    expect(spfOf(plan).action).toBe('keep')
    expect(warningIds(plan)).not.toContain('plan.mailboxes-unseen')
    const names = changesFor(plan, 'dkim').map((line) => line.split(' ')[2])
    expect(names).toContain('selector1._domainkey.acme.test')
    expect(names).toContain('selector2._domainkey.acme.test')
    expect(names.filter((name) => name?.includes('{mailbox-provider-'))).toEqual([])
  },
})

situation({
  name: 'Google Workspace behind Proofpoint, seen by its key',
  expert:
    'The live Google key shows the mailboxes; Proofpoint’s own include stays; nothing is asked.',
  zone: `${AT_CLOUDFLARE}${PROOFPOINT}${GOOGLE}
    acme.test. MX 10 mx0a-001b2d01.pphosted.com.
    acme.test. MX 10 mx0b-001b2d01.pphosted.com.
    acme.test. TXT "v=spf1 include:spf-001b2d01.pphosted.com include:_spf.google.com ~all"
    ${keyZoneLine('google')}
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('google')
    expect(plan.senders.map(({ id }) => id)).toEqual(['proofpoint'])
    expect(spfOf(plan).action).toBe('keep')
    const added = plan.records.filter(
      ({ purpose, action }) => purpose === 'dkim' && action === 'create',
    )
    expect(added.map(({ service }) => service)).toEqual(['proofpoint'])
    expect(added[0]?.onlyIf).toMatch(/outgoing mail goes through Proofpoint/)
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

/** As a domain without a mail server, on the same condition at every stage that may lose mail. */
function asksWhetherAnyoneSends(plan: FixPlan): void {
  expect(ladder(plan)).toEqual(FULL_LADDER)
  const [, ...later] = plan.rollout
  const condition =
    'Nothing sends mail from acme.test, or what does is signed with DKIM. We see only mail servers there, so only you know.'
  expect(new Set(later.map(({ onlyIf }) => onlyIf))).toEqual(new Set([condition]))
  expect(stepNamed(plan, 'tighten the policy').onlyIf).toBe(condition)
}

situation({
  name: 'Cloudflare Email Routing only, with its key',
  expert:
    'A forwarder is no sender and its key signs nothing: reject only if no one sends, no provider invented, a way to send named.',
  zone: `${AT_CLOUDFLARE}${CLOUDFLARE_ROUTING}
    acme.test. MX 10 route1.mx.cloudflare.net.
    acme.test. MX 20 route2.mx.cloudflare.net.
    acme.test. TXT "v=spf1 include:_spf.mx.cloudflare.net ~all"
    ${keyZoneLine('cf2024-1')}`,
  expect: (plan) => {
    expect(plan.senders).toEqual([])
    expect(plan.mailboxProvider).toBeNull()
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(spfOf(plan).action).toBe('keep')
    asksWhetherAnyoneSends(plan)
    expect(warningIds(plan)).toEqual(['plan.no-sender-seen'])
    expect(plan.warnings[0]?.fix).toContain('Email Sending')
    expect(plan.projected.score).toBeLessThan(100)
    expect(titles(plan).join(' ')).not.toMatch(/Let .* sign|Turn on signing/)
  },
})

situation({
  name: 'ImprovMX without a paid plan',
  expert: 'Same: forwarding is kept, and who sends signs with SMTP of ImprovMX first.',
  zone: `${AT_NAMECHEAP}${IMPROVMX}
    acme.test. MX 10 mx1.improvmx.com.
    acme.test. MX 20 mx2.improvmx.com.
    acme.test. TXT "v=spf1 include:spf.improvmx.com ~all"`,
  expect: (plan) => {
    expect(plan.senders).toEqual([])
    expect(changesFor(plan, 'dkim')).toEqual([])
    asksWhetherAnyoneSends(plan)
    const warning = plan.warnings.find(({ id }) => id === 'plan.no-sender-seen')
    expect(warning?.fix).toMatch(/ImprovMX/)
  },
})

situation({
  name: 'Namecheap e-mail forwarding with Gmail “send as”',
  expert:
    'The include of the forwarder is kept; mail sent through a private account cannot pass, and that is said.',
  zone: `${AT_NAMECHEAP}${NAMECHEAP_FORWARDING}
    acme.test. MX 10 eforward1.registrar-servers.com.
    acme.test. MX 10 eforward2.registrar-servers.com.
    acme.test. TXT "v=spf1 include:spf.efwd.registrar-servers.com ~all"
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(plan.senders).toEqual([])
    expect(changes(plan)).toEqual([])
    asksWhetherAnyoneSends(plan)
    const warning = plan.warnings.find(({ id }) => id === 'plan.no-sender-seen')
    expect(warning?.detail).toMatch(/Namecheap/)
  },
})

situation({
  name: 'Forwarding beside a server in SPF that does not sign',
  expert: 'Someone does send, so no answer of the owner leads past quarantine.',
  zone: `${AT_NAMECHEAP}${NAMECHEAP_FORWARDING}
    acme.test. MX 10 eforward1.registrar-servers.com.
    acme.test. TXT "v=spf1 include:spf.efwd.registrar-servers.com include:spf.vendor.test ~all"
    spf.vendor.test. TXT "v=spf1 ip4:192.0.2.9 ~all"`,
  expect: (plan) => {
    expect(ladder(plan)).toEqual(['none', 'quarantine test', 'quarantine'])
    expect(warningIds(plan)).toContain('plan.reject-not-reached')
  },
})

situation({
  name: 'Moving from Microsoft 365 to Google with both in MX',
  expert: 'During the move both must pass; the owner is told that mail goes to two places.',
  zone: `${AT_CLOUDFLARE}${GOOGLE}${MICROSOFT}
    acme.test. MX 1 smtp.google.com.
    acme.test. MX 10 acme-test.mail.protection.outlook.com.
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com -all"
    ${signedCname('selector1', 'selector1-acme-test._domainkey.acme.onmicrosoft.com')}
    selector2._domainkey.acme.test. CNAME selector2-acme-test._domainkey.acme.onmicrosoft.com.
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(spfOf(plan).value).toBe(
      'v=spf1 include:spf.protection.outlook.com include:_spf.google.com -all',
    )
    expect(warningIds(plan)).toContain('plan.several-mailbox-providers')
    expect(changesFor(plan, 'dkim')).toEqual([
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
    ])
  },
})

situation({
  name: 'Moved to Google; the include of Microsoft 365 is left over',
  expert:
    'Not removed on suspicion and no CNAMEs demanded: the owner is asked whether it is still used.',
  zone: `${ON_GOOGLE}${MICROSOFT}
    acme.test. TXT "v=spf1 include:spf.protection.outlook.com include:_spf.google.com ~all"
    ${keyZoneLine('google')}
    ${dmarcZoneLine('p=none; rua=mailto:dmarc@acme.test')}`,
  expect: (plan) => {
    expect(senderLines(plan)).toEqual(['microsoft365 unsure unsigned'])
    expect(spfOf(plan).action).toBe('keep')
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(titles(plan).join('\n')).toContain('Do you still use Microsoft 365')
    expect(stepNamed(plan, 'Do you still use').actions.join(' ')).toContain('as no longer used')
  },
})

situation({
  name: 'cPanel hosting: MX is the domain’s own server, key at "default"',
  expert: 'Nothing but DMARC: the own server is named by mx and a, and signs.',
  zone: `acme.test. NS ns1.hosting.example.
    acme.test. MX 0 acme.test.
    acme.test. A 203.0.113.7
    acme.test. TXT "v=spf1 +a +mx +ip4:203.0.113.7 ~all"
    ${keyZoneLine('default')}`,
  expect: (plan) => {
    expect(changes(plan)).toEqual([
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(plan.senders).toEqual([])
    expect(ladder(plan)).toEqual(FULL_LADDER)
  },
})

situation({
  name: 'Own Postfix server without DKIM',
  expert:
    'SPF names the MX; a key of the own server is planned at a selector that checks look for.',
  zone: `${AT_CLOUDFLARE}
    acme.test. MX 10 mail.acme.test.
    mail.acme.test. A 203.0.113.2`,
  expect: (plan) => {
    expect(changes(plan)).toEqual([
      'create TXT acme.test v=spf1 mx ~all',
      'create TXT mail._domainkey.acme.test v=DKIM1; k=rsa; p={mail-server-public-key}',
      'create TXT _dmarc.acme.test v=DMARC1; p=none; rua=mailto:dmarc@acme.test',
    ])
    expect(titles(plan)).toContain('Create a DKIM key on your own server')
    expect(titles(plan)).toContain('Have your own server sign your mail')
  },
})

situation({
  name: 'p=reject behind a forwarder, without a key',
  expert:
    'DNS shows no one who sends, so nothing is claimed: the warning says what happens if someone does, and how to send from such a domain.',
  zone: `${AT_NAMECHEAP}
    acme.test. MX 10 eforward1.registrar-servers.com.
    eforward1.registrar-servers.com. A 192.0.2.21
    acme.test. TXT "v=spf1 include:spf.efwd.registrar-servers.com ~all"
    spf.efwd.registrar-servers.com. TXT "v=spf1 ip4:192.0.2.20/29 ~all"
    ${dmarcZoneLine('p=reject')}`,
  expect: (plan) => {
    const warning = plan.warnings.find(({ id }) => id === 'plan.no-sender-seen')
    expect(warning?.title).toBe('If anyone sends as acme.test, that mail may be lost today')
    expect(warning?.detail).toContain('so it is rejected')
    expect(warning?.fix).toMatch(/Namecheap Private Email/)
    expect(warningIds(plan)).not.toContain('plan.mail-at-risk')
    expect(plan.summary).not.toContain('may get lost')
  },
})

const REJECTING = `${ON_GOOGLE}${keyZoneLine('google')}
  acme.test. TXT "v=spf1 include:_spf.google.com ~all"
  ${dmarcZoneLine('p=reject; rua=mailto:dmarc@acme.test')}
`

situation({
  name: 'Two TLS-RPT records',
  expert: 'Senders ignore both (RFC 8460 §3), so one remains with both addresses.',
  zone: `${REJECTING}
    _smtp._tls.acme.test. TXT "v=TLSRPTv1; rua=mailto:a@acme.test"
    _smtp._tls.acme.test. TXT "v=TLSRPTv1; rua=mailto:b@acme.test"
    _smtp._tls.acme.test. TXT "unrelated"`,
  expect: (plan) => {
    const record = recordAt(plan, '_smtp._tls.acme.test')
    expect([record.action, record.value]).toEqual([
      'replace',
      'v=TLSRPTv1; rua=mailto:a@acme.test,mailto:b@acme.test',
    ])
    expect(record.replaces).toEqual([
      'v=TLSRPTv1; rua=mailto:a@acme.test',
      'v=TLSRPTv1; rua=mailto:b@acme.test',
    ])
    stepNamed(plan, 'TLS-RPT')
  },
})

situation({
  name: 'A broken MTA-STS record',
  expert: 'The repaired record has the date of today as its id, so senders fetch the policy again.',
  zone: `${REJECTING}
    _mta-sts.acme.test. TXT "v=STSv1 id=2026-01-01"`,
  expect: (plan) => {
    expect(recordAt(plan, '_mta-sts.acme.test').value).toBe('v=STSv1; id=20261116')
  },
})

const ON_GCC_HIGH = `${MICROSOFT_GOV}
    acme.test. MX 0 acme.mail.protection.office365.us.
    `

situation({
  name: 'Microsoft 365 GCC High with nothing but MX',
  expert: 'The include and the CNAMEs are those of the government cloud.',
  zone: ON_GCC_HIGH,
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('microsoft365-gov')
    expect(changes(plan).slice(0, 3)).toEqual([
      'create TXT acme.test v=spf1 include:spf.protection.office365.us ~all',
      'create CNAME selector1._domainkey.acme.test {microsoft365-gov-target-1}',
      'create CNAME selector2._domainkey.acme.test {microsoft365-gov-target-2}',
    ])
  },
})

for (const tenant of ['acme.onmicrosoft.us', 'acme.onmicrosoft.com']) {
  situation({
    name: `Microsoft 365 GCC High set up right, with keys below ${tenant}`,
    expert: 'Its keys are found, nothing is changed, and Microsoft 365 is no second service.',
    zone: `${ON_GCC_HIGH}
      acme.test. TXT "v=spf1 include:spf.protection.office365.us -all"
      ${signedCname('selector1', `selector1-acme-test._domainkey.${tenant}`)}
      ${signedCname('selector2', `selector2-acme-test._domainkey.${tenant}`)}`,
    expect: (plan) => {
      expect(senderLines(plan)).toEqual([])
      expect(spfOf(plan).action).toBe('keep')
      expect(changesFor(plan, 'dkim')).toEqual([])
    },
  })
}

situation({
  name: 'TransIP with the records of its own zones',
  expert: 'Its three CNAMEs are its keys, and nothing has to be copied or turned on.',
  zone: `${TRANSIP}
    acme.test. NS ns0.transip.net.
    acme.test. MX 10 mx.transip.email.
    acme.test. TXT "v=spf1 include:_spf.transip.email ~all"
    ${signedCname('transip-a', '_dkim-a.transip.email')}
    ${signedCname('transip-b', '_dkim-b.transip.email')}
    ${signedCname('transip-c', '_dkim-c.transip.email')}`,
  expect: (plan) => {
    expect(plan.mailboxProvider?.id).toBe('transip')
    expect(spfOf(plan).action).toBe('keep')
    expect(changesFor(plan, 'dkim')).toEqual([])
    expect(titles(plan).filter((title) => /sign/i.test(title))).toEqual([])
  },
})

situation({
  name: 'Google Workspace at TransIP, with the keys that its zones come with',
  expert: 'TransIP’s keys show no sender; Google’s key is what is missing.',
  zone: `${TRANSIP}${GOOGLE}
    acme.test. NS ns0.transip.net.
    acme.test. MX 1 smtp.google.com.
    acme.test. TXT "v=spf1 include:_spf.google.com ~all"
    ${signedCname('transip-a', '_dkim-a.transip.email')}
    ${signedCname('transip-b', '_dkim-b.transip.email')}
    ${signedCname('transip-c', '_dkim-c.transip.email')}`,
  expect: (plan) => {
    expect(changesFor(plan, 'dkim')).toContain(
      'create TXT google._domainkey.acme.test v=DKIM1; k=rsa; p={google-public-key}',
    )
    expect(senderLines(plan)).toEqual([])
  },
})
