import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { stringifySafely } from '@mailgrade/core'
import { readAggregateReports } from '@mailgrade/dmarc-reports'
import { aggregateFile } from '@mailgrade/testing/aggregate-file'
import { buildMail, buildZip } from '@mailgrade/testing/build-archive'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toCsvRows } from './aggregate-csv.js'
import { renderHtml } from './aggregate-html.js'
import { renderText } from './aggregate-text.js'

const FOLDER = new URL('../../../dmarc-reports/test/fixtures/', import.meta.url)
const FIXTURES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.xml'))
  .map((name) => readFileSync(new URL(name, FOLDER)))

const CONTAINERS: readonly ((content: Buffer) => Buffer)[] = [
  (content) => content,
  (content) => gzipSync(content),
  (content) => buildZip([{ name: 'a.xml', content }]),
  (content) =>
    Buffer.from(buildMail({ attachments: [{ name: 'a.xml.gz', content: gzipSync(content) }] })),
  (content) =>
    Buffer.from(
      `From a@b Mon Oct 19 00:00:00 2026\n${buildMail({ attachments: [{ name: 'a', content }] })}`,
    ),
]

interface Change {
  readonly at: number
  readonly removed: number
  readonly added: Uint8Array
}

const TOKENS = ['<', '>', '</', '<!DOCTYPE x [', '<!ENTITY', ']]>', '<![CDATA[', '&x;', '\0', '-1']

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.integer({ min: 0, max: 40 }),
  added: fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc.constantFrom(...TOKENS).map((token) => Buffer.from(token)),
  ),
})

function applyChanges(bytes: Buffer, changes: readonly Change[]): Buffer {
  return changes.reduce((content, { at, removed, added }) => {
    const start = Math.floor(at * content.length)
    return Buffer.concat([content.subarray(0, start), added, content.subarray(start + removed)])
  }, bytes)
}

/** The whole way, from the bytes to every output. */
async function readAndRender(content: Buffer): Promise<void> {
  const read = await readAggregateReports(() => [aggregateFile(content)])
  const { counted, copies, failed } = read.reports
  expect(counted + copies + failed).toBeGreaterThan(0)
  expect(read.problems.filter(({ message }) => message === '')).toEqual([])
  for (const { messages, passing, sources } of read.domains) {
    expect(Number.isSafeInteger(messages)).toBe(true)
    expect(passing).toBeLessThanOrEqual(messages)
    expect(sources.reduce((sum, source) => sum + source.messages, 0)).toBe(messages)
  }
  expect(renderText(read, { columns: 80, style: (_, text) => text })).not.toContain('\u001b')
  expect(renderHtml(read)).not.toContain('<script')
  expect(toCsvRows(read).length).toBeGreaterThan(0)
  expect(JSON.parse(stringifySafely(read))).toEqual(JSON.parse(JSON.stringify(read)))
}

test('changed reports in any container get an answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...FIXTURES),
      fc.constantFrom(...CONTAINERS),
      fc.array(change, { maxLength: 4 }),
      fc.array(change, { maxLength: 2 }),
      async (fixture, pack, inner, outer) => {
        await readAndRender(applyChanges(pack(applyChanges(fixture, inner)), outer))
      },
    ),
    { numRuns: propertyRuns(3_000) },
  )
})

const MAGIC = [
  '',
  '<',
  '<feedback>',
  '\x1f\x8b\x08\0',
  'PK\x03\x04',
  'From a\n',
  'Subject: a\n\n',
  '\ufeff<',
]

test('any bytes get an answer', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...MAGIC),
      fc.uint8Array({ maxLength: 400 }),
      async (magic, bytes) => {
        await readAndRender(Buffer.concat([Buffer.from(magic, 'latin1'), bytes]))
      },
    ),
    { numRuns: propertyRuns(3_000) },
  )
})
