import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { aggregateFile } from '@mailgrade/testing/aggregate-file'
import { buildAggregateReport } from '@mailgrade/testing/build-aggregate-report'
import { buildMail, buildZip } from '@mailgrade/testing/build-archive'
import { expect, test } from 'vitest'
import { readAggregateReports } from './read-aggregate-reports.js'

const XML = buildAggregateReport({ records: [{ count: 5 }] })

async function read(...contents: (Buffer | string)[]) {
  const files = contents.map((content, index) =>
    aggregateFile(content, { name: `file ${index + 1}`, canReopen: false }),
  )
  const { reports, problems, domains } = await readAggregateReports(() => files)
  return {
    counted: reports.counted,
    messages: domains.reduce((sum, { messages }) => sum + messages, 0),
    problems: problems.map(({ file, kind }) => `${file}: ${kind}`),
  }
}

/** Hardly compresses. */
const NOISE = Array.from({ length: 20 }, (_, index) =>
  createHash('sha256').update(`${index}`).digest('hex'),
).join('')

const other = (id: string) => buildAggregateReport({ id, records: [{ count: 3 }] })
const ONE = { counted: 1, messages: 5, problems: [] }

test.each([
  ['plain XML', Buffer.from(XML)],
  ['gzip', gzipSync(XML)],
  ['zip', buildZip([{ name: 'report.xml', content: XML }])],
  ['zip without compression', buildZip([{ name: 'report.xml', content: XML, method: 0 }])],
  [
    'zip with a CSV file beside it',
    buildZip([
      { name: 'report.csv', content: 'a,b' },
      { name: 'report.xml', content: XML },
    ]),
  ],
  [
    'zip with a folder',
    buildZip([
      { name: 'reports/', content: '' },
      { name: 'reports/report.xml', content: XML },
    ]),
  ],
  [
    'zip with a name that leads out of the folder',
    buildZip([{ name: '../../etc/cron.d/report.xml', content: XML }]),
  ],
  ['zip with an absolute Windows name', buildZip([{ name: 'C:\\report.xml', content: XML }])],
  [
    'zip that lies about the size',
    buildZip([{ name: 'report.xml', content: XML, declaredSize: 1 }]),
  ],
  ['several gzip members', Buffer.concat([gzipSync(XML.slice(0, 100)), gzipSync(XML.slice(100))])],
  ['gzip with zero bytes at the end', Buffer.concat([gzipSync(XML), Buffer.alloc(20)])],
])('reads %s', async (_, content) => {
  expect(await read(content)).toEqual(ONE)
})

test('reads several reports from one archive', async () => {
  const content = buildZip([
    { name: 'a.xml', content: XML },
    { name: 'b.xml', content: other('2') },
  ])
  expect(await read(content)).toEqual({ counted: 2, messages: 8, problems: [] })
})

test.each([
  ['text at the end', Buffer.concat([gzipSync(XML), Buffer.from('\r\nsent by a gateway\r\n')])],
  ['a wrong checksum', withByte(gzipSync(XML), -6)],
  ['its last bytes missing', gzipSync(XML).subarray(0, -6)],
  ['the end of its compressed data missing', gzipSync(`${XML}${NOISE}`).subarray(0, -200)],
  ['a file name, extra field, comment and checksum in its header, and cut', cutWithHeader()],
])('recovers a report from gzip with %s, and says so', async (_, content) => {
  expect(await read(content)).toEqual({
    counted: 1,
    messages: 5,
    problems: ['file 1: repaired'],
  })
})

function withByte(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes)
  const index = bytes.length + at
  changed[index] = (changed[index] ?? 0) ^ 0xff
  return changed
}

function cutWithHeader(): Buffer {
  const plain = gzipSync(XML)
  const header = Buffer.from(plain.subarray(0, 10))
  header[3] = 0x02 | 0x04 | 0x08 | 0x10
  const extra = Buffer.from([3, 0, 1, 0, 2])
  const fields = [extra, Buffer.from('report.xml\0'), Buffer.from('by hand\0'), Buffer.alloc(2)]
  return Buffer.concat([header, ...fields, plain.subarray(10, -4)])
}

