/** A judgement: what is wrong, why it matters, what to do, and the records that show it. */
import { z } from 'zod'
import { SEVERITIES } from '../catalog/findings/finding-entry.js'
import { FINDINGS, type FindingId } from '../catalog/findings/findings.js'

export const proposedRecordSchema = z
  .object({ type: z.enum(['TXT', 'MX']), name: z.string(), value: z.string() })
  .meta({
    id: 'ProposedRecord',
    description: 'A record to publish, in place of what stands there of its kind',
  })

export type ProposedRecord = z.infer<typeof proposedRecordSchema>

export const findingSchema = z
  .object({
    id: z.string().describe('Stable id, `area.problem`'),
    severity: z.enum(SEVERITIES),
    title: z.string(),
    detail: z.string().describe('Why it matters'),
    fix: z.string().describe('What to do'),
    record: proposedRecordSchema
      .optional()
      .describe('The record that `fix` has published, where all of it is known'),
    evidence: z
      .array(z.object({ name: z.string(), type: z.string(), value: z.string() }))
      .describe('The DNS records that show it'),
    reference: z.string().describe('The RFC section it rests on'),
  })
  .meta({ id: 'Finding' })

export type Finding = z.infer<typeof findingSchema>

/** Severity and reference come from the catalogue, so that they are the same everywhere. */
export function createFinding(
  id: FindingId,
  words: Pick<Finding, 'title' | 'detail' | 'fix' | 'record'>,
  evidence: Finding['evidence'] = [],
): Finding {
  const { severity, reference } = FINDINGS[id]
  return { id, severity, ...words, evidence, reference }
}

/**
 * A TXT record as part of a finding's words; nothing where a placeholder, which only the owner can
 * fill in, or anything but printable ASCII is in it: that cannot be pasted as it is shown.
 */
export function proposeTxtRecord(name: string, value: string): Pick<Finding, 'record'> {
  return /^[\x20-;=?-~]+$/.test(value) ? { record: { type: 'TXT', name, value } } : {}
}

/** Enough for a key of 4096 bits. Many findings may rest on one record, which the report has in full. */
const LONGEST_EVIDENCE = 1_000

/** A TXT record as evidence; its text as it is shown. */
export function txtEvidence(name: string, text: string): Finding['evidence'][number] {
  const value = text.length > LONGEST_EVIDENCE ? `${text.slice(0, LONGEST_EVIDENCE)}…` : text
  return { name, type: 'TXT', value }
}

export const STATUSES = ['pass', 'warn', 'fail'] as const

/** A check fails on anything grave, warns of anything that should be mended, and passes otherwise. */
export function deriveStatus(findings: readonly Finding[]): (typeof STATUSES)[number] {
  const severities = new Set(findings.map((found) => found.severity))
  if (severities.has('critical') || severities.has('high')) return 'fail'
  return severities.has('medium') || severities.has('low') ? 'warn' : 'pass'
}
