/** Queries and the answers that every server must give. */
import {
  type ComparableAnswer,
  failedAnswer,
  nodataAnswer,
  nxdomainAnswer,
  recordsAnswer,
} from './comparable-answer.js'
import { DKIM_STRINGS, LONGEST_NAME, MANY_TXT_STRINGS } from './resolver-zones.js'

type Case = readonly [title: string, query: string, answer: ComparableAnswer]

export const RESOLVER_CASES: readonly Case[] = [
  ['an A record', 'A mx1.world.test', recordsAnswer(['192.0.2.10'])],
  ['two A records', 'A mx2.world.test', recordsAnswer(['192.0.2.20', '192.0.2.21'])],
  [
    'an AAAA record in RFC 5952 format',
    'AAAA mx1.world.test',
    recordsAnswer(['2001:db8::1:0:0:10']),
  ],
  [
    'MX records with lower-case exchanges',
    'MX world.test',
    recordsAnswer([
      { preference: 10, exchange: 'mx1.world.test' },
      { preference: 20, exchange: 'mx2.world.test' },
    ]),
  ],
  ['a null MX', 'MX parked.world.test', recordsAnswer([{ preference: 0, exchange: '.' }])],
  ['NS records', 'NS world.test', recordsAnswer(['ns1.world.test', 'ns2.world.test'])],
  [
    'an SOA record, with a dot inside its mailbox’s first label',
    'SOA world.test',
    recordsAnswer([
      {
        primary: 'ns1.world.test',
        mailbox: 'first\\.last.world.test',
        serial: 2026010101,
        minimum: 120,
      },
    ]),
  ],
  [
    'TXT records',
    'TXT world.test',
    recordsAnswer([['v=spf1 mx include:_spf.world.test -all'], ['second record']]),
  ],
  [
    'TLSA records',
    'TLSA _25._tcp.mx1.world.test',
    recordsAnswer([
      { usage: 2, selector: 0, matchingType: 0, data: '308201' },
      { usage: 3, selector: 1, matchingType: 1, data: '0123456789abcdef'.repeat(4) },
    ]),
  ],
  ['a record of the retired type SPF', 'SPF world.test', recordsAnswer([['v=spf1 mx -all']])],
  [
    'a 2048-bit DKIM key in two strings',
    'TXT 2048._domainkey.world.test',
    recordsAnswer([DKIM_STRINGS]),
  ],
  [
    'a TXT record with special octets and an empty string',
    'TXT odd.world.test',
    recordsAnswer([['quote " semicolon ; backslash \\ umlaut \xc3\xa4 nul \0', '', 'unquoted']]),
  ],
  ['300 TXT records', 'TXT many.world.test', recordsAnswer(MANY_TXT_STRINGS.map((row) => [row]))],

  ['the longest possible name', `A ${LONGEST_NAME}`, recordsAnswer(['192.0.2.60'])],
  ['a dot inside a label', 'TXT one\\.label.world.test', recordsAnswer([['one label']])],
  [
    'a dot between labels where the zone has one inside a label',
    'TXT one.label.world.test',
    nxdomainAnswer(),
  ],
  ['a name in capitals in the zone', 'TXT mixedcase.world.test', recordsAnswer([['Case Kept']])],
  ['a query in capitals with a trailing dot', 'A MX1.World.TEST.', recordsAnswer(['192.0.2.10'])],

  ['a name that does not exist', 'TXT nothing.world.test', nxdomainAnswer()],
  ['a name without the queried type', 'A world.test', nodataAnswer()],
  ['an empty non-terminal', 'A region.world.test', nodataAnswer()],
  ['a wildcard', 'TXT any.name.wild.world.test', recordsAnswer([['from the wildcard']])],
  ['a name with its own record beside a wildcard', 'A own.wild.world.test', nodataAnswer()],

  ['a CNAME query', 'CNAME www.world.test', recordsAnswer(['web.world.test'])],
  [
    'a CNAME query for a link of a loop',
    'CNAME loop.world.test',
    recordsAnswer(['loop-b.world.test']),
  ],
  [
    'a chain of CNAME records and the records at its end',
    'A www.world.test',
    recordsAnswer(['192.0.2.50'], ['web.world.test', 'edge.world.test']),
  ],
  [
    'a chain to a name without the queried type',
    'TXT www.world.test',
    nodataAnswer('web.world.test', 'edge.world.test'),
  ],
  [
    'a chain to a name that does not exist',
    'A dangling.world.test',
    nxdomainAnswer('via.world.test', 'gone.world.test'),
  ],
  [
    'a chain that begins at a wildcard',
    'A shop.hosted.world.test',
    recordsAnswer(['192.0.2.50'], ['www.world.test', 'web.world.test', 'edge.world.test']),
  ],
  [
    'a chain that ends at a wildcard',
    'TXT to-wild.world.test',
    recordsAnswer([['from the wildcard']], ['any.name.wild.world.test']),
  ],

  ['a zone that could not be loaded', 'TXT broken.test', failedAnswer('servfail')],
  ['a referral, which is not an absence', 'TXT child.limits.test', failedAnswer('refused')],
]
