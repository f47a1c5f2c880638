import { expect, test } from 'vitest'
import {
  ALL_SERVICES,
  describeScreen,
  findOwnersWithoutUse,
  findServiceByCname,
  findServiceByDkimTarget,
  findServiceById,
  findServiceByMxHost,
  findServiceBySelector,
  findServiceBySpfHost,
  findServiceByWebTarget,
  findServicesByText,
  hasUselessInclude,
} from './mail-services.js'

test.each([
  ['_spf.google.com', 'google'],
  ['spf.protection.outlook.com', 'microsoft365'],
  ['zohomail.eu', 'zoho'],
  ['one.zoho.com', 'zoho'],
  ['_spf-us.ionos.com', 'ionos'],
  ['_spf.yandex.net', 'yandex'],
  ['eu._netblocks.mimecast.com', 'mimecast'],
  ['spf-00112233.pphosted.com', 'proofpoint'],
  ['dispatch-us.ppe-hosted.com', 'proofpoint-essentials'],
  ['spf.ess.barracudanetworks.com', 'barracuda'],
  ['spf.ess.de.barracudanetworks.com', 'barracuda'],
  ['%{i}.spf.hc1234-56.iphmx.com', 'cisco'],
  ['acme-com.spf.smtp25.com', 'appriver'],
  ['sendgrid.net', 'sendgrid'],
  ['u1234.wl1.sendgrid.net', 'sendgrid'],
  ['amazonses.com', 'ses'],
  ['mailgun.org', 'mailgun'],
  ['servers.mcsv.net', 'mailchimp'],
  ['1234567.spf04.hubspotemail.net', 'hubspot'],
  ['spf.sendinblue.com', 'brevo'],
  ['spf-de.emailsignatures365.com', 'codetwo'],
  ['one.zoho.eu', 'zoho'],
  ['spf.protection.office365.us', 'microsoft365-gov'],
  ['_spf.transip.email', 'transip'],
  ['_spf_euwest1.prod.hydra.sophos.com', 'sophos'],
  ['mxsspf.sendpulse.com', 'sendpulse'],
  ['b.spf.service-now.com', 'servicenow'],
  ['mxlogin.com', 'mxroute'],
])('SPF host %s belongs to %s', (host, id) => {
  expect(findServiceBySpfHost(host)?.id).toBe(id)
})

test.each([
  ['selector1-acme-com._domainkey.acme.onmicrosoft.com', 'microsoft365'],
  ['selector1-acme-com._domainkey.acme.n-v1.dkim.mail.microsoft', 'microsoft365'],
  ['fm1.acme.com.dkim.fmhosted.com', 'fastmail'],
  ['protonmail.domainkey.d4x7.domains.proton.ch', 'proton'],
  ['mbo0001._domainkey.mailbox.org', 'mailboxorg'],
  ['gm1.gandimail.net', 'gandi'],
  ['s1.dkim.ionos.com', 'ionos'],
  ['s1.dkim.acme_com.onsecureserver.net', 'godaddy'],
  ['s1.domainkey.u1.wl2.sendgrid.net', 'sendgrid'],
  ['pdk1._domainkey.a1b2c.dkim1.eu.mgsend.org', 'mailgun'],
  ['dkim2.mcsv.net', 'mailchimp'],
  ['selector1-acme-com._domainkey.acme.onmicrosoft.us', 'microsoft365'],
  ['selector1-azurecomm-prod-net._domainkey.azurecomm.net', 'azure-communication'],
  ['_dkim-A.transip.email', 'transip'],
  ['dkim1.mandrillapp.com', 'mandrill'],
  ['acme-com.hs07a.dkim.hubspotemail.net', 'hubspot'],
  ['zendesk1._domainkey.zendesk.com', 'zendesk'],
  ['abcdefghijklmnopqrstuvwxyz234567.dkim.amazonses.com', 'ses'],
])('DKIM target %s belongs to %s', (host, id) => {
  expect(findServiceByDkimTarget(host)?.id).toBe(id)
})

test.each([
  '_spf.google.com.evil.test',
  'evil_spf.google.com',
  'google.com',
  'acme.com._nspf.vali.email',
  '%{ir}.%{v}.%{d}.spf.has.pphosted.com',
  'notsendgrid.net',
  'net',
  '.',
  '',
])('SPF host %j is unknown', (host) => {
  expect(findServiceBySpfHost(host)).toBeNull()
})

test.each([
  's1.domainkey.u1.wl2.sendgrid.net.evil.test',
  'notonmicrosoft.com',
  'acme.zendesk.com',
  'amazonses.com',
])('DKIM target %s is unknown', (host) => {
  expect(findServiceByDkimTarget(host)).toBeNull()
})

test('ignores case and a final dot', () => {
  expect(findServiceBySpfHost('_SPF.Google.com.')?.id).toBe('google')
  expect(findServiceByDkimTarget('MBO0001._domainkey.mailbox.org.')?.id).toBe('mailboxorg')
})

test('finds a service by id in both tables', () => {
  expect(findServiceById('google')).toBe(findServiceBySpfHost('_spf.google.com'))
  expect(findServiceById('sendgrid')).toBe(findServiceBySpfHost('sendgrid.net'))
  expect(findServiceById('nobody')).toBeNull()
  expect(findServiceById('constructor')).toBeNull()
})

test('knows the kind of each service', () => {
  const kinds = ['google', 'mimecast', 'improvmx', 'sendgrid'].map(
    (id) => findServiceById(id)?.kind,
  )
  expect(kinds).toEqual(['mailbox', 'gateway', 'forwarder', 'sender'])
})

