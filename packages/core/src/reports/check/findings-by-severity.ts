import { SEVERITIES } from '../../catalog/findings/finding-entry.js'
import type { Finding } from '../../checks/finding.js'
import type { CheckReports } from './check-reports.js'

/** Of all four checks, gravest first; equally grave ones as the checks have them. */
export function findingsBySeverity({ mx, spf, dmarc, dkim }: CheckReports): Finding[] {
  return [spf, dmarc, dkim, mx].flatMap(({ issues }) => issues).sort(byGravity)
}

export function isActionable({ severity }: Finding): boolean {
  return severity !== 'info'
}

function byGravity(one: Finding, other: Finding): number {
  return SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity)
}
