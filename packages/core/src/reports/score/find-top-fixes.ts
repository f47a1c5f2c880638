/**
 * What to mend first, and what that gains: one step after the other, each from where the one before
 * has led, so that no record takes back what an earlier one has brought.
 */
import type { Finding, ProposedRecord } from '../../checks/finding.js'
import { type CheckReports, findingsBySeverity } from '../check/check-reports.js'
import { judgeAcrossChecks } from '../check/judge-across-checks.js'
import { calculateScore, type ScoreBreakdown, sumPoints } from './calculate-score.js'
import { SCORE_COMPONENTS, type ScoreComponentName, type ScoreReport } from './score-report.js'

type Fix = ScoreReport['topFixes'][number]

/** The four checks with some records published one after the other; null when that cannot be told. */
export type RunChecksWith = (records: readonly ProposedRecord[]) => Promise<CheckReports | null>

const MOST_FIXES = 3

/** Where the fixes so far have led. */
interface State {
  /** What the checks find with the records published, judged together. */
  readonly parts: CheckReports
  readonly records: readonly ProposedRecord[]
  /** What was told in words, and no record shows. */
  readonly mended: typeof NOTHING_FIXED
  readonly fixes: readonly Omit<Fix, 'rank'>[]
}

/** Takes parts as they were gathered. */
export async function findTopFixes(
  gathered: CheckReports,
  gatherWith: RunChecksWith,
): Promise<ScoreReport['topFixes']> {
  const today = judgeAcrossChecks(gathered)
  const ids = new Set(findingsBySeverity(today).map(({ id }) => id))
  let state: State = { parts: today, records: [], mended: NOTHING_FIXED, fixes: [] }
  while (state.fixes.length < MOST_FIXES) {
    const steps = await stepsFrom(state, ids, gatherWith)
    const [best] = steps.sort((one, other) => byGain(one.fix, other.fix) || other.cost - one.cost)
    if (!best) break
    state = best.next
  }
  return state.fixes.map((fix, index) => ({ rank: index + 1, ...fix }))
}

interface Step {
  readonly fix: Omit<Fix, 'rank'>
  /** What the finding is held to cost: of two that gain the same, the graver goes first. */
  readonly cost: number
  readonly next: State
}

function byGain(one: Omit<Fix, 'rank'>, other: Omit<Fix, 'rank'>): number {
  return (
    other.pointsGained - one.pointsGained ||
    SCORE_COMPONENTS.indexOf(one.component) - SCORE_COMPONENTS.indexOf(other.component)
  )
}

/** Every step that gains something. What only shows on the way is for another day. */
async function stepsFrom(
  state: State,
  ids: ReadonlySet<string>,
  gatherWith: RunChecksWith,
): Promise<Step[]> {
  const costs = findingCosts(state.parts, scoreWithoutFindings(state.parts, state.mended))
  const found = new Map(findingsBySeverity(state.parts).map((each) => [each.id, each]))
  const candidates = [...costs.keys()]
    .filter((id) => ids.has(id))
    .flatMap((id) => found.get(id) ?? [])
    .filter((each) => isOpen(each, state))
  // Several findings may ask for one and the same record.
  const seen = new Map<string, Promise<CheckReports | null>>()
  const once = (record: ProposedRecord) => {
    const key = JSON.stringify(record)
    const known = seen.get(key) ?? gatherWith([...state.records, record])
    seen.set(key, known)
    return known
  }
  const steps = await Promise.all(
    candidates.map(async (each) => {
      const measured = each.record && (await once(each.record))
      const cost = costs.get(each.id) ?? 0
      return { cost, ...(measured ? published(state, each, measured) : told(state, each)) }
    }),
  )
  return steps.filter(({ fix }) => fix.pointsGained > 0)
}

/**
 * Whether the finding is still to be mended, and can be without undoing anything: a record does not
 * have in it what was told in words before.
 */
function isOpen(each: Finding, { fixes, mended }: State): boolean {
  if (fixes.some(({ id }) => id === each.id)) return false
  const told = fixes.filter(({ id }) => mended.ids.has(id)).map(({ component }) => component)
  return !each.record || !told.includes(componentOf(each))
}

function published(state: State, each: Finding, gathered: CheckReports): Omit<Step, 'cost'> {
  const parts = judgeAcrossChecks(gathered)
  const gained = calculateScore(parts).score - calculateScore(state.parts).score
  // The list goes by what is gained. What gains more than the step that has opened the way for it is
  // told in words alone, since a record is listed with just what it gains.
  if (gained > mostFrom(state)) return told(state, { ...each, record: undefined })
  const fix = fixOf(each, gained)
  const records = each.record ? [...state.records, each.record] : state.records
  return { fix, next: { ...state, parts, records, fixes: [...state.fixes, fix] } }
}

function told(state: State, each: Finding): Omit<Step, 'cost'> {
  const { gained, mended } = estimateGain(state.parts, state.mended, each.id)
  const fix = fixOf(each, Math.min(gained, mostFrom(state)))
  const place = state.fixes.findLastIndex((earlier) => byGain(earlier, fix) <= 0) + 1
  return { fix, next: { ...state, mended, fixes: state.fixes.toSpliced(place, 0, fix) } }
}

/** No fix gains more than the one before it. */
function mostFrom({ fixes }: State): number {
  return fixes.at(-1)?.pointsGained ?? 100
}

function fixOf(each: Finding, pointsGained: number): Omit<Fix, 'rank'> {
  return {
    id: each.id,
    component: componentOf(each),
    title: each.title,
    action: each.fix,
    record: each.record ?? null,
    pointsGained,
  }
}

/** Where it is mended, which need not be where it costs points. */
function componentOf({ id }: Finding): ScoreComponentName {
  return SCORE_COMPONENTS.find((name) => id.startsWith(`${name}.`)) ?? 'mx'
}

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
