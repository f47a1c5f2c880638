import { gzipSync } from 'node:zlib'
import { aggregateFile } from '@mailgrade/testing/aggregate-file'
import {
  type AggregateReportValues,
  BEGIN,
  buildAggregateReport,
  DAY,
} from '@mailgrade/testing/build-aggregate-report'
import { describe, expect, test } from 'vitest'
import {
  type FoundFile,
  type ReadProgress,
  readAggregateReports,
} from './read-aggregate-reports.js'

function filesOf(...reports: readonly AggregateReportValues[]): FoundFile[] {
  return reports.map((values, index) =>
    aggregateFile(buildAggregateReport(values), { name: `${index + 1}.xml` }),
  )
}

function read(...reports: readonly AggregateReportValues[]) {
  return readAggregateReports(() => filesOf(...reports))
}

test('adds up the records of a source over reports', async () => {
  const { domains, reports } = await read(
    { id: '1', records: [{ count: 3 }, { count: 4, dkim: 'fail', spf: 'fail' }] },
    {
      id: '2',
      org: 'other.test',
      begin: BEGIN + DAY,
      end: BEGIN + 2 * DAY - 1,
      records: [{ count: 5 }],
    },
  )
  expect(reports).toEqual({ counted: 2, copies: 0, failed: 0, skippedFiles: 0 })
  expect(domains).toHaveLength(1)
  expect(domains[0]).toMatchObject({
    domain: 'example.com',
    reports: 2,
    messages: 12,
    passing: 8,
    failing: 4,
    period: { begin: '2026-10-19T00:00:00.000Z', end: '2026-10-20T23:59:59.000Z', days: 2 },
    byClass: { 'yours-and-passing': 0, 'yours-not-aligned': 12, forwarded: 0, unknown: 0 },
    days: [
      { date: '2026-10-19', passing: 3, failing: 4 },
      { date: '2026-10-20', passing: 5, failing: 0 },
    ],
    reporters: [
      { name: 'receiver.test', reports: 1, messages: 7 },
      { name: 'other.test', reports: 1, messages: 5 },
    ],
    sources: [
      {
        class: 'yours-not-aligned',
        kind: 'own',
        name: 'example.com',
        messages: 12,
        passing: 8,
        failing: 4,
        spf: { raw: 12, aligned: 8, domains: [{ name: 'example.com', messages: 12 }] },
        dkim: {
          raw: 12,
          aligned: 8,
          signatures: [{ domain: 'example.com', selector: 's', messages: 12 }],
        },
        dispositions: [{ name: 'none', messages: 12 }],
        headerFrom: [{ name: 'example.com', messages: 12 }],
        addresses: [{ name: '192.0.2.1', messages: 12 }],
        reporters: [
          { name: 'receiver.test', messages: 7 },
          { name: 'other.test', messages: 5 },
        ],
        firstSeen: '2026-10-19T00:00:00.000Z',
        lastSeen: '2026-10-20T23:59:59.000Z',
        firstFailing: '2026-10-19T00:00:00.000Z',
      },
    ],
  })
})

test('keeps domains apart, most messages first', async () => {
  const { domains } = await read(
    { id: '1', policy: { domain: 'small.test', p: 'none' } },
    { id: '2', policy: { domain: 'large.test', p: 'none' }, records: [{ count: 9 }] },
  )
  expect(domains.map(({ domain, messages }) => [domain, messages])).toEqual([
    ['large.test', 9],
    ['small.test', 1],
  ])
})

test('counts a copy of a report once, in any container and with other white space', async () => {
  const xml = buildAggregateReport({ records: [{ count: 5 }] })
  const { reports, domains } = await readAggregateReports(() => [
    aggregateFile(xml),
    aggregateFile(gzipSync(xml)),
    aggregateFile(xml.replaceAll('><', '>\n<')),
  ])
  expect(reports).toMatchObject({ counted: 1, copies: 2 })
  expect(domains[0]?.messages).toBe(5)
})

test.each<[string, AggregateReportValues]>([
  ['another reporter', { org: 'other.test' }],
  ['another day', { begin: BEGIN + DAY, end: BEGIN + 2 * DAY - 1 }],
  ['another domain', { policy: { domain: 'example.net', p: 'none' } }],
  ['another id', { id: '2' }],
])('does not take %s for a copy', async (_, values) => {
  const { reports } = await read({}, values)
  expect(reports).toMatchObject({ counted: 2, copies: 0 })
})

