import { parse } from 'csv-parse/sync'
import { expect, test } from 'vitest'
import {
  createEntry,
  createFinding,
  HOSTILE_ENTRIES,
  HOSTILE_TEXTS,
  UNAVAILABLE_ENTRY,
} from '../../test/support/document-entries.js'
import { csvDocument } from './csv-document.js'

const readRows = (csv: string): Record<string, string>[] =>
  parse(csv, { columns: true, record_delimiter: '\r\n' })

test('has a row for every finding', () => {
  const record = { type: 'TXT', name: '_dmarc.acme.test', value: 'v=DMARC1; p=none' } as const
  const findings = [createFinding({ record }), createFinding({ id: 'spf.missing' })]
  const rows = readRows(csvDocument([createEntry({ findings })]))
  expect(rows.map(({ id }) => id)).toEqual(['dmarc.missing', 'spf.missing'])
  expect(rows[0]).toEqual({
    domain: 'acme.test',
    verdict: 'Exposed',
    severity: 'high',
    id: 'dmarc.missing',
    title: 'No DMARC record',
    fix: 'Publish a record.',
    record_type: 'TXT',
    record_name: '_dmarc.acme.test',
    record_value: 'v=DMARC1; p=none',
    reference: 'RFC 9989 §4.10.1',
    error: '',
  })
})

test('has a row for a domain without findings, and for one without a report', () => {
  const fine = createEntry({ headline: { status: 'pass', label: 'Protected', sentence: 'Yes.' } })
  const rows = readRows(csvDocument([fine, UNAVAILABLE_ENTRY]))
  expect(rows.map(({ domain, verdict, id, error }) => [domain, verdict, id, error])).toEqual([
    ['acme.test', 'Protected', '', ''],
    ['slow.test', 'Unknown', '', 'MX slow.test could not be looked up: no answer in time.'],
  ])
})

test('keeps any text in its field, and no field is a formula', () => {
  const rows = readRows(csvDocument(HOSTILE_ENTRIES)).filter(({ severity }) => severity === 'high')
  const guarded = HOSTILE_TEXTS.map((text) => {
    const inUtf8 = Buffer.from(text).toString()
    return inUtf8.replace(/^[=+\-@]/gm, "'$&")
  })
  expect(rows.map(({ title }) => title)).toEqual(guarded)
  expect(rows.map((row) => row.record_value)).toEqual(guarded)
})
