/** What to mend first, and what that gains. */
import type { Finding } from '../../checks/finding.js'
import { findingsOf } from '../check/findings-of.js'
import type { Parts } from '../check/parts.js'
import { type Assessment, assess } from './assess.js'
import { pointsOf } from './component.js'
import { COMPONENTS, type ComponentName, type Deduction, type ScoreReport } from './score-report.js'

const MOST_FIXES = 3

/** What goes away with something else, of which the first that is there has to be mended. */
const CAUSES: ReadonlyMap<string, readonly string[]> = new Map([
  ['spf.softfail-without-dmarc', ['dmarc.missing', 'dmarc.policy-none', 'dmarc.testing']],
  ['dmarc.reject-without-dkim', ['dkim.missing', 'dkim.revoked']],
])

/** Takes parts that were judged together. */
export function topFixes(parts: Parts, assessment: Assessment): ScoreReport['topFixes'] {
  const deductions = COMPONENTS.flatMap((name) => assessment.components[name].deductions)
  const findings = new Map(findingsOf(parts).map((each) => [each.id, each]))
  const mendable = [...new Set(deductions.map(({ id }) => id))]
    .filter((id) => causeOf(id, findings) === null)
    .flatMap((id) => findings.get(id) ?? [])
  return mendable
    .map((each) => ({ each, gained: pointsGained(each.id, parts, assessment, deductions) }))
    .sort((one, other) => other.gained - one.gained || rankOf(one.each) - rankOf(other.each))
    .slice(0, MOST_FIXES)
    .map(({ each, gained }, index) => ({
      rank: index + 1,
      id: each.id,
      component: componentOf(each),
      title: each.title,
      action: each.fix,
      record: each.record ?? null,
      pointsGained: gained,
    }))
}

function causeOf(id: string, findings: ReadonlyMap<string, unknown>): string | null {
  return CAUSES.get(id)?.find((cause) => findings.has(cause)) ?? null
}

/**
 * What the score is without the finding and what goes away with it. Where another fault would still
 * hold the points down, the finding gets the points that it is held to cost.
 */
function pointsGained(
  id: string,
  parts: Parts,
  { score }: Assessment,
  deductions: readonly Deduction[],
): number {
  const findings = new Map(findingsOf(parts).map((each) => [each.id, each]))
  const isMended = (each: Finding) => each.id === id || causeOf(each.id, findings) === id
  const own = pointsOf(deductions.filter((deduction) => deduction.id === id))
  return Math.max(assess(without(parts, isMended)).score - score, own)
}

function without({ mx, spf, dmarc, dkim }: Parts, isMended: (each: Finding) => boolean): Parts {
  const mended = <Part extends { issues: Finding[] }>(part: Part): Part => ({
    ...part,
    issues: part.issues.filter((each) => !isMended(each)),
  })
  return { mx: mended(mx), spf: mended(spf), dmarc: mended(dmarc), dkim: mended(dkim) }
}

/** Where it is mended, which need not be where it costs points. */
function componentOf({ id }: Finding): ComponentName {
  return COMPONENTS.find((name) => id.startsWith(`${name}.`)) ?? 'mx'
}

function rankOf(each: Finding): number {
  return COMPONENTS.indexOf(componentOf(each))
}
