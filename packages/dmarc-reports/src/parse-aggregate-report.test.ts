import { readdirSync, readFileSync } from 'node:fs'
import { buildAggregateReport, buildRecord } from '@mailgrade/testing/build-aggregate-report'
import { describe, expect, test } from 'vitest'
import { parseOne } from '../test/parse-one.js'
import type { AggregateRecord } from './aggregate-report.js'
import { streamOf } from './byte-stream.js'
import { type ParsedAggregateReport, parseAggregateReports } from './parse-aggregate-report.js'

const FOLDER = new URL('../test/fixtures/', import.meta.url)

async function parse(content: string | Buffer) {
  const records: AggregateRecord[] = []
  const report = await parseOne(streamOf(Buffer.from(content)), (each) => records.push(each))
  return { report, records }
}

async function metadataOf(content: string | Buffer) {
  const { report } = await parse(content)
  if (report.kind === 'error') throw new Error(report.reason)
  return report.metadata
}

async function reasonOf(content: string | Buffer): Promise<string | null> {
  const { report } = await parse(content)
  return report.kind === 'error' ? report.reason : null
}

const fixture = (name: string) => readFileSync(new URL(`${name}.xml`, FOLDER))

test.each(readdirSync(FOLDER).filter((name) => name.endsWith('.xml')))('reads %s', async (name) => {
  expect(await reasonOf(readFileSync(new URL(name, FOLDER)))).toBeNull()
})

test('reads every field of an RFC 9990 report', async () => {
  const { report, records } = await parse(fixture('rfc9990'))
  expect(report).toEqual<ParsedAggregateReport>({
    kind: 'report',
    records: 1,
    skippedRecords: 0,
    isDamaged: false,
    metadata: {
      orgName: 'Sample Reporter',
      email: 'report_sender@example-reporter.test',
      reportId: '3v98abbp8ya9n3va8yr8oa3ya',
      begin: 1_792_368_000,
      end: 1_792_454_399,
      errors: [],
      generator: 'Example DMARC Aggregate Reporter v1.2',
      schema: 'rfc9990',
      policy: {
        domain: 'example.com',
        p: 'reject',
        sp: 'quarantine',
        np: 'reject',
        adkim: 'r',
        aspf: 'r',
        pct: null,
        testing: false,
        discoveryMethod: 'treewalk',
      },
    },
  })
  expect(records).toEqual([
    {
      sourceIp: '192.0.2.123',
      count: 123,
      disposition: 'pass',
      dkim: 'pass',
      spf: 'fail',
      reasons: [],
      headerFrom: 'example.com',
      envelopeFrom: 'example.com',
      envelopeTo: 'example.org',
      dkimResults: [
        { domain: 'example.com', selector: 'abc123', result: 'pass', humanResult: null },
      ],
      spfResults: [{ domain: 'example.com', scope: 'mfrom', result: 'fail', humanResult: null }],
    },
  ])
})

test.each([
  ['rfc9990-prefixed', 'rfc9990'],
  ['rfc9990-lang', 'rfc9990'],
  ['google', 'rfc9990'],
  ['yahoo', 'rfc7489'],
  ['gmx', 'rfc7489'],
])('tells the schema of %s by namespace and fields: %s', async (name, schema) => {
  expect((await metadataOf(fixture(name))).schema).toBe(schema)
})

test('ignores namespace prefixes', async () => {
  const { records } = await parse(fixture('rfc9990-prefixed'))
  expect(records.map(({ sourceIp, count }) => [sourceIp, count])).toEqual([['192.0.2.125', 5]])
})

test('skips extension elements', async () => {
  const { records } = await parse(fixture('rfc9990-extensions'))
  expect(records.map(({ count }) => count)).toEqual([40])
})

test('reads human_result and policy_test_mode', async () => {
  const { records } = await parse(fixture('rfc9990-test-mode'))
  expect(records[0]?.dkimResults[0]?.humanResult).toBe('signature did not verify')
  expect(records[0]?.reasons).toEqual([{ type: 'policy_test_mode', comment: 't=y' }])
})

test('ignores the case of words and domains', async () => {
  const { records } = await parse(fixture('mixed-case'))
  expect(records[0]).toMatchObject({
    disposition: 'none',
    dkim: 'pass',
    spf: 'fail',
    headerFrom: 'example.com',
    dkimResults: [{ domain: 'example.com', selector: 'google', result: 'pass' }],
    spfResults: [{ domain: 'example.com', result: 'softfail' }],
  })
  expect((await metadataOf(fixture('mixed-case'))).policy).toMatchObject({
    domain: 'example.com',
    p: 'none',
    sp: 'none',
    aspf: 's',
  })
})