test.each([
  ['gzip that is cut inside the report', gzipSync(XML).subarray(0, 200), 'damaged'],
  ['gzip with only a header', gzipSync(XML).subarray(0, 10), 'damaged'],
  ['gzip of the word unused', gzipSync('unused'), 'not-a-report'],
  ['gzip of nothing', gzipSync(''), 'empty'],
  ['gzip in gzip', gzipSync(gzipSync(XML)), 'nested-archive'],
  ['zip in gzip', gzipSync(buildZip([{ name: 'a.xml', content: XML }])), 'nested-archive'],
  ['a cut zip', buildZip([{ name: 'a.xml', content: XML }]).subarray(0, 150), 'damaged'],
  ['a zip without a report', buildZip([{ name: 'a.txt', content: 'hello' }]), 'no-report-inside'],
  ['an empty zip', buildZip([]), 'no-report-inside'],
  [
    'a zip with a password',
    buildZip([{ name: 'a.xml', content: XML, isEncrypted: true }]),
    'encrypted',
  ],
  ['an empty file', '', 'empty'],
  ['a text file', 'hello', 'not-a-report'],
  ['a web page', '<!doctype html><html></html>', 'not-a-report'],
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47]), 'not-a-report'],
  ['a mail without a report', buildMail({}), 'no-report-inside'],
])('refuses %s', async (_, content, kind) => {
  expect(await read(content)).toEqual({ counted: 0, messages: 0, problems: [`file 1: ${kind}`] })
})

test('names the entry of a zip with a problem', async () => {
  const content = buildZip([
    { name: 'inner.zip', content: buildZip([{ name: 'a.xml', content: XML }]) },
    { name: 'odd.xml', content: XML, method: 99 },
  ])
  expect((await read(content)).problems).toEqual([
    'file 1: inner.zip: nested-archive',
    'file 1: odd.xml: damaged',
  ])
})

test('reads 20 entries of an archive, and refuses 21', async () => {
  const entries = (length: number) =>
    Array.from({ length }, (_, index) => ({ name: `${index}.xml`, content: other(`${index}`) }))
  expect(await read(buildZip(entries(20)))).toMatchObject({ counted: 20, problems: [] })
  expect((await read(buildZip(entries(21)))).problems).toEqual(['file 1: too-many-entries'])
})

const RECORD = XML.slice(XML.indexOf('<record>'), XML.indexOf('</feedback>'))
const BOMB = XML.replace('</feedback>', `${RECORD.repeat(2_500)}</feedback>`)

test.each([
  ['gzip', gzipSync(BOMB), 'file 1: compression-bomb'],
  ['zip', buildZip([{ name: 'a.xml', content: BOMB }]), 'file 1: a.xml: compression-bomb'],
  [
    'zip that lies about the size',
    buildZip([{ name: 'a.xml', content: BOMB, declaredSize: 10 }]),
    'file 1: a.xml: compression-bomb',
  ],
  [
    'gzip after the end of a report',
    gzipSync(Buffer.concat([Buffer.from(XML), Buffer.alloc(3_000_000)])),
    'file 1: compression-bomb',
  ],
  [
    'gzip that is one endless text',
    gzipSync(`<feedback>${' '.repeat(30_000_000)}`),
    'file 1: oversized-element',
  ],
])('refuses a bomb in %s', async (_, content, found) => {
  expect((await read(content)).problems).toEqual([found])
})

test('refuses more than 10 MB of compressed bytes', async () => {
  const start = gzipSync(XML)
  async function* open() {
    yield start
    for (let size = 0; size <= 10_000_000; size += 100_000) yield Buffer.alloc(100_000)
  }
  const { problems } = await readAggregateReports(() => [{ ...aggregateFile(''), open }])
  expect(problems.map(({ kind }) => kind)).toEqual(['too-large-compressed'])
})

test.each([
  ['gzip', 'application/gzip', gzipSync(XML)],
  ['gzip that claims to be zip', 'application/zip', gzipSync(XML)],
  ['zip', 'application/x-zip-compressed', buildZip([{ name: 'a.xml', content: XML }])],
  ['XML', 'text/xml', Buffer.from(XML)],
])('reads %s from a mail', async (_, type, content) => {
  expect(await read(buildMail({ attachments: [{ name: 'r', type, content }] }))).toEqual(ONE)
})

test.each([
  ['lines', `From: a@b.test\r\n\r\n${'x\n'.repeat(300_001)}`],
  [
    'units of base64',
    `From: a@b.test\r\nContent-Type: application/gzip\r\nContent-Transfer-Encoding: base64\r\n\r\n${'A='.repeat(300_001)}`,
  ],
])('refuses a mail with more %s than any report has', async (_, content) => {
  expect((await read(content)).problems).toEqual(['file 1: damaged'])
})

/** Each line that begins with `--` begins a part. */
const multipart = (subtype: string, part: string, count: number) =>
  `From: a@b.test\r\nContent-Type: multipart/${subtype}; boundary=b\r\n\r\n${part.repeat(count)}`

