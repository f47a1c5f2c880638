/**
 * Finds the fixes that gain the most points, in the order in which to apply them.
 *
 * A greedy search: from the current state it tries every fix, keeps the best one, and continues from
 * the state that this fix leads to. A fix with a known record is measured by checking the domain
 * again with the record published. A fix without one is estimated from the points that its finding
 * costs. Each record includes the earlier ones, so no fix undoes another.
 */
import type { Finding, ProposedRecord } from '../../checks/finding.js'
import { type CheckReports, findingsBySeverity } from '../check/check-reports.js'
import { judgeAcrossChecks } from '../check/judge-across-checks.js'
import { calculateScore, type ScoreBreakdown, sumPoints } from './calculate-score.js'
import { SCORE_COMPONENTS, type ScoreComponentName, type ScoreReport } from './score-report.js'

type Fix = Omit<ScoreReport['topFixes'][number], 'rank'>

/** Runs the checks with records published one after the other; null if a lookup failed. */
export type RunChecksWith = (records: readonly ProposedRecord[]) => Promise<CheckReports | null>

const MAX_FIXES = 3

/** Where the fixes so far lead. */
interface State {
  /** The reports with `records` published, judged across checks. */
  readonly reports: CheckReports
  readonly score: number
  readonly records: readonly ProposedRecord[]
  /** Findings fixed without a record, which the reports therefore still have. */
  readonly fixed: FixedFindings
  readonly fixes: readonly Fix[]
}

interface FixedFindings {
  readonly ids: ReadonlySet<string>
  /** Points credited to earlier fixes although another finding still holds them back. */
  readonly credited: Readonly<Record<ScoreComponentName, number>>
}

const NOTHING_FIXED: FixedFindings = {
  ids: new Set(),
  credited: { spf: 0, dkim: 0, dmarc: 0, mx: 0 },
}

/** Takes the reports as `runChecks` returns them. */
export async function findTopFixes(
  checked: CheckReports,
  runChecksWith: RunChecksWith,
): Promise<ScoreReport['topFixes']> {
  const reports = judgeAcrossChecks(checked)
  const ids = findingIds(reports)
  const { score } = calculateScore(reports)
  let state: State = { reports, score, records: [], fixed: NOTHING_FIXED, fixes: [] }
  while (state.fixes.length < MAX_FIXES) {
    const steps = await stepsFrom(state, ids, runChecksWith)
    const [best] = steps.sort(
      (left, right) => compareGain(left.fix, right.fix) || right.cost - left.cost,
    )
    if (!best) break
    state = best.next
  }
  return state.fixes.map((fix, index) => ({ rank: index + 1, ...fix }))
}

interface Step {
  readonly fix: Fix
  /** What the finding costs today: of two fixes with the same gain, the more severe goes first. */
  readonly cost: number
  readonly next: State
}

function compareGain(left: Fix, right: Fix): number {
  return (
    right.pointsGained - left.pointsGained ||
    SCORE_COMPONENTS.indexOf(left.component) - SCORE_COMPONENTS.indexOf(right.component)
  )
}

/** Every step that gains points. Findings that appear only after a fix are left out. */
async function stepsFrom(
  state: State,
  ids: ReadonlySet<string>,
  runChecksWith: RunChecksWith,
): Promise<Step[]> {
  const breakdown = scoreWithoutFindings(state.reports, state.fixed.ids)
  const costs = findingCosts(state.reports, breakdown)
  const findings = new Map(findingsBySeverity(state.reports).map((each) => [each.id, each]))
  const candidates = [...costs.keys()]
    .filter((id) => ids.has(id))
    .flatMap((id) => findings.get(id) ?? [])
    .filter((finding) => isCandidate(finding, state))
  // Several findings may propose the same record.
  const results = new Map<string, Promise<CheckReports | null>>()
  const checkWith = (record: ProposedRecord) => {
    const key = JSON.stringify(record)
    const result = results.get(key) ?? runChecksWith([...state.records, record])
    results.set(key, result)
    return result
  }
  const steps = await Promise.all(
    candidates.map(async (finding) => {
      const checked = finding.record && (await checkWith(finding.record))
      const cost = costs.get(finding.id) ?? 0
      const step = checked
        ? stepWithRecord(state, breakdown, finding, checked)
        : stepWithoutRecord(state, breakdown, finding)
      return { cost, ...step }
    }),
  )
  return steps.filter(({ fix }) => fix.pointsGained > 0)
}

/** A record does not include fixes made without one in the same component, so it would undo them. */
function isCandidate(finding: Finding, { fixes, fixed }: State): boolean {
  if (fixes.some(({ id }) => id === finding.id)) return false
  const withoutRecord = fixes.filter(({ id }) => fixed.ids.has(id))
  const component = componentOf(finding)
  return !finding.record || withoutRecord.every((fix) => fix.component !== component)
}

