import { describe, expect, test } from 'vitest'
import { DNS_HOSTS, findPitfalls, type PublishedRecord } from './dns-hosts.js'

const pitfallsAt = (hostId: string, ...published: PublishedRecord[]) => {
  const host = DNS_HOSTS.find(({ id }) => id === hostId)
  if (!host) throw new Error(`unknown host ${hostId}`)
  return findPitfalls(host.panel, published).map(({ text }) => text)
}

const txt = (label: string, value: string): PublishedRecord => ({ label, type: 'TXT', value })
const mx = (value: string): PublishedRecord => ({ label: '', type: 'MX', value })
const ns = (value: string): PublishedRecord => ({ label: '', type: 'NS', value })
const cname = (label: string, value: string): PublishedRecord => ({ label, type: 'CNAME', value })

const NO_MAIL_DMARC = 'v=DMARC1; p=reject; sp=reject; adkim=s; aspf=s'
const EMPTY_KEY = txt('*._domainkey', 'v=DKIM1; p=')

describe('a published record shows the pitfall', () => {
  test.each([
    [
      'godaddy',
      txt(
        '_dmarc',
        'v=DMARC1; p=quarantine; adkim=r; aspf=r; rua=mailto:dmarc_rua@onsecureserver.net;',
      ),
      'GoDaddy created the DMARC record. Edit it instead of adding a second one, and put your own address in rua. You don’t get to see the reports that go to GoDaddy.',
    ],
    [
      'godaddy',
      txt('', 'v=spf1 include:dc-aa8e722993._spfm.acme.test ~all'),
      'Domain Connect keeps SPF terms in a separate TXT record, with _spfm in its name. Edit them there, or move them into the SPF record.',
    ],
    [
      'godaddy',
      txt('', 'v=spf1 include:secureserver.net -all'),
      'If you have Microsoft 365 from GoDaddy, keep include:secureserver.net, because your mail goes out through those servers.',
    ],
    [
      'ionos',
      cname('_dmarc', 'dmarc.ionos.co.uk'),
      'IONOS created the CNAME at _dmarc. Delete it first, because a name with a CNAME can’t have other records.',
    ],
    [
      'wix',
      cname('_dmarc', '_dmarc.wixemails.com'),
      'Wix created the CNAME at _dmarc. Delete it in the CNAME section first, because a name with a CNAME can’t have other records.',
    ],
    [
      'wix',
      cname('s2._domainkey', 's2.domainkey.u123.wl.ascendbywix.com'),
      'If you set up SendGrid, choose a different selector there, because Wix already uses s1 and s2.',
    ],
    [
      'gandi',
      txt('', 'v=spf1 include:_mailcust.gandi.net ?all'),
      'The SPF record is Gandi’s default, which doesn’t protect you from forged mail. End it in ~all or -all.',
    ],
    [
      'porkbun',
      cname('*', 'pixie.porkbun.com'),
      'The default wildcard sends every name below your domain to a parking page. If you don’t need that page, delete the ALIAS and the wildcard CNAME to pixie.porkbun.com.',
    ],
    [
      'porkbun',
      mx('10 fwd1.porkbun.com'),
      'The MX and SPF records come from email forwarding. Turn it off before you move your mail elsewhere.',
    ],
    [
      'squarespace',
      txt('_dmarc', NO_MAIL_DMARC),
      'The records here are Squarespace’s defaults for domains without mail. Before you start sending, edit them instead of adding new ones.',
    ],
    [
      'squarespace',
      EMPTY_KEY,
      'Once your mail service’s DKIM records are published, delete the TXT record at *._domainkey.',
    ],
    [
      'cloudflare',
      mx('84 route2.mx.cloudflare.net'),
      'While Email Routing is on, it controls the MX records and adds its own SPF record, so change the mail service there first.',
    ],
    [
      'cloudflare',
      txt('_dmarc', 'v=DMARC1; p=none; rua=mailto:0123@dmarc-reports.cloudflare.net'),
      'Keep the address at dmarc-reports.cloudflare.net in the DMARC record, because that’s where Cloudflare’s DMARC Management gets its reports.',
    ],
    [
      'namecheap',
      mx('10 mx1.privateemail.com'),
      'Mail Settings writes its own MX and SPF records. After you save, make sure that there’s no second SPF record.',
    ],
    [
      'namecheap',
      ns('dns1.namecheaphosting.com'),
      'Your DNS records are on Namecheap’s web hosting, so edit them in cPanel > Zone Editor instead.',
    ],
    [
      'bluehost',
      txt('', 'v=spf1 a mx include:websitewelcome.com include:bluehost.com ~all'),
      'Bluehost created an SPF record. Edit it instead of adding a second one.',
    ],
    [
      'dnsmadeeasy',
      ns('ns11.constellix.com'),
      'Constellix has its own screens, so sign in to the Constellix portal instead.',
    ],
    [
      'dnspod',
      cname('', 'acme.pages.example'),
      'Delete the CNAME at the domain itself, because it hides the MX and TXT records.',
    ],
    [
      'yandexdns',
      txt('', 'v=spf1 redirect=_spf.yandex.net'),
      'If you add an all term to the SPF record, remove redirect= from it, because receivers ignore redirect= when there’s an all.',
    ],
    [
      'regru',
      ns('ns5.hosting.reg.ru'),
      'Your DNS records are on REG.RU’s web hosting, so edit them in the hosting plan’s panel instead.',
    ],
  ])('%s: %j', (hostId, record, text) => {
    expect(pitfallsAt(hostId, record)).toEqual([text])
  })
})

test('two records of one pitfall show it once', () => {
  expect(pitfallsAt('cloudflare', EMPTY_KEY, txt('_dmarc', `${NO_MAIL_DMARC};`))).toEqual([
    'According to the records here, the domain sends no mail. Before you start sending, delete *._domainkey and relax the DMARC policy at _dmarc.',
  ])
})

test.each([
  ['godaddy', txt('_dmarc', 'v=DMARC1; p=none; rua=mailto:d@notonsecureserver.net')],
  ['godaddy', txt('', 'v=spf1 include:secureserver.net.example -all')],
  ['gandi', txt('', 'v=spf1 include:_mailcust.gandi.net ~all')],
  ['ionos', txt('_dmarc', 'dmarc.ionos.de')],
  ['ionos', cname('_dmarc.news', 'dmarc.ionos.de')],
  ['porkbun', cname('www', 'pixie.porkbun.com')],
  ['squarespace', txt('google._domainkey', 'v=DKIM1; p=')],
  ['squarespace', txt('_dmarc', 'v=DMARC1; p=reject; adkim=s; aspf=s')],
])('%s: %j shows nothing', (hostId, record) => {
  expect(pitfallsAt(hostId, record)).toEqual([])
})

test.each(DNS_HOSTS.map(({ id }) => id))('%s: a plain zone shows nothing', (hostId) => {
  const plain = [
    ns('ns1.host.example'),
    mx('10 mx.mail.example'),
    txt('', 'v=spf1 include:_spf.mail.example -all'),
    txt('_dmarc', 'v=DMARC1; p=reject; rua=mailto:d@acme.test'),
    txt('s1._domainkey', 'v=DKIM1; k=rsa; p=MIIB'),
    cname('s2._domainkey', 's2.mail.example'),
    cname('*', 'www.acme.test'),
  ]
  expect(pitfallsAt(hostId, ...plain)).toEqual([])
})
