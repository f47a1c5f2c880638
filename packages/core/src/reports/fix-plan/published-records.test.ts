import { expect, test } from 'vitest'
import { txtZoneLine } from '../../../test/support/dkim-fixture.js'
import { planFromZone } from '../../../test/support/plan-fixture.js'

/** What the steps at the DNS host say before their records. */
async function notesFor(zone: string, domain = 'acme.test') {
  const { steps } = await planFromZone(zone, { domain })
  return steps
    .filter(({ records }) => records.length > 0)
    .flatMap(({ actions, records }) => actions.slice(0, -records.length))
    .filter((note) => !note.startsWith('Fill in '))
    .join(' ')
}

const REPLACED_SPF = 'acme.test. TXT "v=spf1 a:mail.acme.test ?all"\nmail.acme.test. A 192.0.2.1'

test.each([
  [
    'GoDaddy, default DMARC record',
    `acme.test. NS ns01.domaincontrol.com.
     ${txtZoneLine('_dmarc.acme.test', 'v=DMARC1; p=quarantine; adkim=r; aspf=r; rua=mailto:dmarc_rua@onsecureserver.net')}`,
    'GoDaddy created the DMARC record. Edit it instead of adding a second one, and put your own address in rua. You don’t get to see the reports that go to GoDaddy.',
  ],
  [
    'Porkbun, wildcard',
    `acme.test. NS curitiba.ns.porkbun.com.
     *.acme.test. CNAME pixie.porkbun.com.
     pixie.porkbun.com. A 192.0.2.9`,
    'The default wildcard sends every name below your domain to a parking page. If you don’t need that page, delete the ALIAS and the wildcard CNAME to pixie.porkbun.com.',
  ],
  [
    'Squarespace, empty key',
    `acme.test. NS ns01.squarespacedns.com.
     *._domainkey.acme.test. TXT "v=DKIM1; p="`,
    'Once your mail service’s DKIM records are published, delete the TXT record at *._domainkey.',
  ],
  [
    'Wix, selectors',
    `acme.test. NS ns1.wixdns.net.
     s1._domainkey.acme.test. CNAME s1.domainkey.u1.wl.ascendbywix.com.`,
    'If you set up SendGrid, choose a different selector there, because Wix already uses s1 and s2.',
  ],
  [
    'Namecheap, web hosting',
    'acme.test. NS dns1.namecheaphosting.com.',
    'Your DNS records are on Namecheap’s web hosting, so edit them in cPanel > Zone Editor instead.',
  ],
])('%s', async (_, zone, pitfall) => {
  expect(await notesFor(`${zone}\n${REPLACED_SPF}`)).toBe(pitfall)
})

test('a domain that is an alias shows its CNAME, not the records of the target', async () => {
  const zone = `
    acme.test. NS ns-1-a.gandi.net.
    www.acme.test. CNAME acme.pages.example.
    acme.pages.example. TXT "v=spf1 include:_mailcust.gandi.net ?all"`
  expect(await notesFor(zone, 'www.acme.test')).toBe('')
})

test('a plain zone shows nothing', async () => {
  expect(await notesFor(`acme.test. NS ns01.domaincontrol.com.\n${REPLACED_SPF}`)).toBe('')
})

test('a record of a subdomain is not that of the zone', async () => {
  const zone = `
    acme.test. NS ns1.porkbun.com.
    news.acme.test. MX 10 fwd1.porkbun.com.
    fwd1.porkbun.com. A 192.0.2.9`
  expect(await notesFor(zone, 'news.acme.test')).toBe('')
})
