/** The findings of a check as a CSV file. */
import { toCsv } from '../csv.js'
import { findingsBySeverity } from './check-reports.js'
import type { DomainReport } from './domain-report.js'

export function findingsCsv(report: DomainReport): string {
  return toCsv([
    ['domain', 'severity', 'id', 'title', 'fix', 'reference'],
    ...findingsBySeverity(report).map(({ severity, id, title, fix, reference }) => [
      report.domain,
      severity,
      id,
      title,
      fix,
      reference,
    ]),
  ])
}
