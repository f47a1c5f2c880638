/** One row for each finding; a domain without findings has one row too. */
import { type Finding, toCsvRecords } from '@mailgrade/core'
import type { DocumentEntry } from './document-entry.js'

const COLUMNS = [
  'domain',
  'verdict',
  'severity',
  'id',
  'title',
  'fix',
  'record_type',
  'record_name',
  'record_value',
  'reference',
  'error',
]

export function csvDocument(entries: readonly DocumentEntry[]): string {
  return toCsvRecords([COLUMNS, ...entries.flatMap(toRows)])
}

function toRows({ domain, headline, errorCode, findings }: DocumentEntry): string[][] {
  const subject = [domain, headline.label]
  const error = errorCode === null ? '' : headline.sentence
  if (findings.length === 0) return [[...subject, ...NO_FINDING, error]]
  return findings.map((finding) => [...subject, ...toFields(finding), error])
}

const NO_FINDING = Array<string>(COLUMNS.length - 3).fill('')

function toFields({ severity, id, title, fix, record, reference }: Finding): string[] {
  const { type = '', name = '', value = '' } = record ?? {}
  return [severity, id, title, fix, type, name, value, reference]
}
