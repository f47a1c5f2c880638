/** What the DMARC policy means for BIMI, for a caller that knows both. */
import { createFinding, type Finding, txtEvidence } from '../finding.js'
import type { TransportReport } from './transport-report.js'
import { hasLogo } from './txt-record-formats.js'

interface Enforcement {
  /** What receivers do with forged mail. */
  readonly treatment: 'none' | 'quarantine' | 'reject'
  /** The share of mail that the policy applies to. */
  readonly percent: number | null
}

/** §7.1 of the draft: a logo needs quarantine for all mail, or reject. */
export function judgeBimiEnforcement(
  { bimi }: Pick<TransportReport, 'bimi'>,
  { treatment, percent }: Enforcement,
): Finding[] {
  const isEnforced =
    treatment === 'reject' || (treatment === 'quarantine' && (percent ?? 100) === 100)
  if (isEnforced || !bimi.valid || bimi.record === null || !hasLogo(bimi.record)) return []
  return [
    createFinding(
      'transport.bimi-without-enforcement',
      {
        title: 'No logo is shown: DMARC is not enforced',
        detail:
          'Mail programs show a BIMI logo only if the DMARC policy is quarantine for all mail, or reject.',
        fix: 'Keep the BIMI record. The logo can appear once DMARC is at "p=quarantine" with no pct= tag, or at "p=reject". Move there only when reports show that all your mail passes.',
      },
      [txtEvidence(bimi.name, bimi.record)],
    ),
  ]
}
