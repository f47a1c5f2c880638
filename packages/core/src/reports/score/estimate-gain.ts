/** What mending a finding gains where no record shows it: the points that go with the finding. */
import type { Finding } from '../../checks/finding.js'
import type { CheckReports } from '../check/check-reports.js'
import { findingsBySeverity } from '../check/findings-by-severity.js'
import { calculateScore, type ScoreBreakdown } from './calculate-score.js'
import { sumPoints } from './score-component.js'
import { SCORE_COMPONENTS, type ScoreComponentName } from './score-report.js'

/** What goes away with something else, of which the first that is there has to be mended. */
const CAUSES: ReadonlyMap<string, readonly string[]> = new Map([
  ['spf.softfail-without-dmarc', ['dmarc.missing', 'dmarc.policy-none', 'dmarc.testing']],
  ['dmarc.reject-without-dkim', ['dkim.missing', 'dkim.revoked']],
])

interface Mended {
  readonly ids: ReadonlySet<string>
  /** Points that were promised already, though another fault as bad still holds them back. */
  readonly promised: Readonly<Record<ScoreComponentName, number>>
}

export const NOTHING_FIXED: Mended = {
  ids: new Set(),
  promised: { spf: 0, dkim: 0, dmarc: 0, mx: 0 },
}

/** The points with some findings gone, and with them what they cause. */
export function scoreWithoutFindings(
  parts: CheckReports,
  { ids }: Pick<Mended, 'ids'>,
): ScoreBreakdown {
  if (ids.size === 0) return calculateScore(parts)
  const present = presentIn(parts)
  const isGone = ({ id }: Finding) => ids.has(id) || ids.has(causeOf(id, present) ?? '')
  const mended = <Part extends { issues: Finding[] }>(part: Part): Part => ({
    ...part,
    issues: part.issues.filter((each) => !isGone(each)),
  })
  const { mx, spf, dmarc, dkim } = parts
  return calculateScore({
    mx: mended(mx),
    spf: mended(spf),
    dmarc: mended(dmarc),
    dkim: mended(dkim),
  })
}

/** What each finding costs; none of those that something else has to be mended for. */
export function findingCosts(
  parts: CheckReports,
  { components }: ScoreBreakdown,
): ReadonlyMap<string, number> {
  const present = presentIn(parts)
  const costs = new Map<string, number>()
  for (const { id, points } of SCORE_COMPONENTS.flatMap((name) => components[name].deductions)) {
    if (causeOf(id, present) === null) costs.set(id, (costs.get(id) ?? 0) + points)
  }
  return costs
}

export function estimateGain(parts: CheckReports, mended: Mended, id: string) {
  const before = scoreWithoutFindings(parts, mended)
  const ids = new Set([...mended.ids, id])
  const after = scoreWithoutFindings(parts, { ids })
  const isHeldBack = after.score === before.score
  const gains = SCORE_COMPONENTS.map((name) => {
    const { points, max, deductions } = before.components[name]
    const gained = after.components[name].points - points
    const due = isHeldBack ? sumPoints(deductions.filter((each) => each.id === id)) : gained
    const promise = Math.max(Math.min(due, max - points - mended.promised[name]), 0)
    return { name, promise, promised: mended.promised[name] + promise - gained }
  })
  const promised = Object.fromEntries(gains.map((each) => [each.name, each.promised]))
  return {
    gained: gains.reduce((sum, { promise }) => sum + promise, 0),
    mended: { ids, promised: promised as Mended['promised'] } satisfies Mended,
  }
}

function presentIn(parts: CheckReports): ReadonlySet<string> {
  return new Set(findingsBySeverity(parts).map(({ id }) => id))
}

function causeOf(id: string, present: ReadonlySet<string>): string | null {
  return CAUSES.get(id)?.find((cause) => present.has(cause)) ?? null
}
