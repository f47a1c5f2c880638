/** What the DMARC policy means for BIMI, for a caller that knows both. */
import { type Finding, txtEvidence } from '../finding.js'
import { found, judge, type Rule } from '../rule.js'
import type { TransportReport } from './transport-report.js'
import { hasLogo } from './txt-record-formats.js'

interface Enforcement {
  /** What receivers do with forged mail. */
  readonly treatment: 'none' | 'quarantine' | 'reject'
  /** The share of mail that the policy applies to. */
  readonly percent: number | null
}

const RULES: readonly Rule<Pick<TransportReport, 'bimi'> & Enforcement>[] = [
  // §7.1 of the draft: a logo needs quarantine for all mail, or reject.
  ({ bimi: { name, record, valid }, treatment, percent }) => {
    const isEnforced =
      treatment === 'reject' || (treatment === 'quarantine' && (percent ?? 100) === 100)
    if (isEnforced || !valid || record === null || !hasLogo(record)) return null
    const evidence = [txtEvidence(name, record)]
    return found('transport.bimi-without-enforcement', {}, { evidence })
  },
]

export function judgeBimiEnforcement(
  { bimi }: Pick<TransportReport, 'bimi'>,
  enforcement: Enforcement,
): Finding[] {
  return judge(RULES, { bimi, ...enforcement })
}