test.each([
  ['first', [9, 5]],
  ['last', [5, 9]],
  ['in the middle', [5, 9, 6]],
])('counts the larger of different reports with one identity: %s', async (_, counts) => {
  const { reports, domains, problems } = await read(
    ...counts.map((count) => ({ records: [{ count }] })),
    { id: 'another', records: [{ count: 100 }] },
  )
  expect(domains[0]?.messages).toBe(109)
  expect(reports).toMatchObject({ counted: 2, failed: 0 })
  expect(problems.map(({ kind }) => kind)).toEqual(counts.slice(1).map(() => 'conflicting-copy'))
})

test('counts the first of different reports where the input cannot be read twice', async () => {
  const files = [5, 9].map((count) =>
    aggregateFile(buildAggregateReport({ records: [{ count }] }), { canReopen: false }),
  )
  const { domains, problems } = await readAggregateReports(() => files)
  expect(domains[0]?.messages).toBe(5)
  expect(problems.map(({ kind }) => kind)).toEqual(['conflicting-copy-later'])
})

describe('files with several reports', () => {
  const xml = ['1', '2', '3'].map((id) =>
    buildAggregateReport({ id, records: [{ count: Number(id) }] }),
  )
  const gzips = xml.map((content) => gzipSync(content))
  const withByte = (bytes: Buffer, at: number) => {
    const changed = Buffer.from(bytes)
    changed[changed.length + at] = (changed.at(at) ?? 0) ^ 0xff
    return changed
  }

  async function readOne(content: string | Buffer) {
    const { reports, domains, problems } = await readAggregateReports(() => [
      aggregateFile(content),
    ])
    return { reports, messages: domains[0]?.messages, problems: problems.map(({ kind }) => kind) }
  }

  test.each([
    ['concatenated XML', xml.join('\n')],
    ['concatenated gzip', Buffer.concat(gzips)],
    ['gzip of concatenated XML', gzipSync(xml.join(''))],
  ])('count all of them: %s', async (_, content) => {
    expect(await readOne(content)).toEqual({
      reports: { counted: 3, copies: 0, failed: 0, skippedFiles: 0 },
      messages: 6,
      problems: [],
    })
  })

  test('count a copy once', async () => {
    const { reports, messages } = await readOne(`${xml[0]}${xml[1]}${xml[0]}`)
    expect(reports).toMatchObject({ counted: 2, copies: 1 })
    expect(messages).toBe(3)
  })

  test.each([
    ['cut XML', `${xml[0]}${xml[1]}${xml[2]?.slice(0, -30)}`],
    ['cut gzip', Buffer.concat(gzips).subarray(0, -60)],
  ])('say that a later one could not be read: %s', async (_, content) => {
    const { reports, messages, problems } = await readOne(content)
    expect(reports).toMatchObject({ counted: 2, failed: 1 })
    expect(messages).toBe(3)
    expect(problems.at(-1)).toBe('unreadable-rest')
  })

  test('are left after 100 reports that say nothing', async () => {
    const { reports, problems } = await readOne(`${'<feedback/>'.repeat(1_000)}${xml[0]}`)
    expect(reports).toMatchObject({ counted: 0, failed: 101 })
    expect(problems.slice(99)).toEqual(['incomplete', 'unreadable-rest'])
  })

  test.each([
    ['first', [-6, null]],
    ['second', [null, -6]],
  ])('count both if the checksum of the %s is wrong', async (_, bytes) => {
    const members = gzips.slice(0, 2).map((gzip, index) => {
      const at = bytes[index] ?? null
      return at === null ? gzip : withByte(gzip, at)
    })
    const { reports, messages, problems } = await readOne(Buffer.concat(members))
    expect(reports).toMatchObject({ counted: 2, failed: 0 })
    expect(messages).toBe(3)
    expect(new Set(problems)).toEqual(new Set(['repaired']))
  })
})

test('counts a report whose period is before DMARC, with a note', async () => {
  const { reports, domains, problems } = await read(
    { id: '1', records: [{ count: 2 }] },
    { id: '2', begin: 302_832_000, end: 302_918_399, records: [{ count: 5 }] },
  )
  expect(reports).toMatchObject({ counted: 2, failed: 0 })
  expect(domains[0]?.messages).toBe(7)
  expect(problems).toEqual([
    {
      severity: 'note',
      kind: 'early-period',
      file: '2.xml',
      message: expect.stringContaining('before DMARC existed'),
    },
  ])
})

