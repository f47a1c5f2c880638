/** A finding: what is wrong, why it matters, what to do, and the records that prove it. */
import type { Finding } from './report-fields.js'

export type { Finding, ProposedRecord } from './report-fields.js'

/**
 * A TXT record to publish, as part of a finding. None if it contains a placeholder or anything but
 * printable ASCII: that cannot be pasted as shown.
 */
export function proposeTxtRecord(name: string, value: string): Pick<Finding, 'record'> {
  return /^[\x20-;=?-~]+$/.test(value) ? { record: { type: 'TXT', name, value } } : {}
}

/** Enough for a 4096-bit key. The report holds every record in full elsewhere. */
const MAX_EVIDENCE_LENGTH = 1_000

/** A TXT record as evidence, with its text as displayed. */
export function txtEvidence(name: string, text: string): Finding['evidence'][number] {
  const value = text.length > MAX_EVIDENCE_LENGTH ? `${text.slice(0, MAX_EVIDENCE_LENGTH)}…` : text
  return { name, type: 'TXT', value }
}

/** Every link of a CNAME chain that starts at a name. */
export function cnameEvidence(name: string, cnames: readonly string[]): Finding['evidence'] {
  return cnames.map((value, index) => ({ name: cnames[index - 1] ?? name, type: 'CNAME', value }))
}

export const STATUSES = ['pass', 'warn', 'fail'] as const
export const STATUS_MEANING =
  '`fail`: a critical or high finding. `warn`: a medium or low one. `pass`: neither'

/** Fails on critical and high findings, warns on medium and low ones, and passes otherwise. */
export function deriveStatus(findings: readonly Finding[]): (typeof STATUSES)[number] {
  const severities = new Set(findings.map(({ severity }) => severity))
  if (severities.has('critical') || severities.has('high')) return 'fail'
  return severities.has('medium') || severities.has('low') ? 'warn' : 'pass'
}
