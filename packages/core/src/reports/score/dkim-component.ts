import type { DkimReport } from '../../checks/dkim/dkim-report.js'
import { DMARC_POINTS } from './dmarc-component.js'
import { buildComponent, findingDeductions } from './score-component.js'
import type { Deduction, ScoreComponent } from './score-report.js'
import { SPF_POINTS } from './spf-component.js'

const DKIM_POINTS = 25

export function scoreDkim(dkim: DkimReport): ScoreComponent {
  const costs = findingDeductions(dkim)
  const usable = dkim.keys.filter(({ valid }) => valid)
  const areAllTesting = usable.every(({ testing }) => testing)
  return buildComponent(DKIM_POINTS, [
    ...costs('dkim.missing', DKIM_POINTS),
    ...costs('dkim.revoked', DKIM_POINTS),
    ...costs('dkim.unknown', 13),
    ...costs('dkim.unknown-selector', 7),
    ...costs('dkim.weak-key', 20),
    ...costs('dkim.short-key', 6),
    ...costs('dkim.testing', areAllTesting ? 8 : 2),
    ...costs('dkim.ed25519-only', 5),
    ...costs('dkim.sha1-only', 15),
    ...costs('dkim.malformed', 3),
  ])
}

/**
 * A domain that sends nothing has nothing to sign: DKIM is worth the share of its points that SPF
 * and DMARC have of theirs, and what they lose points to, it loses them to as well.
 */
export function scoreNonSendingDkim(spf: ScoreComponent, dmarc: ScoreComponent): ScoreComponent {
  let kept = SPF_POINTS + DMARC_POINTS
  const lost = [...spf.deductions, ...dmarc.deductions].map(({ id, points }): Deduction => {
    const before = shareOf(kept)
    kept -= points
    return { id, points: before - shareOf(kept) }
  })
  return buildComponent(DKIM_POINTS, lost)
}

function shareOf(points: number): number {
  return Math.round((DKIM_POINTS * points) / (SPF_POINTS + DMARC_POINTS))
}