test('keeps an unknown word as other, never as a pass', async () => {
  const { records } = await parse(fixture('facebook'))
  expect(records.map(({ disposition, dkim, spf }) => [disposition, dkim, spf])).toEqual([
    ['other', 'pass', 'pass'],
    ['none', 'other', 'other'],
  ])
  const ivenue = await parse(fixture('ivenue'))
  expect(ivenue.records[0]?.spfResults[0]?.result).toBe('other')
})

test('skips and counts bad records, and keeps the others', async () => {
  const { report, records } = await parse(fixture('godaddy'))
  expect(report).toMatchObject({ kind: 'report', records: 1, skippedRecords: 1 })
  expect(records.map(({ count }) => count)).toEqual([9])
})

test.each(['-1', '1.5', '', 'many', '99999999999999', '1e3'])(
  'skips a record with the count %j',
  async (count) => {
    const { report } = await parse(buildAggregateReport({ records: [{ count }] }))
    expect(report).toMatchObject({ records: 0, skippedRecords: 1 })
  },
)

test('accepts counts above 2^32', async () => {
  const { records } = await parse(fixture('large-counts'))
  expect(records.map(({ count }) => count)).toEqual([4_294_967_296, 1])
})

test('parses source addresses strictly and writes them in one way', async () => {
  const { report, records } = await parse(fixture('bad-address'))
  expect(report).toMatchObject({ records: 2, skippedRecords: 2 })
  expect(records.map(({ sourceIp }) => sourceIp)).toEqual(['192.0.2.12', '192.0.2.13'])
})

test('accepts identities instead of identifiers', async () => {
  const content = buildAggregateReport({ records: [{ headerFrom: 'news.example.com' }] })
  const { records } = await parse(content.replaceAll('identifiers>', 'identities>'))
  expect(records[0]?.headerFrom).toBe('news.example.com')
})

test('uses the policy domain where a record has no From domain', async () => {
  const { records } = await parse(buildAggregateReport({ records: [{ headerFrom: '' }] }))
  expect(records[0]?.headerFrom).toBe('example.com')
})

test('uses the domain of the last SPF result where envelope_from is empty', async () => {
  const spfResults = [
    { domain: 'helo.test', result: 'none' },
    { domain: 'bounce.test', result: 'pass' },
  ]
  const { records } = await parse(
    buildAggregateReport({ records: [{ envelopeFrom: '', spfResults }] }),
  )
  expect(records[0]?.envelopeFrom).toBe('bounce.test')
})

test('accepts empty and missing parts', async () => {
  const { records } = await parse(fixture('empty-auth-results'))
  expect(
    records.map(({ dkimResults, spfResults, reasons }) => [dkimResults, spfResults, reasons]),
  ).toEqual([
    [[], [], []],
    [[], [], []],
  ])
})

test('takes p for a missing sp, and says that pct is not given', async () => {
  const { policy } = await metadataOf(
    buildAggregateReport({ policy: { domain: 'example.com', p: 'reject' } }),
  )
  expect(policy).toMatchObject({ p: 'reject', sp: 'reject', pct: null, np: null, testing: null })
})

test('uses the first of two policies, and the mail domain for an empty organization', async () => {
  const metadata = await metadataOf(fixture('policy-twice'))
  expect(metadata.policy.p).toBe('none')
  expect(metadata.orgName).toBe('twice.example.net')
})

test('cuts fractions off times and brackets off the id', async () => {
  const { begin, end, reportId } = await metadataOf(fixture('opendmarc-fractions'))
  expect([begin, end]).toEqual([1_792_371_600, 1_792_375_199])
  expect(reportId).toBe('example.com-1792371600@small.example.net')
})

test.each([
  ['end before begin', { begin: 1_792_368_001, end: 1_792_368_000 }, 'bad-period'],
  ['a period after 2100', { begin: 4_102_444_801, end: 4_102_531_200 }, 'bad-period'],
  ['more than a year', { begin: 1_792_368_000, end: 1_792_368_000 + 367 * 86_400 }, 'bad-period'],
  ['no number', { begin: 'today' }, 'incomplete'],
  ['no policy domain', { policy: { p: 'none' } }, 'incomplete'],
])('refuses %s', async (_, values, reason) => {
  expect(await reasonOf(buildAggregateReport(values))).toBe(reason)
})

test('reads a report whose period is before DMARC, as in the sample of RFC 9990', async () => {
  const sample = fixture('rfc9990')
    .toString()
    .replace('1792368000', '302832000')
    .replace('1792454399', '302918399')
  const { report, records } = await parse(sample)
  expect(report).toMatchObject({ metadata: { begin: 302_832_000, end: 302_918_399 } })
  expect(records.map(({ count }) => count)).toEqual([123])
})

