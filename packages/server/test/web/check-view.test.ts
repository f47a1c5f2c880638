/** The result page for unusual domains. */

import { checkDomain, describeCheck, parseDomain } from '@mailgrade/core'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import {
  DOCUMENT_ZONES,
  documentSentences,
  withoutSpace,
} from '@mailgrade/testing/document-sentences'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { createTestApp, LIVE_ENV } from '../support/test-app.js'

const env = { ...LIVE_ENV, RATE_LIMIT_PER_MINUTE: '1000' }

/** The zone of the current test: creating an application costs more than a page. */
let dns = zoneDns('')
const app = createTestApp({ query: (name, type) => dns.query(name, type) }, { env })

/** The text of one part of the result page for acme.test. */
async function readPart(zone: string, part: string, failing = {}, more = ''): Promise<string> {
  dns = zoneDns(`acme.test. NS ns.acme.test.\n${zone}`, failing)
  const response = await app.get(`/?domain=acme.test${more}`, { accept: 'text/html' })
  const html = await response.text()
  const [, section = ''] = html.split(part)
  return toText(section.split('</section>')[0] ?? '')
}

function toText(html: string): string {
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
const TRANSPORT = 'id="transport"'

const FORWARDER_KEY = `cf2024-1._domainkey.acme.test. TXT "v=DKIM1; p=${SPKI[1024]}"`

test.each([
  ['no SPF record', '', SPF, 'There’s no SPF record.'],
  [
    'several SPF records',
    'acme.test. TXT "v=spf1 mx -all"\nacme.test. TXT "v=spf1 a -all"',
    SPF,
    'If they were merged into one record:',
  ],
  [
    'an SPF term that depends on the sender',
    'acme.test. TXT "v=spf1 include:%{i}.acme.test -all"',
    SPF,
    'At least 1 of 10 DNS lookups',
  ],
  [
    'an SPF term that depends on the sender, on its tile',
    'acme.test. TXT "v=spf1 include:%{i}.acme.test -all"',
    TILES,
    'at least 1 of 10 lookups',
  ],
  ['no DMARC record', '', DMARC, 'No policy applies.'],
  [
    'several DMARC records',
    '_dmarc.acme.test. TXT "v=DMARC1; p=none"\n_dmarc.acme.test. TXT "v=DMARC1; p=reject"',
    DMARC,
    'v=DMARC1; p=none v=DMARC1; p=reject No policy applies, because receivers can’t use what’s published.',
  ],
  ['no key, proven by DNS', '', DKIM, 'There’s no key.'],
  [
    'no key at the usual selectors',
    'mystery._domainkey.acme.test. TXT "v=DKIM1; p=AAAA"',
    DKIM,
    'There’s no key at the usual selectors. Yours may have a different name.',
  ],
  [
    'a revoked key',
    'default._domainkey.acme.test. TXT "v=DKIM1; p="',
    DKIM,
    'revoked default._domainkey.acme.test',
  ],
  [
    'a revoked key, on its tile',
    'default._domainkey.acme.test. TXT "v=DKIM1; p="',
    TILES,
    'No key that receivers accept',
  ],
  [
    'a key that receivers refuse, on its tile',
    `default._domainkey.acme.test. TXT "p=${SPKI[512]}"`,
    TILES,
    'No key that receivers accept',
  ],
  ['a forwarder’s key', FORWARDER_KEY, DKIM, 'There’s no key at the usual selectors.'],
  ['a forwarder’s key and its owner', FORWARDER_KEY, DKIM, 'signs only forwarded mail'],
  ['a forwarder’s key, on its tile', FORWARDER_KEY, TILES, 'No key at the usual selectors'],
  [
    'an unreadable key',
    'default._domainkey.acme.test. TXT "v=DKIM1; p=AAAA"',
    DKIM,
    'unreadable default._domainkey.acme.test',
  ],
  ['no mail server', '', MX, 'There’s no mail server.'],
  ['a null MX', 'acme.test. MX 0 .', MX, 'the domain declares that it doesn’t accept mail.'],
  ['an implicit MX', 'acme.test. A 192.0.2.1', MX, 'mail goes to the domain’s own address.'],
  [
    'a gateway',
    'acme.test. MX 10 mxa-1.gslb.pphosted.com.\nmxa-1.gslb.pphosted.com. A 192.0.2.1',
    MX,
    'Filtered by: Proofpoint',
  ],
])('%s', async (_, zone, part, text) => {
  expect(await readPart(zone, part)).toContain(text)
})

test('calls a key that is too short well-formed, but not usable', async () => {
  const text = await readPart(`default._domainkey.acme.test. TXT "p=${SPKI[512]}"`, DKIM)
  expect(text).toContain('512 bits')
  expect(text).toContain('well-formed')
  expect(text).not.toContain('can use')
})

test('shows what could not be looked up as unknown', async () => {
  const unknown = 'unknown: we couldn’t reach DNS'
  const transport = await readPart('acme.test. MX 0 .', TRANSPORT, {
    'TXT _mta-sts.acme.test': 'timeout',
    'TXT default._bimi.acme.test': 'timeout',
  })
  expect(transport).toContain(`MTA-STS (encrypted delivery) ${unknown}`)
  expect(transport).toContain('TLS-RPT (delivery reports) not published at _smtp._tls.acme.test')
  expect(transport).toContain(`BIMI (brand logo) ${unknown}`)
  const mx = await readPart('acme.test. MX 10 mx.test.', MX, { 'A mx.test': 'timeout' })
  expect(mx).toContain('10 mx.test unknown')
})

test('mentions test mode only if the policy is stricter than none', async () => {
  const testing = (policy: string) => `_dmarc.acme.test. TXT "v=DMARC1; p=${policy}; t=y"`
  expect(await readPart(testing('none'), DMARC)).not.toContain('Test mode')
  expect(await readPart(testing('reject'), DMARC)).toContain(
    'Test mode t=y: receivers apply the next weaker policy',
  )
})

test('the DKIM tile is unknown, not a pass, where no key was found', async () => {
  const text = await readPart('mystery._domainkey.acme.test. TXT "v=DKIM1; p=AAAA"', TILES)
  expect(text).toContain('Signed mail (DKIM) ? Unknown No key at the usual selectors Your selector')
})

test('says that a domain without mail needs no key', async () => {
  expect(await readPart('acme.test. TXT "v=spf1 -all"', TILES)).toContain(
    'Not needed: no mail is sent',
  )
})

const FIXES = 'aria-labelledby="fixes">'

test('asks first whether a domain without mail records has mail at all', async () => {
  const text = await readPart('acme.test. A 192.0.2.1', FIXES)
  expect(text).toContain('Does acme.test send or receive mail? No: publish these three records')
  const records = [
    'Type TXT Name @ Copy the name full name: acme.test Value v=spf1 -all Copy the value',
    'Type TXT Name _dmarc Copy the name full name: _dmarc.acme.test Value v=DMARC1; p=reject Copy the value',
    'Type MX Name @ Copy the name full name: acme.test Value 0 . Copy the value',
  ]
  expect(text).toContain(`${records.join(' ')} Where to enter these Yes: fix these 4 instead`)
})

test('does not ask a domain that sends', async () => {
  expect(await readPart(SENDING, FIXES)).toMatch(/^ Fix this first /)
})

const SENDING = 'acme.test. TXT "v=spf1 ip4:192.0.2.1 -all"\n'
const PATH = 'class="path">'
const LADDER = 'class="ladder">'
const dmarc = (tags: string) => `_dmarc.acme.test. TXT "v=DMARC1; ${tags}"`

test.each([
  [
    'no records',
    '',
    'no list of allowed servers',
    'no policy: each receiver decides for itself',
    'Delivered',
  ],
  [
    '-all and none',
    SENDING + dmarc('p=none'),
    'fails: this',
    'policy “none”: do nothing',
    'Delivered',
  ],
  [
    '~all and quarantine',
    `acme.test. TXT "v=spf1 mx ~all"\n${dmarc('p=quarantine')}`,
    'soft fail: looks suspicious but isn’t blocked',
    'policy “quarantine”: move it to spam',
    'Spam folder',
  ],
  [
    '?all and reject',
    `acme.test. TXT "v=spf1 mx ?all"\n${dmarc('p=reject')}`,
    'doesn’t rule out this server',
    'policy “reject”: refuse it',
    'Refused',
  ],
  [
    'two records, and reject in test mode',
    `${SENDING}acme.test. TXT "v=spf1 -all"\n${dmarc('p=reject; t=y')}`,
    'broken: receivers can’t use your list',
    'policy “reject” in test mode: move it to spam',
    'Spam folder',
  ],
  [
    'quarantine in test mode',
    SENDING + dmarc('p=quarantine; t=y'),
    'fails: this',
    'policy “quarantine” in test mode: do nothing',
    'Delivered',
  ],
  [
    '+all and reject',
    `acme.test. TXT "v=spf1 +all"\n${dmarc('p=reject')}`,
    'lets every server pass',
    'passes, because SPF passed',
    'Delivered',
  ],
])('the path of a forged message: %s', async (_, zone, spf, policy, end) => {
  const text = await readPart(zone, PATH)
  const [, atSpf = '', atDkim = '', last = ''] = /SPF (.*) DKIM (.*) DMARC (.*)/.exec(text) ?? []
  expect(text).toContain('A scammer sends mail as boss@acme.test')
  expect(atSpf).toContain(spf)
  expect(atDkim).toBe('no valid signature from your domain')
  expect(last).toContain(policy)
  expect(last).toContain(end)
})

test('a key short enough to crack is shown on the path', async () => {
  const zone = `${SENDING}default._domainkey.acme.test. TXT "p=${SPKI[512]}"`
  expect(await readPart(zone, PATH)).toContain(
    'DKIM someone may crack your short key and sign as you',
  )
})

test.each([
  ['no policy', '', '1. No policy You are here Each receiver decides for itself'],
  ['none', dmarc('p=none'), '2. Monitor (none) You are here You get reports'],
  ['quarantine', dmarc('p=quarantine'), '3. Quarantine You are here Forged mail goes to spam'],
  ['a test', dmarc('p=quarantine; t=y'), '3. Quarantine You are here, in test mode'],
  ['reject', dmarc('p=reject'), '4. Reject You are here Forged mail is refused Goal reached'],
])('the ladder: %s', async (_, zone, text) => {
  const ladder = await readPart(zone, LADDER)
  expect(ladder).toContain(text)
  expect(ladder.match(/You are here/g)).toHaveLength(1)
})

test.each([
  ['none', dmarc('p=none'), '✕ Problem Policy none'],
  ['quarantine', dmarc('p=quarantine; rua=mailto:d@acme.test'), '! Needs work Policy quarantine'],
  [
    'open subdomains',
    dmarc('p=reject; sp=none; rua=mailto:d@acme.test'),
    '! Needs work Policy reject',
  ],
  ['reject without a key', dmarc('p=reject; rua=mailto:d@acme.test'), '! Needs work Policy reject'],
  [
    'reject',
    `${dmarc('p=reject; rua=mailto:d@acme.test')}\ndefault._domainkey.acme.test. TXT "p=${SPKI[1024]}"`,
    '✓ Good Policy reject',
  ],
])('the tile says whether forged mail is blocked: %s', async (_, zone, text) => {
  const mx = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1\n'
  expect(await readPart(SENDING + mx + zone, TILES)).toContain(
    `Blocking forged mail (DMARC) ${text}`,
  )
})

const SENDERS = `
  acme.test. TXT "v=spf1 include:s.test ip4:198.51.100.7 -all"
  s.test.    TXT "v=spf1 include:t.test -all"
  t.test.    TXT "v=spf1 ip4:192.0.2.0/24 -all"
`

test('answers whether mail from a server passes, and marks the branch that matched', async () => {
  const text = await readPart(SENDERS, SPF, {}, '&ip=192.0.2.9')
  expect(text).toContain('include:t.test 1 lookup ◀ matches ip4:192.0.2.0/24')
  expect(text).toContain(
    'Sender postmaster@acme.test Cost 2 of 10 DNS lookups, 0 of 2 empty (void) lookups',
  )
  expect(text).toContain('Pass This server is allowed to send for the domain.')
  expect(text).toContain(
    'Decided by include:s.test in acme.test’s record, where ip4:192.0.2.0/24 in t.test’s record matches.',
  )
})

test('marks the term of the domain’s own record', async () => {
  const pass = await readPart(SENDERS, SPF, {}, '&ip=198.51.100.7')
  expect(pass).toContain('ip4:198.51.100.7 ◀ matches')
  const fail = await readPart(SENDERS, SPF, {}, '&ip=203.0.113.1')
  expect(fail).toContain('-all ◀ matches')
  expect(fail).toContain('Fail This server isn’t allowed to send for the domain.')
})

test.each(Object.entries(DOCUMENT_ZONES))(
  'every sentence of the document is on the page: %s',
  async (_, zone) => {
    dns = zoneDns(`acme.test. NS ns.acme.test.\n${zone}`)
    const domain = parseDomain('acme.test')
    if (domain.kind !== 'domain') throw new Error('no domain')
    const checked = await checkDomain(dns, domain.domain, { randomLabel: () => 'random' })
    if (checked.kind !== 'report') throw new Error('no report')
    const { blocks, findings, spf, mechanisms } = describeCheck(checked.report)
    const sentences = documentSentences([
      ...[blocks, findings, spf.blocks],
      ...mechanisms.map((mechanism) => mechanism.blocks),
    ])
    expect(sentences.length).toBeGreaterThan(40)
    const html = await (await app.get('/?domain=acme.test', { accept: 'text/html' })).text()
    const text = html
      .replace(/<[^>]*>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
    expect(sentences.filter((it) => !withoutSpace(text).includes(it))).toEqual([])
  },
)
