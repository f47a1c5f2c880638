/** The table of several domains as a CSV file (RFC 4180). */
import { toCsv } from '../csv.js'
import { findingsBySeverity } from './check-reports.js'
import type { DomainReport } from './domain-report.js'
import type { DomainSummary } from './domain-summary.js'

const HEADINGS = [
  'Domain',
  'Verdict',
  'Answer',
  'SPF',
  'DKIM',
  'DMARC',
  'MX',
  'Fix first',
  'Checked (UTC)',
]

export function domainsCsv(rows: readonly DomainSummary[]): string {
  return toCsv([HEADINGS, ...rows.map(toFields)])
}

function toFields({ domain, label, answer, checked }: DomainSummary): string[] {
  if (checked === null) return [domain, label, answer, '', '', '', '', '', '']
  const { spf, dkim, dmarc, mx, fixes, checkedAt } = checked
  const mechanisms = [spf, dkim, dmarc, mx].map(({ words }) => words)
  return [domain, label, answer, ...mechanisms, fixes[0] ?? '', checkedAt]
}

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
