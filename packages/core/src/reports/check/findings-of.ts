import { SEVERITIES } from '../../catalog/findings/finding-entry.js'
import type { Finding } from '../../checks/finding.js'
import type { Parts } from './parts.js'

/** Of all four checks, gravest first; equally grave ones as the checks have them. */
export function findingsOf({ mx, spf, dmarc, dkim }: Parts): Finding[] {
  return [spf, dmarc, dkim, mx].flatMap(({ issues }) => issues).sort(byGravity)
}

export function isFault({ severity }: Finding): boolean {
  return severity !== 'info'
}

function byGravity(one: Finding, other: Finding): number {
  return SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity)
}
