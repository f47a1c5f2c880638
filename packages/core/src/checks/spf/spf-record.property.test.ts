import { type Dns, failed, type RecordType } from '@mailgrade/doh/dns'
import { createZoneDns } from '@mailgrade/doh/zone'
import { anyCharacter } from '@mailgrade/testing/any-character'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DomainName } from '../../names/domain-name.js'
import { checkSpf } from './check-spf.js'
import { activeTerms, isDirective, parseSpf } from './spf-record.js'
import { spfReportSchema } from './spf-report.js'

/** One character an octet, as the port has it. */
const asOctets = (text: string) => Buffer.from(text).toString('latin1')

const PIECES = [
  ...'include: redirect= exists: exp= ip4: ip6: ptr all mx a + - ~ ? : = / // . ..'.split(' '),
  ...'% %% %_ %- %{ } %{d} %{o} %{i} %{d2r-} %{d-/-.} %{h __proto__=x constructor= foo=bar'.split(
    ' ',
  ),
  ...'192.0.2.1 :: 2001:db8::1 24 0 33 129 acme.test b.test test localhost'.split(' '),
  ...[
    ' ',
    ' ',
    ' ',
    ' ',
    '\t',
    '\u00a0',
    'ü',
    '😀',
    '\u0000',
    '\u007f',
    '\\',
    '\\0',
    '\\.',
    '"',
    ';',
  ],
  'x'.repeat(64),
]
const heap = fc
  .array(fc.constantFrom(...PIECES), { maxLength: 25 })
  .map((pieces) => pieces.join(''))
const target = fc.constantFrom(
  'acme.test',
  'b.test',
  'c.test',
  '%{d}',
  '%{o}',
  '%{i}.test',
  'x.%{d2r}',
)
const honest = fc.oneof(
  fc.tuple(
    fc.constantFrom('include:', 'redirect=', 'a:', 'mx:', 'exists:', 'exp=', 'ptr:'),
    target,
  ),
  fc.tuple(
    fc.constantFrom('', '+', '-', '~', '?'),
    fc.constantFrom('all', 'a', 'mx', 'ptr', 'a/24//64'),
  ),
  fc.tuple(fc.constant('ip4:'), fc.ipV4()),
  fc.tuple(fc.constant('ip6:'), fc.ipV6()),
)
const likely = fc
  .array(honest, { maxLength: 8 })
  .map((terms) => terms.map((parts) => parts.join('')).join(' '))
const anyText = fc
  .oneof(
    heap,
    likely,
    fc.string({ unit: anyCharacter, maxLength: 120 }),
    fc.string({ unit: 'grapheme-ascii', maxLength: 120 }),
  )
  .map((text) => asOctets(`v=spf1 ${text}`))

