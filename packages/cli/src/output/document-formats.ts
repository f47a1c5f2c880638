/** The formats that are one document about all domains, for other programs. */
import type { FailOn } from '../command-line/shared-options.js'
import { csvDocument } from './csv-document.js'
import type { DocumentEntry } from './document-entry.js'
import { junitDocument } from './junit-document.js'
import { markdownDocument } from './markdown-document.js'
import { sarifDocument } from './sarif-document.js'

type WriteDocument = (entries: readonly DocumentEntry[], failOn: FailOn) => string

export const DOCUMENT_FORMATS = {
  csv: csvDocument,
  markdown: markdownDocument,
  junit: junitDocument,
  sarif: sarifDocument,
} as const satisfies Record<string, WriteDocument>

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
