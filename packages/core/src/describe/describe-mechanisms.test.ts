/** What pages and terminals say about one mechanism, a score and an address. */
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { expect, test } from 'vitest'
import { addressReportFromZone } from '../../test/support/address-fixture.js'
import { checkDkimZone } from '../../test/support/dkim-fixture.js'
import { checkDmarc } from '../checks/dmarc/check-dmarc.js'
import { checkMx } from '../checks/mx/check-mx.js'
import { checkSpf } from '../checks/spf/check-spf.js'
import { checkTransport } from '../checks/transport/check-transport.js'
import type { DomainName } from '../names/domain-name.js'
import { scoreDomain } from '../reports/score/score-domain.js'
import { describeAddress } from './describe-address.js'
import {
  describeDkim,
  describeDmarc,
  describeMx,
  describeTransport,
} from './describe-mechanisms.js'
import { describeScore } from './describe-score.js'
import { describeSpf } from './describe-spf.js'
import { type Block, code, plainText } from './document.js'

const DOMAIN = 'acme.test' as DomainName

function requireReport<Report>(checked: { kind: string; report?: Report }): Report {
  if (checked.report === undefined) throw new Error(`no report but ${checked.kind}`)
  return checked.report
}

function toMessage(ip: string) {
  return { ip, sender: 'postmaster@acme.test', helo: null, timestamp: 0 }
}

/** The facts of a document, by label. */
function facts(blocks: readonly Block[]): Record<string, string> {
  const all = blocks.flatMap((block) => (block.kind === 'facts' ? block.facts : []))
  return Object.fromEntries(
    all.map(({ label, value, list = [value] }) => [label, list.map(plainText).join(' | ')]),
  )
}

test('SPF: the records, the lookups, and why a server passes', async () => {
  const zone = `
    acme.test. TXT "v=spf1 a include:s.test ~all"
    acme.test. A 192.0.2.1
    s.test. TXT "v=spf1 ip4:192.0.2.128/25 -all"
  `
  const message = toMessage('192.0.2.200')
  const report = requireReport(await checkSpf(zoneDns(zone), DOMAIN, message))
  const document = describeSpf(report)
  expect(document).toMatchObject({ title: 'SPF of acme.test', result: '✓ Good' })
  expect(document.blocks.map(({ kind }) => kind)).toEqual(['facts', 'records', 'lookups', 'facts'])
  expect(document.evaluation?.title).toBe('Mail from 192.0.2.200')
  expect(facts(document.blocks)).toEqual({
    Result: 'Pass This server is allowed to send for the domain.',
    'Decided by':
      'include:s.test in acme.test’s record, where ip4:192.0.2.128/25 in s.test’s record matches.',
    Sender: 'postmaster@acme.test',
    Cost: '2 of 10 DNS lookups, 0 of 2 empty (void) lookups',
    'All other senders': 'soft fail (~all)',
    'Empty (void) lookups': '1 of 2',
  })
  expect(document.lookups).toMatchObject({ used: 2, limit: 10, words: '2 of 10 DNS lookups' })
  expect(document.lookups?.tree).toEqual({
    term: 'acme.test',
    cost: '2 lookups',
    state: null,
    record: null,
    isMatched: true,
    match: null,
    children: [
      {
        term: 'a',
        cost: '1 lookup',
        state: null,
        record: null,
        isMatched: false,
        match: null,
        children: [],
      },
      {
        term: 'include:s.test',
        cost: '1 lookup',
        state: null,
        record: 'v=spf1 ip4:192.0.2.128/25 -all',
        isMatched: true,
        match: ['◀ matches ', code('ip4:192.0.2.128/25')],
        children: [],
      },
    ],
  })
})

