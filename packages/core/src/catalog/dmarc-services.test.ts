import { expect, test } from 'vitest'
import { findDmarcHost, findSpfHost } from './dmarc-services.js'
import { DMARC_SERVICES } from './generated/dmarc-services.js'
import { ALL_SERVICES } from './mail-services.js'

test.each([
  ['_dmarc.acme_com._d.easydmarc.pro', 'easydmarc'],
  ['_dmarc.acme_com._d.dmarcprotect.me', 'easydmarc'],
  ['acme.com.dmarc.sdmarc.net', 'sendmarc'],
  ['_dmarc.05x2kgkdk1ym8wzy-acme-com.hosteddmarc.dmarc-dns.com', 'powerdmarc'],
  ['_dmarc.acme.com.dmarc.has.pphosted.com', 'proofpoint-efd'],
  ['Acme.com.hosted.dmarc-report.com.', 'mxtoolbox'],
  ['acme.com._dmarc.vali.email', 'valimail'],
])('a CNAME at _dmarc to %s is hosted by %s', (target, id) => {
  expect(findDmarcHost([target], [])?.service.id).toBe(id)
})

test('the last of several CNAMEs may be the one of the host', () => {
  const targets = ['_dmarc.parent.test', '_dmarc.parent_test._d.easydmarc.pro']
  expect(findDmarcHost(targets, [])?.service.name).toBe('EasyDMARC')
})

test('name servers of _dmarc show its host, with the screen to change the policy', () => {
  expect(findDmarcHost([], ['NS.vali.email.'])).toMatchObject({
    service: { id: 'valimail' },
    screen: { path: 'Domains > your domain' },
  })
})

test.each([
  [['_dmarc.acme.com'], ['ns1.example.net']],
  [['vali.email.evil.test'], []],
  [['mx0a-00112233.pphosted.com'], []],
  [['_dmarc.wixemails.com'], []],
  [[], []],
])('CNAMEs %j and name servers %j show no host', (targets, nameServers) => {
  expect(findDmarcHost(targets, nameServers)).toBeNull()
})

test.each([
  ['_spf.acme_com._d.easydmarc.pro', 'easydmarc'],
  ['_s7wa9pc2t.sdmarc.net', 'sendmarc'],
  ['p24u9b3746.powerspf.com', 'powerdmarc'],
  ['%{ir}.%{v}.%{d}.spf.has.pphosted.com', 'proofpoint-efd'],
  ['%{i}._ip.%{h}._ehlo.%{d}._spf.vali.email', 'valimail'],
  ['_u.acme.com._spf.smart.ondmarc.com', 'ondmarc'],
  ['%{i}._i.%{d}._d.espf.agari.com', 'agari'],
  ['_s00430413.autospf.email', 'autospf'],
])('the SPF record at %s is hosted by %s', (host, id) => {
  expect(findSpfHost(host)?.service.id).toBe(id)
})

test.each(['spf-00112233.pphosted.com', '_spf.google.com', '_spf.acme.com', ''])(
  'the SPF record at %j is hosted by no such service',
  (host) => {
    expect(findSpfHost(host)).toBeNull()
  },
)

test('a screen that nobody knows is null', () => {
  expect(findSpfHost('_s00430413.autospf.email')?.screen).toBeNull()
})

test('no service both sends and only hosts records', () => {
  const ids = ALL_SERVICES.map(({ id }) => id)
  expect(DMARC_SERVICES.filter(({ id }) => ids.includes(id))).toEqual([])
})