describe('any text after "v=spf1 "', () => {
  test('parses without throwing, with correct positions', () => {
    const kinds = new Set<string>()
    fc.assert(
      fc.property(anyText, (text) => {
        const { terms } = parseSpf(text)
        for (const term of terms) {
          kinds.add(term.kind)
          expect(text.slice(term.position).startsWith(term.text)).toBe(true)
          expect(text[term.position - 1]).toBe(' ')
          if (isDirective(term)) expect('+-~?').toContain(term.qualifier)
          if (term.kind === 'invalid') expect(term.problem).not.toBe('')
        }
        expect(terms.map((term) => term.text).join(' ')).toBe(
          text.slice(7).replace(/ +/g, ' ').replace(/^ | $/g, ''),
        )
      }),
      { numRuns: propertyRuns(3_000), seed: 7208 },
    )
    expect(kinds.size).toBe(12)
  })

  test('gives a report that matches its schema', async () => {
    const numRuns = propertyRuns(500)
    const endings = { valid: 0, broken: 0 }
    const one = fc.oneof(
      anyText,
      likely.map((text) => `v=spf1 ${text}`),
    )
    await fc.assert(
      fc.asyncProperty(one, one, one, async (acme, b, c) => {
        const records = new Map([
          ['acme.test', acme],
          ['b.test', b],
          ['c.test', c],
        ])
        const checked = await checkSpf(dnsOf(records), 'acme.test' as DomainName)
        if (checked.kind !== 'report') throw new Error(JSON.stringify(checked))
        const { report } = checked
        spfReportSchema.parse(report)
        endings[report.valid ? 'valid' : 'broken'] += 1
        const total = report.terms.reduce((sum, { lookups }) => sum + lookups, 0)
        expect(report.lookupCount).toBe(total)
        expect(report.tree.lookups).toBe(total)
        const active = activeTerms(parseSpf(acme)).length
        expect(report.tree.children.length).toBeLessThanOrEqual(active)
        expect(report.issues.every(({ title, detail, fix }) => title && detail && fix)).toBe(true)
        const slips = JSON.stringify(report.issues).match(/undefined|null|NaN|\[object/g) ?? []
        const published = JSON.stringify([...records.values()])
        expect(slips.filter((slip) => !published.includes(slip))).toEqual([])
      }),
      { numRuns },
    )
    expect(Math.min(endings.valid, endings.broken)).toBeGreaterThan(numRuns * 0.06)
  })
})

const context = { cnames: [], extendedError: null, resolver: 'zone', authenticated: false, ttl: 60 }

/** TXT as given, every other question as a real server would answer it: no name is refused. */
function dnsOf(records: ReadonlyMap<string, string>): Dns {
  const zone = createZoneDns('zone', 'acme.test. A 192.0.2.1\nacme.test. MX 0 b.test.')
  const ask = async (name: string, type: RecordType) => {
    const text = type === 'TXT' ? records.get(name) : undefined
    if (text !== undefined) return { kind: 'records', records: [[text]], ...context }
    const answer = await zone.query(name, type)
    return answer.kind === 'failed' ? failed('bad-name', `${type} ${name}`) : answer
  }
  return { query: ask as Dns['query'] }
}

describe('60,000 characters parse quickly', () => {
  const filled = (piece: string) => piece.repeat(Math.ceil(60_000 / piece.length))
  const around = [
    ['', ''],
    ['a:', '_'],
    ['a:x.', '_'],
    ['a:x.', '/24'],
    ['include:x.', '!'],
    ['redirect=%{d', '.x'],
    ['ip4:', '/24'],
    ['ip6:', '/'],
    ['foo=', '\u00ff'],
    ['a/', 'x'],
    ['mx//', '/1'],
  ] as const

  test.each([
    ...['a', '1', '/', '//', '/1', '.', '.a', 'a.', 'a-', '-', '_', ':', '=', 'a=', '\t', '\u00ff'],
    ...['%', '%%', '%{d}', '%{', '%{d1', 'a ', 'a/1 '],
  ])('%j repeated, in any kind of term', async (piece) => {
    for (const [before, after] of around) {
      const text = `v=spf1 ${before}${filled(piece)}${after}`
      expect(parseSpf(text).text).toBe(text)
    }
    for (const before of ['', 'include:x.']) {
      const records = new Map([['acme.test', `v=spf1 ${before}${filled(piece)}`]])
      const checked = await checkSpf(dnsOf(records), 'acme.test' as DomainName)
      expect(checked.kind).toBe('report')
    }
  })

  test('near misses, in one string or in many', async () => {
    for (const text of [filled(' v='), filled('v=spf'), `v=spf1;${filled('a.')}`]) {
      for (const strings of [[text], text.match(/.{1,255}/gs) ?? []]) {
        const ask = async (_: string, type: string) =>
          type === 'MX'
            ? { kind: 'nodata', ...context }
            : { kind: 'records', records: [strings], ...context }
        const checked = await checkSpf({ query: ask as Dns['query'] }, 'acme.test' as DomainName)
        expect(checked.kind).toBe('report')
      }
    }
  })
})