test('spreads a long period over its days, with all messages', async () => {
  const { domains } = await read({ end: BEGIN + 3 * DAY - 1, records: [{ count: 10 }] })
  expect(domains[0]?.days).toEqual([
    { date: '2026-10-19', passing: 3, failing: 0 },
    { date: '2026-10-20', passing: 3, failing: 0 },
    { date: '2026-10-21', passing: 4, failing: 0 },
  ])
})

test('counts a period of up to 27 hours for the day with most of it', async () => {
  const begin = BEGIN + 20 * 3600
  const { domains } = await read({ begin, end: begin + 27 * 3600, records: [{ count: 10 }] })
  expect(domains[0]?.days).toEqual([{ date: '2026-10-20', passing: 10, failing: 0 }])
})

test('folds the smallest sources and keeps every sum exact', async () => {
  const records = Array.from({ length: 2_000 }, (_, index) => ({
    ip: `10.${index >> 8}.${index & 255}.1`,
    count: index + 1,
    dkim: 'fail',
    spf: 'fail',
    dkimResults: [],
    spfResults: [],
  }))
  const { domains } = await read({ records })
  const [domain] = domains
  const total = (2_000 * 2_001) / 2
  expect(domain?.messages).toBe(total)
  expect(domain?.sources.reduce((sum, { messages }) => sum + messages, 0)).toBe(total)
  expect(domain?.sources.length).toBeLessThanOrEqual(626)
  expect(domain?.sources.filter(({ kind }) => kind === 'others')).toHaveLength(1)
  expect(domain?.sources.find(({ name }) => name === '10.7.207.0/24')?.messages).toBe(2_000)
})

test('uses the policy of the latest report', async () => {
  const { domains } = await read(
    {
      id: '2',
      begin: BEGIN + DAY,
      end: BEGIN + 2 * DAY,
      policy: { domain: 'example.com', p: 'reject' },
    },
    { id: '1' },
  )
  expect(domains[0]?.policy.p).toBe('reject')
})

test('takes names of one company for one reporter', async () => {
  const email = 'dmarcreport@microsoft.com'
  const { domains } = await read(
    { org: 'Outlook.com', email },
    { org: 'Enterprise Outlook', email },
  )
  expect(domains[0]?.reporters).toEqual([{ name: 'Outlook.com', reports: 2, messages: 2 }])
})

test('skips other files silently, unless they were named', async () => {
  const other = { ...aggregateFile('hello'), isGiven: false }
  const { files, reports, problems } = await readAggregateReports(() => [other, ...filesOf({})])
  expect(files).toBe(2)
  expect(reports).toEqual({ counted: 1, copies: 0, failed: 0, skippedFiles: 1 })
  expect(problems).toEqual([])
  const named = await readAggregateReports(() => [aggregateFile('hello')])
  expect(named.problems.map(({ kind }) => kind)).toEqual(['not-a-report'])
})

test('reports progress for each file', async () => {
  const files = filesOf({ id: '1' }, { id: '2' })
  const seen: ReadProgress[] = []
  await readAggregateReports(() => files, { onProgress: (progress) => seen.push(progress) })
  expect(seen).toEqual([
    { files: 1, reports: 0, file: '1.xml' },
    { files: 2, reports: 1, file: '2.xml' },
  ])
})

test('stops when aborted and returns what was read', async () => {
  const files = filesOf({ id: '1' }, { id: '2' }, { id: '3' })
  const controller = new AbortController()
  const onProgress = ({ files }: ReadProgress) => {
    if (files === 2) controller.abort()
  }
  const read = await readAggregateReports(() => files, { onProgress, signal: controller.signal })
  expect(read.reports.counted).toBe(1)
  expect(read.problems.map(({ kind }) => kind)).toEqual(['aborted'])
})

test('names at most 1,000 problems and counts all', async () => {
  const files = Array<FoundFile>(1_005).fill(aggregateFile('hello'))
  const { problems, problemCount } = await readAggregateReports(() => files)
  expect([problems.length, problemCount]).toEqual([1_000, 1_005])
})
