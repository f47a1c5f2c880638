/** The formats that are one document about all domains, for other programs. */

import { type Finding, toCsvRecords } from '@mailgrade/core'
import type { FailOn } from '../command-line/shared-options.js'
import type { DocumentEntry } from './document-entry.js'
import { junitDocument } from './junit-document.js'
import { markdownDocument } from './markdown-document.js'
import { sarifDocument } from './sarif-document.js'

export const DOCUMENT_FORMATS = {
  csv: csvDocument,
  markdown: markdownDocument,
  junit: junitDocument,
  sarif: sarifDocument,
} as const satisfies Record<string, (entries: readonly DocumentEntry[], failOn: FailOn) => string>

export const REPORT_FORMATS = [
  'text',
  'json',
  'ndjson',
  'csv',
  'markdown',
  'junit',
  'sarif',
] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

const COLUMNS =
  'domain verdict severity id title fix record_type record_name record_value reference error'.split(
    ' ',
  )

/** A row for each finding, and one for each domain that has none. */
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
