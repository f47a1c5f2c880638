import { expect, test } from 'vitest'
import { findServiceByDkimTarget, findServiceById, findServiceBySpfHost } from './mail-services.js'

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
  ['acme.com._nspf.vali.email', 'valimail'],
  ['%{i}._ip.%{h}._ehlo.%{d}._spf.vali.email', 'valimail'],
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

test('returns only the fields that checks and plans need', () => {
  expect(findServiceBySpfHost('_spf.google.com')).toEqual({
    id: 'google',
    name: 'Google Workspace',
    returnPathAtRoot: 'always',
    selectors: ['google'],
    setup: expect.objectContaining({ mx: ['1 smtp.google.com'] }),
    isForwarder: false,
  })
  expect(findServiceByDkimTarget('s1.domainkey.u1.wl2.sendgrid.net')).toEqual({
    id: 'sendgrid',
    name: 'Twilio SendGrid',
    returnPathAtRoot: 'never',
    selectors: ['s1', 's2', 'smtpapi'],
    setup: expect.objectContaining({ mx: [] }),
    isForwarder: false,
  })
})

test('finds a service by id in both tables', () => {
  expect(findServiceById('google')).toBe(findServiceBySpfHost('_spf.google.com'))
  expect(findServiceById('sendgrid')).toBe(findServiceBySpfHost('sendgrid.net'))
  expect(findServiceById('nobody')).toBeNull()
  expect(findServiceById('constructor')).toBeNull()
})
