/** The formats that are one document about all domains, for other programs. */
import type { Finding } from '@mailgrade/core'
import type { FailOn } from '../command-line/shared-options.js'
import type { ReportOutcome } from './report-outcome.js'

export interface DocumentOptions<Report> {
  readonly failOn: FailOn
  findings(report: Report): readonly Finding[]
}

export type WriteDocument = <Report>(
  outcomes: readonly ReportOutcome<Report>[],
  options: DocumentOptions<Report>,
) => string

export const DOCUMENT_FORMATS: Readonly<Record<string, WriteDocument>> = {}

export const REPORT_FORMATS = ['text', 'json', 'ndjson'] as const