test('accepts a period of one second', async () => {
  expect(
    await reasonOf(buildAggregateReport({ begin: 1_792_368_000, end: 1_792_368_000 })),
  ).toBeNull()
})

test('replaces invalid UTF-8', async () => {
  expect((await metadataOf(fixture('invalid-utf8'))).orgName).toBe(
    'Soci\ufffdt\ufffd de messagerie',
  )
})

test.each([
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${buildAggregateReport()}`)],
  ['UTF-16 LE', Buffer.from(`\ufeff${buildAggregateReport()}`, 'utf16le')],
  ['UTF-16 BE', Buffer.from(`\ufeff${buildAggregateReport()}`, 'utf16le').swap16()],
  ['white space at the start', Buffer.from(`\r\n  ${buildAggregateReport()}`)],
  ['junk at the end', Buffer.from(`${buildAggregateReport()}\0\0<junk`)],
])('reads %s', async (_, content) => {
  expect((await metadataOf(content)).orgName).toBe('receiver.test')
})

test('reads a report that arrives byte by byte', async () => {
  const bytes = Buffer.from(buildAggregateReport({ org: 'Société', records: [{ count: 7 }] }))
  async function* single() {
    for (const byte of bytes) yield Buffer.from([byte])
  }
  const counts: number[] = []
  const report = await parseOne(single(), ({ count }) => counts.push(count))
  expect(report).toMatchObject({ kind: 'report', metadata: { orgName: 'Société' } })
  expect(counts).toEqual([7])
})

test('reads character references and CDATA', async () => {
  expect((await metadataOf(fixture('entities-and-cdata'))).orgName).toBe('R&D <Mail> GmbH')
})

test('tolerates undefined entities and control characters in text', async () => {
  const { orgName } = await metadataOf(buildAggregateReport({ org: 'a&nbsp;b\u0001c' }))
  expect(orgName).toBe('a&nbsp;b\u0001c')
})

test.each([
  ['before the report', `<xs:schema xmlns:xs="x">${buildAggregateReport().slice(22)}`],
  ['before the report and closed', `<xs:schema xmlns:xs="x"/>${buildAggregateReport().slice(22)}`],
  [
    'inside the report',
    buildAggregateReport().replace('<feedback>', '<feedback><xs:schema a="b">'),
  ],
])('tolerates a stray schema tag %s', async (_, content) => {
  expect((await parse(content)).report).toMatchObject({ kind: 'report', records: 1 })
})

test.each([
  ['nothing', '', 'empty'],
  ['white space', ' \n ', 'empty'],
  ['plain text', 'unused', 'not-a-report'],
  ['another document', '<rss><channel/></rss>', 'not-a-report'],
  ['a cut document', buildAggregateReport().slice(0, -20), 'broken-xml'],
  ['crossed tags', buildAggregateReport().replace('</row>', '</record>'), 'broken-xml'],
  [
    'an unquoted attribute',
    buildAggregateReport().replace('<feedback>', '<feedback a=b>'),
    'broken-xml',
  ],
  ['a document type', `<!DOCTYPE feedback>${buildAggregateReport().slice(22)}`, 'entities'],
  [
    'nested entities',
    `<?xml version="1.0"?><!DOCTYPE f [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><feedback>&b;</feedback>`,
    'entities',
  ],
  [
    'an external entity',
    `<!doctype f [<!ENTITY x SYSTEM "file:///etc/passwd">]><feedback>&x;</feedback>`,
    'entities',
  ],
  ['deep nesting', `<feedback>${'<a>'.repeat(60)}`, 'oversized-element'],
  ['an endless text', `<feedback><a>${'x'.repeat(1_200_000)}`, 'oversized-element'],
  ['an endless attribute', `<feedback a="${'x'.repeat(1_200_000)}`, 'oversized-element'],
  ['an endless comment', `<feedback><!-- ${'x <'.repeat(400_000)}`, 'oversized-element'],
])('refuses %s', async (_, content, reason) => {
  expect(await reasonOf(content)).toBe(reason)
})

test('finds a document type that is split between chunks', async () => {
  async function* chunks() {
    yield Buffer.from('<!DOC')
    yield Buffer.from(`TYPE feedback>${buildAggregateReport().slice(22)}`)
  }
  expect(await parseOne(chunks())).toEqual({ kind: 'error', reason: 'entities' })
})

test('stops at the limit of bytes', async () => {
  const bytes = Buffer.from(buildAggregateReport())
  const read = (limit: number) => parseOne(streamOf(bytes), () => {}, limit)
  expect(await read(bytes.length)).toMatchObject({ kind: 'report' })
  expect(await read(bytes.length - 1)).toEqual({ kind: 'error', reason: 'too-large' })
})

test('counts bytes after the end of the report, too', async () => {
  async function* endless() {
    yield Buffer.from(buildAggregateReport())
    for (;;) yield Buffer.alloc(10_000)
  }
  expect(await parseOne(endless(), () => {}, 100_000)).toMatchObject({ reason: 'too-large' })
})

test('keeps at most 100 signatures and 1,000 characters of a comment', async () => {
  const dkimResults = Array.from({ length: 150 }, () => ({ domain: 'd.test', result: 'pass' }))
  const reasons = [{ type: 'other', comment: 'x'.repeat(1_500) }]
  const { records } = await parse(buildAggregateReport({ records: [{ dkimResults, reasons }] }))
  expect(records[0]?.dkimResults).toHaveLength(100)
  expect(records[0]?.reasons[0]?.comment).toHaveLength(1_000)
})

test('keeps a bounded part of a record with endless elements', async () => {
  const padded = buildRecord().replace('<auth_results>', `<auth_results>${'<x/>'.repeat(5_000)}`)
  const content = buildAggregateReport({ records: [] }).replace(
    '</feedback>',
    `${padded}</feedback>`,
  )
  const { records } = await parse(content)
  expect(records.map(({ dkimResults }) => dkimResults)).toEqual([[]])
})

describe('a stream of several reports', () => {
  interface Read {
    readonly id: string
    readonly counts: readonly number[]
  }

  /** Each report with its records, or the reason why it could not be read. */
  async function readAll(source: AsyncIterable<Uint8Array>) {
    const read: (Read | string)[] = []
    let counts: number[] = []
    for await (const report of parseAggregateReports(source, ({ count }) => counts.push(count))) {
      const isError = report.kind === 'error'
      read.push(isError ? report.reason : { id: report.metadata.reportId, counts })
      counts = []
    }
    return read
  }

  const one = buildAggregateReport({ id: '1', records: [{ count: 1 }, { count: 2 }] })
  const two = buildAggregateReport({ id: '2', org: 'Société', records: [{ count: 3 }] })
  const three = buildAggregateReport({ id: '3', records: [] })
  const expected = [
    { id: '1', counts: [1, 2] },
    { id: '2', counts: [3] },
    { id: '3', counts: [] },
  ]

  test.each([
    ['nothing', ''],
    ['white space', ' \r\n\t'],
    ['a byte order mark', '\ufeff'],
    ['junk', '\0\0<junk> ]]> & feedback </x> <'],
    ['a stray schema tag', '<xs:schema xmlns:xs="x">'],
  ])('has all of them with %s between', async (_, between) => {
    const content = Buffer.from([one, two, three].join(between))
    expect(await readAll(streamOf(content))).toEqual(expected)
  })

  test.each([1, 2, 7, 1_000])('is read in chunks of %i bytes', async (size) => {
    const prefixed = two.replaceAll('feedback>', 'dmarc:feedback>')
    const content = Buffer.from(`${one}\r\n${prefixed.replace('</dmarc:feedback>', '$& ')}${three}`)
    async function* chunks() {
      for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size)
    }
    expect(await readAll(chunks())).toEqual(expected)
  })

  test('may be UTF-16', async () => {
    const content = Buffer.from(`\ufeff${one}\ufeff${two}${three}`, 'utf16le')
    expect(await readAll(streamOf(content))).toEqual(expected)
  })

  test('goes on after one that says no period, and ends at one that is broken', async () => {
    const incomplete = buildAggregateReport({ begin: 'today' })
    const broken = one.replace('</row>', '</record>')
    const content = Buffer.from(one + incomplete + two + broken + three)
    expect(await readAll(streamOf(content))).toEqual([
      expected[0],
      'incomplete',
      expected[1],
      'broken-xml',
    ])
  })

  test.each([
    ['a document type', `<!DOCTYPE feedback>${two.slice(22)}`, 'entities'],
    ['nested entities', `<!DOCTYPE f [<!ENTITY a "ha">]>${two.slice(22)}`, 'entities'],
    ['a cut document', two.slice(0, -20), 'broken-xml'],
    ['an endless text', `<feedback><a>${'x'.repeat(1_200_000)}`, 'oversized-element'],
  ])('is refused from %s on', async (_, content, reason) => {
    const read = await readAll(streamOf(Buffer.from(one + content)))
    expect(read).toEqual([expected[0], reason])
  })

  test('is limited in all', async () => {
    async function* endless() {
      yield Buffer.from(one)
      for (;;) yield Buffer.from(two)
    }
    const reports = parseAggregateReports(endless(), () => {}, one.length + two.length * 3)
    const kinds: string[] = []
    for await (const report of reports) kinds.push(report.kind)
    expect(kinds).toEqual(['report', 'report', 'error'])
  })
})
