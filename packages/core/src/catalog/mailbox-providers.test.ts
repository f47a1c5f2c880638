import { expect, test } from 'vitest'
import { findProviderByMx, findProviderTerms } from './mail-services.js'

test.each([
  ['smtp.google.com', 'google'],
  ['aspmx.l.google.com', 'google'],
  ['alt1.aspmx.l.google.com', 'google'],
  ['aspmx2.googlemail.com', 'google'],
  ['acme-com.mail.protection.outlook.com', 'microsoft365'],
  ['acme-com.p-v1.mx.microsoft', 'microsoft365'],
  ['in1-smtp.messagingengine.com', 'fastmail'],
  ['inbound-smtp.eu-west-1.amazonaws.com', 'workmail'],
  ['d12345.ess.barracudanetworks.com', 'barracuda'],
  ['d12345.a.ess.uk.barracudanetworks.com', 'barracuda'],
  ['eu-smtp-inbound-1.mimecast.com', 'mimecast'],
  ['route1.mx.cloudflare.net', 'cloudflare'],
  ['eforward3.registrar-servers.com', 'namecheap-fwd'],
])('%s belongs to %s', (host, id) => {
  expect(findProviderByMx(host)?.id).toBe(id)
})

test.each([
  'mx.example.google.com.evil.test',
  'notgoogle.com',
  'evilsmtp.google.com.test',
  'xmessagingengine.com',
  'inbound-smtp.amazonaws.com',
  'google.com',
  'com',
  '.',
])('%s is unknown', (host) => {
  expect(findProviderByMx(host)).toBeNull()
})

test('distinguishes gateways, mailboxes and forwarders', () => {
  expect(findProviderByMx('mx0a-00112233.pphosted.com')).toMatchObject({
    name: 'Proofpoint Enterprise',
    kind: 'gateway',
  })
  expect(findProviderByMx('mx1.improvmx.com')?.kind).toBe('forwarder')
  expect(findProviderByMx('mail.protonmail.ch')?.kind).toBe('mailbox')
})

const termsOf = (host: string) => {
  const provider = findProviderByMx(host)
  return provider && findProviderTerms(provider, [host])
}

test.each([
  ['smtp.google.com', ['include:_spf.google.com']],
  ['mx.zoho.eu', ['include:zohomail.eu']],
  ['mx.zoho.com', ['include:zohomail.com']],
  ['usb-smtp-inbound-1.mimecast.com', ['include:usb._netblocks.mimecast.com']],
  ['mx2-usg1.ppe-hosted.com', ['include:_spf-usg1.ppe-hosted.com']],
  ['acme.in.tmes.trendmicro.eu', ['include:spf.tmes.trendmicro.eu']],
  ['acme.in.tmes-anz.trendmicro.com', []],
  ['mx1.dreamhost.com', ['include:netblocks.dreamhost.com', 'include:relay.mailchannels.net']],
  ['mx0a-00112233.pphosted.com', []],
])('mail server %s requires %j', (host, terms) => {
  expect(termsOf(host)).toEqual(terms)
})
