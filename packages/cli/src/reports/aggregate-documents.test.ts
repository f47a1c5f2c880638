import { fileURLToPath } from 'node:url'
import { stringifySafely, toCsvRecords } from '@mailgrade/core'
import { type AggregateSummary, readAggregateReports } from '@mailgrade/dmarc-reports'
import { aggregateFile } from '@mailgrade/testing/aggregate-file'
import {
  type AggregateReportValues,
  BEGIN,
  buildAggregateReport,
  DAY,
  type RecordValues,
} from '@mailgrade/testing/build-aggregate-report'
import { findUnsafe } from '@mailgrade/testing/unsafe-characters'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { toCsvRows } from './aggregate-csv.js'
import { renderHtml } from './aggregate-html.js'
import { renderText, type TextFormat } from './aggregate-text.js'
import { readAggregateFiles } from './read-aggregate-files.js'

const FIXTURES = fileURLToPath(new URL('../../../dmarc-reports/test/fixtures/', import.meta.url))

const plain = (_: TextFormat, text: string) => text
const asText = (read: AggregateSummary, columns = 80) => renderText(read, { columns, style: plain })

const NOW = new Date((BEGIN + 2 * DAY) * 1000)

function readReports(...reports: readonly AggregateReportValues[]): Promise<AggregateSummary> {
  const files = reports.map((values) => aggregateFile(buildAggregateReport(values)))
  return readAggregateReports(() => files, { now: NOW })
}

const readRecords = (...records: readonly RecordValues[]) => readReports({ records })

const UNALIGNED: RecordValues = {
  count: 30,
  dkim: 'fail',
  spf: 'fail',
  dkimResults: [{ domain: 'mcsv.net', selector: 'k2', result: 'pass' }],
  spfResults: [{ domain: 'mail1.mcsv.net', result: 'pass' }],
}

test('the text begins with the verdict and ends with what to fix', async () => {
  const text = asText(await readRecords({ count: 70 }, UNALIGNED))
  expect(text.split('\n').slice(0, 8)).toEqual([
    'example.com                                                               p=none',
    'Not ready for p=quarantine; t=y; pct=0: 4 conditions aren’t met.',
    '',
    '100 messages, 2026-10-19 to 2026-10-19. 70% pass DMARC.',
    '1 report from 1 organization: receiver.test.',
    'Would have been lost under p=quarantine: 30 of your messages and 0 forwarded',
    'ones.',
    '',
  ])
  expect(text).toContain(
    [
      'Yours, but failing DMARC: 30 messages',
      'Some or all of this mail fails DMARC, because neither SPF nor DKIM passes for',
      'your domain. Set up these sources before you enforce your policy.',
      'Source                                            Messages   Pass    SPF   DKIM',
      'Mailchimp                                               30     0%     0%     0%',
      '  DKIM passes for mcsv.net (k2); SPF passes for mail1.mcsv.net',
    ].join('\n'),
  )
  expect(text).toContain('Fix first\n1. Mailchimp: 30 messages fail\n')
  expect(text.endsWith('1 report counted from 1 file; 0 copies ignored, 0 unreadable.\n')).toBe(
    true,
  )
})

test.each([60, 80, 120])('no line of the text is wider than %i columns', async (columns) => {
  const text = asText(await readAggregateFiles([FIXTURES], { stdin: process.stdin }), columns)
  expect(text.split('\n').filter((line) => stringWidth(line) > columns)).toEqual([])
})

test.each([
  [{ p: 'quarantine', pct: '20' }, 'p=quarantine pct=20'],
  [{ p: 'quarantine', testing: 'y' }, 'p=quarantine t=y'],
  [{ p: 'reject', pct: '0', testing: 'y' }, 'p=reject pct=0 t=y'],
  [{ p: 'reject', sp: 'none' }, 'p=reject sp=none'],
])('the first line of the text has the policy: %j', async (policy, line) => {
  const text = asText(await readReports({ policy: { domain: 'example.com', ...policy } }))
  expect(text.split('\n')[0]).toMatch(new RegExp(`^example\\.com {2,}${line}$`))
})

test('subdomains with a weaker policy have a verdict of their own', async () => {
  const policy = { domain: 'example.com', p: 'reject', sp: 'none' }
  const record = { ...UNALIGNED, headerFrom: 'news.example.com' }
  const read = await readReports({ policy, records: [{ count: 70 }, record] })
  const text = asText(read)
  expect(text).toContain(
    'Subdomains, with sp=none\nNot ready for sp=quarantine: 5 conditions aren’t met.',
  )
  expect(text).toMatch(/^Mailchimp \(news\.example\.com\) +30 +0%/m)
  expect(text).toContain('Fix first\n1. Mailchimp: 30 messages fail\n')
  const html = renderHtml(read)
  expect(html).toContain('<h2>Subdomains, with sp=none</h2>')
  expect(html).toContain('<th scope="row">Mailchimp (news.example.com)<small>')
})

test('the text names a signature of yours that fails', async () => {
  const dkimResults = [{ domain: 'example.com', selector: 'erp', result: 'permerror' }]
  const record = { dkim: 'fail', spf: 'fail', dkimResults, spfResults: [] }
  expect(asText(await readRecords(record))).toContain('DKIM fails for example.com (erp)')
})