test.each([
  [
    '192.0.2.1',
    [
      ['ip4:192.0.2.1', true],
      ['a', false],
      ['include:s.test', false],
    ],
  ],
  [
    '192.0.2.2',
    [
      ['a', false],
      ['-all', true],
      ['include:s.test', false],
    ],
  ],
])('SPF: the tree marks the term of the domain’s own record for %s', async (ip, expected) => {
  const zone = `
    acme.test. TXT "v=spf1 ip4:192.0.2.1 ip4:198.51.100.1 a include:s.test -all"
    s.test. TXT "v=spf1 ip4:203.0.113.1 -all"
  `
  const message = toMessage(ip)
  const report = requireReport(await checkSpf(zoneDns(zone), DOMAIN, message))
  const { children = [] } = describeSpf(report).lookups?.tree ?? {}
  expect(children.map(({ term, isMatched }) => [term, isMatched])).toEqual(expected)
})

test('SPF: a record over the limit, and a count that is a minimum', async () => {
  const terms = Array.from({ length: 11 }, (_, index) => `a:a${index}.acme.test`).join(' ')
  const over = await checkSpf(zoneDns(`acme.test. TXT "v=spf1 ${terms} -all"`), DOMAIN)
  expect(describeSpf(requireReport(over)).lookups?.words).toBe(
    '11 DNS lookups; the limit is 10. Receivers give up and treat SPF as broken.',
  )
  const macro = await checkSpf(
    zoneDns('acme.test. TXT "v=spf1 include:%{i}.acme.test -all"'),
    DOMAIN,
  )
  expect(describeSpf(requireReport(macro)).lookups?.words).toBe('At least 1 of 10 DNS lookups')
})

test('DKIM: each key with its size and faults, and what was tried', async () => {
  const zone = `s1._domainkey.acme.test. TXT "v=DKIM1; t=y; p=${SPKI[1024]}"`
  const report = requireReport((await checkDkimZone(zone, { selector: 's1' })).checked)
  const document = describeDkim(report)
  expect(document.blocks).toEqual([
    {
      kind: 'keys',
      keys: [
        {
          name: 's1._domainkey.acme.test',
          size: '1024 bits',
          text: 'RSA · well-formed · testing',
          problems: [],
          record: `v=DKIM1; t=y; p=${SPKI[1024]}`,
        },
      ],
    },
    { kind: 'details', summary: '1 selector tried', text: 's1' },
  ])
})

test('DKIM: no key at the usual selectors is unknown, not a pass', async () => {
  const zone = 'mystery._domainkey.acme.test. TXT "v=DKIM1; p=AAAA"'
  const { result, blocks } = describeDkim(requireReport((await checkDkimZone(zone)).checked))
  expect(result).toBe('? Unknown')
  expect(blocks[0]).toEqual({
    kind: 'paragraph',
    text: 'There’s no key at the usual selectors. Yours may have a different name. To find it, look for s= in the DKIM-Signature header of a message you’ve sent.',
  })
})

test('DMARC: the policy, where it comes from, and every destination', async () => {
  const record = 'v=DMARC1; p=reject; sp=none; t=y; rua=mailto:a@acme.test,ftp:x'
  const report = requireReport(
    await checkDmarc(zoneDns(`_dmarc.acme.test. TXT "${record}"`), DOMAIN),
  )
  const { blocks } = describeDmarc(report)
  expect(blocks[0]).toEqual({ kind: 'records', records: [record] })
  expect(facts(blocks)).toEqual({
    Policy: 'reject: receivers refuse forged mail',
    'Test mode': 't=y: receivers apply the next weaker policy',
    'Policy source': '_dmarc.acme.test, its own record',
    Subdomains: 'none: forged mail can reach the inbox',
    Alignment: 'SPF relaxed, DKIM relaxed',
    'Reports go to': 'mailto:a@acme.test (doesn’t accept mail) | ftp:x (not valid)',
  })
})