const inBase64 = (mail: string) =>
  [
    'From: a@b.test',
    'Content-Type: message/rfc822',
    'Content-Transfer-Encoding: base64',
    '',
    ...(Buffer.from(mail)
      .toString('base64')
      .match(/.{1,76}/g) ?? []),
  ].join('\r\n')

test.each([
  ['empty parts', multipart('mixed', '--b\r\n\r\n\r\n', 1_001)],
  ['mails inside', multipart('digest', '--b\r\n\r\nS: x\r\n\r\n', 1_001)],
  ['parts in an encoded mail', inBase64(multipart('mixed', '--b\r\n\r\n\r\n', 1_001))],
])('refuses a mail with 1,001 %s', async (_, content) => {
  expect((await read(content)).problems).toEqual(['file 1: too-many-entries'])
})

test('refuses a mail with 300 kB of header fields', async () => {
  const mail = (size: number) =>
    buildMail({
      headers: [`Cc: ${'a:'.repeat(size / 2)}`],
      attachments: [{ name: 'r.gz', content: gzipSync(XML) }],
    })
  expect(await read(mail(200_000))).toEqual(ONE)
  expect((await read(mail(300_000))).problems).toEqual(['file 1: damaged'])
})

test('reads 20 reports in a mail, and refuses 21', async () => {
  const mail = (length: number) =>
    buildMail({
      attachments: Array.from({ length }, (_, index) => ({
        name: `${index}.xml.gz`,
        content: gzipSync(other(`${index}`)),
      })),
    })
  expect(await read(mail(20))).toMatchObject({ counted: 20, problems: [] })
  expect(await read(mail(21))).toMatchObject({
    counted: 0,
    problems: ['file 1: too-many-entries'],
  })
})

test('finds the report behind 20 pictures', async () => {
  const picture = { name: 'p.png', content: Buffer.from([0x89, 0x50, 0x4e, 0x47]) }
  const pictures = Array.from({ length: 20 }, () => picture)
  const attachments = [...pictures, { name: 'r.gz', content: gzipSync(XML) }]
  expect(await read(buildMail({ attachments }))).toEqual(ONE)
})

test('opens one mail inside another, and none inside that', async () => {
  const wrap = (mail: string) =>
    `From: a@b.test\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n${mail}`
  const inner = buildMail({ attachments: [{ name: 'r.gz', content: gzipSync(XML) }] }).toString()
  expect(await read(wrap(inner))).toEqual(ONE)
  expect((await read(wrap(wrap(inner)))).problems).toEqual(['file 1: no-report-inside'])
})

test('reads the report in the text of a mail', async () => {
  expect(await read(`From: a@receiver.test\r\nSubject: report\r\n\r\n${XML}`)).toEqual(ONE)
})

test('reads the report in a mail that was forwarded as an attachment', async () => {
  const inner = buildMail({ attachments: [{ name: 'r.gz', content: gzipSync(XML) }] })
  const outer = [
    'From: a@example.com',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary="outer"',
    '',
    '--outer',
    'Content-Type: message/rfc822',
    '',
    inner,
    '--outer--',
  ].join('\r\n')
  expect(await read(outer)).toEqual(ONE)
})

test('does not count a report in a mail that failed DMARC', async () => {
  const headers = ['Authentication-Results: mx.example.com; spf=pass; dmarc=fail (p=none)']
  const attachments = [{ name: 'r.gz', content: gzipSync(XML) }]
  expect((await read(buildMail({ headers, attachments }))).problems).toEqual([
    'file 1: forged-mail',
  ])
  expect((await read(buildMail({ headers }))).problems).toEqual(['file 1: no-report-inside'])
})

test('counts a report in a mail whose last server saw DMARC pass', async () => {
  const headers = [
    'Authentication-Results: mx.example.com; dmarc=pass',
    'Authentication-Results: other.test; dmarc=fail',
  ]
  const attachments = [{ name: 'r.gz', content: gzipSync(XML) }]
  expect(await read(buildMail({ headers, attachments }))).toEqual(ONE)
})

test('reads an mbox, with the quoted lines and the mails without a report', async () => {
  const mail = (content: string) =>
    buildMail({ attachments: [{ name: 'r.gz', content: gzipSync(content) }] }).replace(
      '\r\nFrom ',
      '\r\n>From ',
    )
  const mbox = [
    'From receiver@test Mon Oct 19 00:00:00 2026',
    mail(XML),
    'From friend@test Mon Oct 19 00:00:00 2026',
    'From: friend@example.net\r\n\r\nHello\r\n\r\n>From here on\r\n',
    'From receiver@test Tue Oct 20 00:00:00 2026',
    mail(other('2')),
  ].join('\r\n')
  expect(await read(mbox)).toEqual({ counted: 2, messages: 8, problems: [] })
})