test('the text says that a source was fixed', async () => {
  const begin = BEGIN + 40 * DAY
  const fixed = { id: '2', begin, end: begin + DAY - 1, records: [{ count: 30 }] }
  const failing = { count: 30, dkim: 'fail', spf: 'fail' }
  const text = asText(await readReports({ records: [failing] }, fixed))
  expect(text).toMatch(/^example\.com +60 +50% .*\n {2}In its last 31 days, 100% passed\.$/m)
})

test('the text uses the given styles only', async () => {
  const style = (format: TextFormat, text: string) => `<${format}>${text}</${format}>`
  const text = renderText(await readRecords({}), { columns: 80, style })
  expect(text).toContain('<bold>example.com</bold>')
  expect(text).toContain(
    '<yellow>Unknown: there are too few reports for us to recommend p=quarantine; t=y; pct=0.</yellow>',
  )
  expect(text).not.toContain('\u001b')
})

const HOSTILE: RecordValues = {
  ...UNALIGNED,
  headerFrom: '&#x9b;31m&lt;script&gt;',
  dkimResults: [
    { domain: '&#x9b;2J&lt;img src=x onerror=alert(1)&gt;', selector: '=1', result: 'pass' },
  ],
  spfResults: [{ domain: '=cmd|&#x202e;x', result: 'pass' }],
  reasons: [{ type: 'other', comment: '&#x85;"&amp;\'&lt;b&gt;' }],
}

async function readHostile(): Promise<AggregateSummary> {
  const values = {
    org: '&#x9b;8m&lt;/title&gt;&lt;script&gt;',
    policy: { domain: '+evil&#x9b;2j.test', p: 'none' },
    records: [HOSTILE],
  }
  return readAggregateReports(() => [
    aggregateFile(buildAggregateReport(values), { name: '\u001b]0;owned\u0007<b>.xml' }),
    aggregateFile('PK\u0003\u0004', { name: '\u001b[2J<i>.zip' }),
  ])
}

test('no output lets control characters through', async () => {
  const read = await readHostile()
  expect(read.problems.map(({ kind }) => kind)).toEqual(['damaged'])
  expect(findUnsafe(asText(read))).toEqual([])
  expect(findUnsafe(renderHtml(read))).toEqual([])
  expect(findUnsafe(stringifySafely(read))).toEqual([])
  expect(findUnsafe(toCsvRows(read).flat().join('\n'))).toEqual([])
  expect(asText(read)).toContain('⟨U+009B⟩2j.test')
})

test('the page has no markup from reports and needs nothing from elsewhere', async () => {
  const html = renderHtml(await readHostile())
  expect(html).not.toMatch(/<(?:script|img|b|i|link|iframe)\b/)
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
  expect(html).not.toMatch(/https?:\/\/|url\(|@import| src=(?!x)| href=/)
  expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
  expect(html).toContain('prefers-color-scheme: dark')
})

test('the page shows the verdict before the sources, and the sources before the fixes', async () => {
  const html = renderHtml(await readRecords({ count: 70 }, UNALIGNED))
  const places = ['Not ready for p=quarantine', '>Mailchimp<', '<h2>Fix first</h2>'].map((text) =>
    html.indexOf(text),
  )
  expect(places).toEqual([...places].sort((one, other) => one - other))
  expect(places.every((place) => place > 0)).toBe(true)
  expect(html).toContain('<span style="width:30%">')
  expect(html).toContain('<title>2026-10-19: 70 pass, 30 fail</title>')
})

test('CSV has a row for each source', async () => {
  const rows = toCsvRows(await readRecords({ count: 70 }, UNALIGNED))
  const [header = [], ...sources] = rows
  const column = (name: string) => sources.map((row) => row[header.indexOf(name)])
  expect(column('source')).toEqual(['example.com', 'Mailchimp'])
  expect(column('class')).toEqual(['yours-and-passing', 'yours-not-aligned'])
  expect(column('messages')).toEqual(['70', '30'])
  expect(column('dmarc_pass')).toEqual(['70', '0'])
  expect(column('dkim_signatures')).toEqual(['s@example.com', 'k2@mcsv.net'])
  expect(column('dispositions')).toEqual(['none=70', 'none=30'])
  expect(rows.every((row) => row.length === header.length)).toBe(true)
})

test('no CSV cell begins like a formula', async () => {
  const csv = toCsvRecords(toCsvRows(await readHostile()))
  expect(csv).not.toMatch(/(^|[,;\t\r\n])[\s"]*[=+\-@]/)
  expect(csv).toContain("\r\n'+evil⟨U+009B⟩2j.test,")
})

test('every output works without reports', async () => {
  const read = await readAggregateReports(() => [])
  expect(asText(read)).toBe('0 reports counted from 0 files; 0 copies ignored, 0 unreadable.\n')
  expect(toCsvRows(read)).toHaveLength(1)
  expect(renderHtml(read)).toContain('<title>DMARC reports</title>')
})
