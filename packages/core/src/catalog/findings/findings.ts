/** Every finding: its stable id, severity, meaning and reference. */
import { DKIM_FINDINGS } from './dkim-findings.js'
import { DMARC_FINDINGS } from './dmarc-findings.js'
import type { FindingEntry } from './finding-entry.js'
import { MX_FINDINGS } from './mx-findings.js'
import { PLAN_FINDINGS } from './plan-findings.js'
import { SPF_FINDINGS } from './spf-findings.js'
import { TRANSPORT_FINDINGS } from './transport-findings.js'

export const FINDINGS = {
  ...SPF_FINDINGS,
  ...DMARC_FINDINGS,
  ...DKIM_FINDINGS,
  ...MX_FINDINGS,
  ...TRANSPORT_FINDINGS,
  ...PLAN_FINDINGS,
} as const satisfies Record<string, FindingEntry>

export type FindingId = keyof typeof FINDINGS

/** What is wrong in our words alone: a title may have text from DNS, which a model could obey. */
export function findingMeaning(id: string): string {
  const entries: Readonly<Record<string, FindingEntry>> = FINDINGS
  return (entries[id]?.meaning ?? '').replaceAll('`', '')
}
