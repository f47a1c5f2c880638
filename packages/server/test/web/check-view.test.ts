/** What the page says of a domain must be true of its report, also of unusual ones. */

import { SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const env = { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1000' }

/** The words of one part of the page about acme.test. */
async function read(zone: string, part: string, failing = {}): Promise<string> {
  const app = createTestApp(zoneDns(`acme.test. NS ns.acme.test.\n${zone}`, failing), { env })
  const response = await app.get('/?domain=acme.test', { accept: 'text/html' })
  const html = await response.text()
  const [, section = ''] = html.split(part)
  return textOf(section.split('</section>')[0] ?? '')
}

function textOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/\s+/g, ' ')
}

const TILES = 'class="tiles">'
const SPF = 'id="spf"'
const DMARC = 'id="dmarc"'
const DKIM = 'id="dkim"'
const MX = 'id="mx"'

test.each([
  ['no SPF record', '', SPF, 'There is no record.'],
  [
    'several SPF records',
    'acme.test. TXT "v=spf1 mx -all"\nacme.test. TXT "v=spf1 a -all"',
    SPF,
    'What one record would cost that says the same:',
  ],
  [
    'a part of SPF that depends on the sender',
    'acme.test. TXT "v=spf1 include:%{i}.acme.test -all"',
    SPF,
    'At least 1 of 10 DNS lookups',
  ],
  [
    'the same on its tile',
    'acme.test. TXT "v=spf1 include:%{i}.acme.test -all"',
    TILES,
    'at least 1 of 10 lookups',
  ],
  ['no DMARC record', '', DMARC, 'No policy applies.'],
  [
    'several DMARC records',
    '_dmarc.acme.test. TXT "v=DMARC1; p=none"\n_dmarc.acme.test. TXT "v=DMARC1; p=reject"',
    DMARC,
    'v=DMARC1; p=none v=DMARC1; p=reject No policy applies: receivers cannot use this.',
  ],
  ['no key, by the word of the DNS', '', DKIM, 'There is no key.'],
  [
    'no key, which proves nothing',
    'mystery._domainkey.acme.test. TXT "v=DKIM1; p=AAAA"',
    DKIM,
    'That proves nothing',
  ],
  [
    'a revoked key',
    'default._domainkey.acme.test. TXT "v=DKIM1; p="',
    DKIM,
    'revoked default._domainkey.acme.test',
  ],
  [
    'the same on its tile',
    'default._domainkey.acme.test. TXT "v=DKIM1; p="',
    TILES,
    'No key that receivers can use',
  ],
  [
    'a key that cannot be read',
    'default._domainkey.acme.test. TXT "v=DKIM1; p=AAAA"',
    DKIM,
    'unreadable default._domainkey.acme.test',
  ],
  ['no mail server', '', MX, 'There is no mail server.'],
  ['a null MX', 'acme.test. MX 0 .', MX, 'the domain declares that it accepts no mail.'],
  [
    'an implicit MX',
    'acme.test. A 192.0.2.1',
    MX,
    'mail goes to the address of the domain itself.',
  ],
  [
    'a gateway',
    'acme.test. MX 10 mxa-1.gslb.pphosted.com.\nmxa-1.gslb.pphosted.com. A 192.0.2.1',
    MX,
    'Filtered by: Proofpoint',
  ],
])('%s', async (_, zone, part, words) => {
  expect(await read(zone, part)).toContain(words)
})

test('a key that is too short is well-formed, and that is all that is said for it', async () => {
  const text = await read(`default._domainkey.acme.test. TXT "p=${SPKI[512]}"`, DKIM)
  expect(text).toContain('512 bit')
  expect(text).toContain('well-formed')
  expect(text).not.toContain('can use')
})

test('test mode is not spoken of where there is nothing to take back', async () => {
  const testing = (policy: string) => `_dmarc.acme.test. TXT "v=DMARC1; p=${policy}; t=y"`
  expect(await read(testing('none'), DMARC)).not.toContain('Test mode')
  expect(await read(testing('reject'), DMARC)).toContain(
    'Test mode t=y: receivers do one step less',
  )
})