test('lists every service once', () => {
  const ids = ALL_SERVICES.map(({ id }) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  expect(ids).toEqual(expect.arrayContaining(['google', 'godaddy-m365', 'addy', 'stripe', 'wix']))
})

test.each([
  ['u1234567.wl123.sendgrid.net', 'sendgrid'],
  ['pm.mtasv.net', 'postmark'],
  ['send.forge.rmta.net', 'resend'],
  ['rp.acme.intercom-mail.eu', 'intercom'],
  ['mailgun.org', 'mailgun'],
  ['_dmarc.wixemails.com', 'wix'],
  ['dmarcroot.purelymail.com', 'purelymail'],
  ['autodiscover.outlook.com', 'microsoft365'],
  ['zendesk1._domainkey.zendesk.com', 'zendesk'],
  ['Custom-Email-Domain.stripe.com.', 'stripe'],
])('CNAME to %s belongs to %s', (target, id) => {
  expect(findServiceByCname(target)?.id).toBe(id)
})

test.each(['acme.zendesk.com', 'pm.mtasv.net.evil.test', 'stripe.com', 'outlook.com', ''])(
  'CNAME to %j is unknown',
  (target) => {
    expect(findServiceByCname(target)).toBeNull()
  },
)

test('a website shows a service that a CNAME for mail does not', () => {
  expect(findServiceByWebTarget('Shops.myshopify.com.')?.id).toBe('shopify')
  expect(findServiceByCname('shops.myshopify.com')).toBeNull()
  expect(findServiceByWebTarget('code.p1.email.myshopify.com')).toBeNull()
})

test.each([
  ['mx.sendgrid.net', 'sendgrid'],
  ['mxa.eu.mailgun.org.', 'mailgun'],
  ['feedback-smtp.eu-west-1.amazonses.com', 'ses'],
  ['bounces.s7.exacttarget.com', 'sfmc'],
])('mail server %s below a domain belongs to %s', (host, id) => {
  expect(findServiceByMxHost(host)?.id).toBe(id)
})

test.each(['smtp.google.com', 'mx1.improvmx.com', 'inbound-smtp.eu-west-1.amazonaws.com'])(
  'mail server %s of a mailbox provider shows no sender',
  (host) => {
    expect(findServiceByMxHost(host)).toBeNull()
  },
)

test.each([
  ['brevo-code:0a1b2c', ['brevo']],
  ['MGVERIFY=0a1b2c', ['mailgun']],
  ['ms=ms12345678', ['microsoft365']],
  ['ms-domain-verification=0b5c1f6e', ['azure-communication']],
  ['NETORGFT1234567.onmicrosoft.com', ['godaddy-m365']],
  ['atlassian-sending-domain-verification=0a1b', ['atlassian']],
  ['atlassian-domain-verification=0a1b', []],
  ['google-site-verification=0a1b', []],
  ['see brevo-code:0a1b2c', []],
  ['', []],
])('text %j shows %j', (text, ids) => {
  expect(findServicesByText(text).map(({ id }) => id)).toEqual(ids)
})

test.each([
  ['google', 'google'],
  ['FM1', 'fastmail'],
  ['mandrill', 'mandrill'],
  ['resend', 'resend'],
  ['cf2024-1', 'cloudflare'],
  ['cf-bounce', 'cloudflare-sending'],
  ['privateemail', 'namecheap'],
  ['ms1', 'mailersend'],
  ['zendesk1', 'zendesk'],
  ['20240612093011pm', 'postmark'],
])('selector %s belongs to %s', (selector, id) => {
  expect(findServiceBySelector(selector)?.id).toBe(id)
})

test.each([
  ['s1', 'a name that software uses'],
  ['k2', 'a name that software uses'],
  ['mail', 'a name that software uses'],
  ['x', 'a name that software uses'],
  ['krs', 'Mailgun and Customer.io'],
  ['dkim02', 'SimpleLogin and Proton Pass'],
  ['selector1', 'Microsoft 365 and Runbox'],
  ['200608', 'Marketing Cloud and Account Engagement'],
  ['2024pm', 'a number that Postmark doesn’t use'],
  ['unheard-of', 'no service'],
  ['', 'no service'],
])('selector %j shows no service: %s', (selector) => {
  expect(findServiceBySelector(selector)).toBeNull()
})

test.each([
  [['microsoft365'], ['google'], ['microsoft365']],
  [['microsoft365'], ['azure-communication'], []],
  [
    ['microsoft365', 'azure-communication'],
    ['azure-communication'],
    ['microsoft365', 'azure-communication'],
  ],
  [['mailchannels', 'sendgrid'], ['dreamhost'], ['sendgrid']],
])('without %j, while %j send, nobody needs the includes of %j', (unused, inUse, owners) => {
  expect([...findOwnersWithoutUse(unused, inUse)]).toEqual(owners)
})

test('an include is useless only if the service neither uses nor checks it', () => {
  const isUseless = (id: string) => {
    const service = findServiceById(id)
    return service && hasUselessInclude(service)
  }
  expect(['sendgrid', 'workmail'].map(isUseless)).toEqual([true, true])
  expect(['mailgun', 'mailerlite', 'forwardemail', 'google'].map(isUseless)).toEqual(
    new Array(4).fill(false),
  )
})

test.each([
  ['mailchimp', 'Mailchimp: Account & billing > Domains > Start Authentication (as of 2026-11)'],
  ['mandrill', 'Mailchimp Transactional > Settings > Domains > View details (as of 2026-11)'],
])('names %s once before its menu path', (id, expected) => {
  const service = findServiceById(id)
  expect(service && describeScreen(service)).toBe(expected)
})