function stepWithRecord(
  state: State,
  breakdown: ScoreBreakdown,
  finding: Finding,
  checked: CheckReports,
): Omit<Step, 'cost'> {
  const reports = judgeAcrossChecks(checked)
  const { score } = calculateScore(reports)
  const gained = score - state.score
  // The list is sorted by gain, and a record is listed with exactly what it gains. A fix that gains
  // more than the one before it is therefore listed without its record.
  if (gained > maxGain(state)) {
    return stepWithoutRecord(state, breakdown, { ...finding, record: undefined })
  }
  const fix = toFix(finding, gained)
  const records = finding.record ? [...state.records, finding.record] : state.records
  return { fix, next: { ...state, reports, score, records, fixes: [...state.fixes, fix] } }
}

function stepWithoutRecord(
  state: State,
  breakdown: ScoreBreakdown,
  finding: Finding,
): Omit<Step, 'cost'> {
  const { gained, fixed } = estimateGain(state, breakdown, finding.id)
  const fix = toFix(finding, Math.min(gained, maxGain(state)))
  const index = state.fixes.findLastIndex((earlier) => compareGain(earlier, fix) <= 0) + 1
  return { fix, next: { ...state, fixed, fixes: state.fixes.toSpliced(index, 0, fix) } }
}

/** No fix gains more than the one before it. */
function maxGain({ fixes }: State): number {
  return fixes.at(-1)?.pointsGained ?? 100
}

function toFix(finding: Finding, pointsGained: number): Fix {
  return {
    id: finding.id,
    component: componentOf(finding),
    title: finding.title,
    action: finding.fix,
    record: finding.record ?? null,
    pointsGained,
  }
}

/** The component to change, which may differ from the one that loses points. */
function componentOf({ id }: Finding): ScoreComponentName {
  return SCORE_COMPONENTS.find((name) => id.startsWith(`${name}.`)) ?? 'mx'
}

/** Findings that disappear with another one; the first cause present has to be fixed. */
const CAUSES: ReadonlyMap<string, readonly string[]> = new Map([
  ['spf.softfail-without-dmarc', ['dmarc.missing', 'dmarc.policy-none', 'dmarc.testing']],
  ['dmarc.reject-without-dkim', ['dkim.missing', 'dkim.revoked']],
])

function causeOf(id: string, present: ReadonlySet<string>): string | null {
  return CAUSES.get(id)?.find((cause) => present.has(cause)) ?? null
}

function findingIds(reports: CheckReports): ReadonlySet<string> {
  return new Set(findingsBySeverity(reports).map(({ id }) => id))
}

/** The score without some findings and without what they cause. */
function scoreWithoutFindings(reports: CheckReports, ids: ReadonlySet<string>): ScoreBreakdown {
  if (ids.size === 0) return calculateScore(reports)
  const present = findingIds(reports)
  const isFixed = ({ id }: Finding) => ids.has(id) || ids.has(causeOf(id, present) ?? '')
  const withoutFixed = <Report extends { issues: Finding[] }>(report: Report): Report => ({
    ...report,
    issues: report.issues.filter((finding) => !isFixed(finding)),
  })
  const { mx, spf, dmarc, dkim } = reports
  return calculateScore({
    mx: withoutFixed(mx),
    spf: withoutFixed(spf),
    dmarc: withoutFixed(dmarc),
    dkim: withoutFixed(dkim),
  })
}

/** What each finding costs, without findings that another one causes. */
function findingCosts(
  reports: CheckReports,
  { components }: ScoreBreakdown,
): ReadonlyMap<string, number> {
  const present = findingIds(reports)
  const costs = new Map<string, number>()
  for (const { id, points } of SCORE_COMPONENTS.flatMap((name) => components[name].deductions)) {
    if (causeOf(id, present) === null) costs.set(id, (costs.get(id) ?? 0) + points)
  }
  return costs
}

/** The gain of a fix without a record: the points that the score wins without the finding. */
function estimateGain({ reports, fixed }: State, before: ScoreBreakdown, id: string) {
  const ids = new Set([...fixed.ids, id])
  const after = scoreWithoutFindings(reports, ids)
  const isHeldBack = after.score === before.score
  const credited = { ...fixed.credited }
  let gained = 0
  for (const name of SCORE_COMPONENTS) {
    const { points, max, deductions } = before.components[name]
    const won = after.components[name].points - points
    const due = isHeldBack ? sumPoints(deductions.filter((each) => each.id === id)) : won
    const credit = Math.max(Math.min(due, max - points - credited[name]), 0)
    gained += credit
    credited[name] += credit - won
  }
  return { gained, fixed: { ids, credited } satisfies FixedFindings }
}
