/**
 * Compares our reading of every fixture with that of dmarc-cat and Mail::DMARC. Where they differ,
 * the difference is listed in `DIFFERENCES` with the reason.
 *
 * Needs dmarc-cat and libmail-dmarc-perl from Debian.
 */
import { createReadStream, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { AggregateRecord } from '../../src/aggregate-report.js'
import { parseOne } from '../parse-one.js'
import { DIFFERENCES } from './differences.js'
import {
  type ReadAggregateReport,
  type ReadByTool,
  readByDmarcCat,
  readByMailDmarc,
} from './read-by-others.js'

const FOLDER = fileURLToPath(new URL('../fixtures/', import.meta.url))
const NAMES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.xml'))
  .map((name) => name.replace('.xml', ''))
  .sort()

const pathOf = (name: string) => `${FOLDER}${name}.xml`

async function readByUs(name: string): Promise<ReadAggregateReport> {
  const records: AggregateRecord[] = []
  const read = await parseOne(createReadStream(pathOf(name)), (record) => records.push(record))
  if (read.kind === 'error') throw new Error(`${name}: ${read.reason}`)
  const { orgName, reportId, policy, begin, end } = read.metadata
  return {
    org: orgName,
    reportId,
    domain: policy.domain,
    begin: String(begin),
    end: String(end),
    records: records.map((record) => ({
      ip: record.sourceIp,
      count: String(record.count),
      disposition: record.disposition ?? '',
      dkim: record.dkim ?? '',
      spf: record.spf ?? '',
      headerFrom: record.headerFrom,
    })),
  }
}

/** The names of the fields that differ, in their order. */
function differences(ours: ReadAggregateReport, theirs: ReadByTool): string[] {
  if ('error' in theirs) return ['error']
  const fields = (['org', 'reportId', 'domain', 'begin', 'end'] as const).filter(
    (field) => ours[field] !== theirs[field],
  )
  if (ours.records.length !== theirs.records.length) return [...fields, 'number of records']
  const recordFields = (
    ['ip', 'count', 'disposition', 'dkim', 'spf', 'headerFrom'] as const
  ).filter((field) =>
    ours.records.some((record, index) => record[field] !== theirs.records[index]?.[field]),
  )
  return [...fields, ...recordFields]
}

test('has at least 40 fixtures', () => {
  expect(NAMES.length).toBeGreaterThanOrEqual(40)
})

test('dmarc-cat reads the same, except where listed', async () => {
  const read = NAMES.map((name) => readByDmarcCat(pathOf(name)))
  expect(await allDifferences(NAMES, read)).toEqual(listed('dmarc-cat'))
})

test('Mail::DMARC reads the same, except where listed', async () => {
  const read = readByMailDmarc(NAMES.map(pathOf))
  expect(await allDifferences(NAMES, read)).toEqual(listed('Mail::DMARC'))
})

test('Mail::DMARC reads the same without namespaces, except where listed', async () => {
  const names = NAMES.filter((name) => name === 'gmx' || name.startsWith('rfc9990'))
  const read = readByMailDmarc(names.map(pathOf), '--strip-namespace')
  expect(await allDifferences(names, read)).toEqual(listed('Mail::DMARC without namespaces'))
})

test('every listed fixture exists', () => {
  expect(DIFFERENCES.map(({ fixture }) => fixture).filter((name) => !NAMES.includes(name))).toEqual(
    [],
  )
})

async function allDifferences(
  names: readonly string[],
  read: readonly ReadByTool[],
): Promise<Record<string, string[]>> {
  expect(read).toHaveLength(names.length)
  const found: Record<string, string[]> = {}
  for (const [index, name] of names.entries()) {
    const fields = differences(await readByUs(name), read[index] ?? { error: 'no answer' })
    if (fields.length > 0) found[name] = fields
  }
  return found
}

function listed(tool: string): Record<string, readonly string[]> {
  return Object.fromEntries(
    DIFFERENCES.filter((each) => each.tool === tool).map(({ fixture, fields }) => [
      fixture,
      fields,
    ]),
  )
}