test('DMARC: records that receivers can’t use are still shown', async () => {
  const zone =
    '_dmarc.acme.test. TXT "v=DMARC1; p=none"\n_dmarc.acme.test. TXT "v=DMARC1; p=reject"'
  const { blocks } = describeDmarc(requireReport(await checkDmarc(zoneDns(zone), DOMAIN)))
  expect(blocks).toEqual([
    { kind: 'records', records: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
    { kind: 'paragraph', text: 'No policy applies, because receivers can’t use what’s published.' },
  ])
})

test.each([
  [
    'acme.test. MX 0 .',
    [{ kind: 'paragraph', text: 'Null MX: the domain declares that it doesn’t accept mail.' }],
  ],
  [
    'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1',
    [
      {
        kind: 'table',
        title: 'Servers',
        columns: ['Preference', 'Server', 'Addresses'],
        rows: [['10', [code('mx.acme.test')], '192.0.2.1']],
      },
    ],
  ],
])('MX: %s', async (zone, blocks) => {
  expect(describeMx(requireReport(await checkMx(zoneDns(zone), DOMAIN))).blocks).toEqual(blocks)
})

test('a score names what costs points and what to do first', async () => {
  const zone = 'acme.test. TXT "v=spf1 mx -all"\n_dmarc.acme.test. TXT "v=DMARC1; p=none"'
  const report = requireReport(
    await scoreDomain(zoneDns(zone), DOMAIN, { randomLabel: () => 'random' } as never),
  )
  const { status, result, blocks } = describeScore(report)
  expect({ status, result }).toEqual({
    status: 'fail',
    result: `${report.score} of 100, grade ${report.grade}`,
  })
  expect(facts(blocks)['Can anyone forge mail from this domain?']).toBe(
    'Yes: forged mail can reach the inbox.',
  )
  const [points] = blocks.filter((block) => block.kind === 'points')
  const { name, words, losses } = points?.rows[1] ?? {}
  expect({ name, words, losses }).toEqual({
    name: 'DKIM',
    words: '0 of 25',
    losses: [{ id: 'dkim.missing', text: '−25: acme.test has no DKIM key' }],
  })
})

test('an address has its verdict, every reason and what it is based on', async () => {
  const zone = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1'
  const document = describeAddress(await addressReportFromZone('Sales@Acme.test', zone))
  expect(document).toMatchObject({ title: 'Sales@Acme.test', status: 'warn', result: '! risky' })
  expect(document.blocks.map(({ kind }) => kind)).toEqual(['paragraph', 'list', 'facts', 'table'])
  expect(document.blocks[1]).toEqual({
    kind: 'list',
    items: [
      {
        text: ['The address belongs to a role, such as sales, not to a person.'],
        id: 'role_account',
        reference: 'RFC 2142',
      },
    ],
  })
  expect(facts(document.blocks)).toEqual({
    'Normalized form': 'Sales@acme.test',
    'Role address': 'sales',
    Mailbox: 'not verified (we don’t contact mail servers)',
  })
})

test.each([
  ['no MX', 'acme.test. A 192.0.2.1', {}, 'no mail servers to protect'],
  ['no records', 'acme.test. MX 0 mx.test.', {}, 'not published for your mail server'],
  [
    'records without DNSSEC, and a server without any',
    `acme.test. MX 0 mx.test.
    acme.test. MX 1 mx2.test.
    _25._tcp.mx.test. TLSA 3 1 1 ${'00'.repeat(32)}`,
    {},
    'published for 1 of 2 mail servers; not signed with DNSSEC at 1, so senders ignore it there',
  ],
  [
    'one failed lookup',
    'acme.test. MX 0 mx.test.\nacme.test. MX 1 mx2.test.',
    { 'TLSA _25._tcp.mx.test': 'servfail' },
    'not published for your mail servers; 1 couldn’t be looked up',
  ],
  [
    'only failed lookups',
    'acme.test. MX 0 mx.test.',
    { 'TLSA _25._tcp.mx.test': 'servfail' },
    'unknown: we couldn’t reach DNS',
  ],
] as const)('transport: DANE with %s', async (_, zone, failing, words) => {
  const report = await checkTransport(zoneDns(zone, failing), DOMAIN)
  expect(facts(describeTransport(report).blocks)['DANE (verified encryption)']).toBe(words)
})
