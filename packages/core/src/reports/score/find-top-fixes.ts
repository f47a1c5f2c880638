/**
 * The first steps of the fix plan that regain points. Each is measured by checking the domain again
 * with it and everything before it published, so the score and the plan cannot contradict each other.
 */
import type { Finding } from '../../checks/finding.js'
import { formatList, truncateForDisplay } from '../../checks/format-list.js'
import { type CheckReports, findingsBySeverity, sendingProfile } from '../check/check-reports.js'
import { judgeAcrossChecks } from '../check/judge-across-checks.js'
import { type CheckOptions, type Random, runChecks } from '../check/run-checks.js'
import { describeRotation, type Rotation } from '../fix-plan/dkim/key-steps.js'
import type { PlannedStage } from '../fix-plan/dmarc/plan-rollout.js'
import type { PlanContext } from '../fix-plan/plan-context.js'
import type { RecordsPlan } from '../fix-plan/plan-records.js'
import { createPlannedRecord, type PlannedRecord } from '../fix-plan/planned-record.js'
import {
  type AssumedRecord,
  assumeRecords,
  assumeRotation,
  withPlannedSelectors,
} from '../fix-plan/project-score.js'
import { type Said, type Sayable, writeConditions, writeSaid } from '../fix-plan/say.js'
import { noSenderCondition } from '../fix-plan/spf/explain-spf.js'
import { createOverlayDns } from '../overlay-dns.js'
import { calculateScore, type ScoreBreakdown, sumPoints } from './calculate-score.js'
import { SCORE_COMPONENTS, type ScoreComponentName } from './score-components.js'
import type { ScoreReport } from './score-report.js'

type Fix = ScoreReport['topFixes'][number]

const MAX_FIXES = 3

/** Records that are published together. */
interface PlanStep {
  readonly component: ScoreComponentName
  readonly records: readonly PlannedRecord[]
  /** What must be true first. */
  readonly condition: readonly Said[]
  /** A later stage of the DMARC rollout. */
  readonly isStage: boolean
  /** Done at a service, behind records that stay; null for what the owner publishes. */
  readonly rotation: Rotation | null
}

interface State {
  readonly findings: readonly Finding[]
  readonly breakdown: ScoreBreakdown
}

export async function findTopFixes(
  { facts, mailUse }: PlanContext,
  plan: RecordsPlan,
  repeatRandom: () => Random,
  options: CheckOptions,
): Promise<Fix[]> {
  const fixes: Fix[] = []
  const today = toState(facts.reports)
  let before = today
  let published: readonly AssumedRecord[] = []
  // The plan locks a domain that shows no sender; the profile only believes a declaration.
  const isGuess = !mailUse.sends && sendingProfile(facts.reports) === 'sending'
  for (const step of planSteps(plan, isGuess ? [noSenderCondition(facts.domain)] : [])) {
    if (fixes.length === MAX_FIXES || before.breakdown.score === 100) break
    const assumed = await assumeStep(facts, step)
    const records = [...published.filter((record) => !isReplaced(record, assumed)), ...assumed]
    const overlay = createOverlayDns(facts.dns, records)
    const checked = await runChecks(
      overlay,
      facts.domain,
      repeatRandom(),
      withPlannedSelectors(options, records, facts.domain),
    )
    if (checked.kind !== 'report') break
    const after = toState(checked.report)
    // A step that gains nothing is left out, so each gain is exact after the fixes before it.
    if (after.breakdown.score <= before.breakdown.score) continue
    const named = new Set(fixes.map(({ id }) => id))
    const open = { ...today, findings: today.findings.filter(({ id }) => !named.has(id)) }
    // A stage on the way has findings of its own, which the caller has never seen.
    const [fixed] = [open, before].flatMap((state) => listFixed(step.component, state, after))
    if (!fixed) continue
    fixes.push({ rank: fixes.length + 1, ...describeFix(step, facts.domain, fixed, before, after) })
    before = after
    published = records
    // The stages after the next one have to wait.
    if (step.isStage) break
  }
  return fixes
}

async function assumeStep(
  facts: PlanContext['facts'],
  { rotation, records }: PlanStep,
): Promise<readonly AssumedRecord[]> {
  return rotation ? assumeRotation(rotation).records : assumeRecords(facts, records)
}

function toState(checked: CheckReports): State {
  const reports = judgeAcrossChecks(checked)
  return { findings: findingsBySeverity(reports), breakdown: calculateScore(reports) }
}

/** A later DMARC stage takes the place of an earlier one. */
function isReplaced(record: AssumedRecord, by: readonly AssumedRecord[]): boolean {
  return by.some(({ type, name }) => type === record.type && name === record.name)
}

/** What to publish now, kind by kind in the plan's order, then the later stages of the rollout. */
function planSteps({ now, rollout, dkim }: RecordsPlan, guessed: readonly Said[]): PlanStep[] {
  const changed = now.filter(
    ({ action, isLater, isOptional }) => action !== 'keep' && !isLater && !isOptional,
  )
  const components = [...new Set(changed.flatMap(({ purpose }) => componentOf(purpose) ?? []))]
  const steps = components.map((component) => ({
    component,
    records: withUnchangedMx(component, now),
    condition: guessed,
    isStage: false,
    rotation: null,
  }))
  const rotations = dkim.keySteps
    .filter((each) => each.kind === 'rotate')
    .map((rotation) => ({
      component: 'dkim' as const,
      records: [],
      condition: [],
      isStage: false,
      rotation,
    }))
  const [today, ...later] = rollout
  // Stages in between gain nothing and are not listed, so what must be true is that of today's.
  const stages = later.map((stage) => ({
    component: 'dmarc' as const,
    records: [stageRecord(stage, now)],
    condition: today?.proceedWhen ?? [],
    isStage: true,
    rotation: null,
  }))
  return [...steps, ...rotations, ...stages]
}

/** The MX records of a name are published as a whole. */
function withUnchangedMx(component: ScoreComponentName, now: readonly PlannedRecord[]) {
  const own = now.filter(({ purpose }) => componentOf(purpose) === component)
  return component === 'mx' ? own : own.filter(({ action }) => action !== 'keep')
}

function componentOf(purpose: PlannedRecord['purpose']): ScoreComponentName | null {
  return SCORE_COMPONENTS.find((name) => name === purpose) ?? null
}

/** A stage has the placeholders of today's record. */
function stageRecord({ record }: PlannedStage, now: readonly PlannedRecord[]): PlannedRecord {
  const today = now.find(({ purpose, type }) => purpose === 'dmarc' && type === 'TXT')
  const placeholders = today?.placeholders ?? []
  return {
    ...createPlannedRecord('dmarc', record.name, record.value),
    action: 'replace',
    replaces: today?.name === record.name ? [today.value] : [],
    placeholders: placeholders.filter(({ token }) => record.value.includes(token)),
  }
}

function describeFix(
  step: PlanStep,
  domain: string,
  fixed: Finding,
  before: State,
  after: State,
): Omit<Fix, 'rank'> {
  const { component, records } = step
  const [first] = records
  const isExact = records.length === 1 && first && first.placeholders.length === 0
  const record =
    isExact && first.action !== 'delete'
      ? { type: first.type, name: first.name, value: first.value }
      : null
  return {
    id: fixed.id,
    component,
    title: fixed.title,
    action: `${describeAction(step, domain)}${describeGain(step, before, after)}`,
    record,
    pointsGained: after.breakdown.score - before.breakdown.score,
  }
}

/** The findings that a step fixes: gone afterwards, of this component first, then by cost. */
function listFixed(component: ScoreComponentName, before: State, after: State): Finding[] {
  const remaining = new Set(after.findings.map(({ id }) => id))
  const deductions = SCORE_COMPONENTS.flatMap(
    (name) => before.breakdown.components[name].deductions,
  )
  const costOf = (id: string) => sumPoints(deductions.filter((each) => each.id === id))
  const gone = before.findings
    .filter(({ id }) => !remaining.has(id) && costOf(id) > 0)
    .sort((one, other) => costOf(other.id) - costOf(one.id))
  const isOwn = ({ id }: Finding) => id.startsWith(`${component}.`)
  return [...gone.filter(isOwn), ...gone.filter((finding) => !isOwn(finding))]
}

function describeAction({ records, condition, rotation }: PlanStep, domain: string): string {
  if (rotation) {
    const { where, how } = describeRotation(rotation, domain)
    return writeSaid([`${where}.`, ...how])
  }
  const changes = records.filter(({ action }) => action !== 'keep')
  const publish = changes.filter(({ isLater }) => !isLater).map(describeRecord)
  const later = changes
    .filter(({ isLater }) => isLater)
    .map(
      (record) =>
        `Later, when this is true: ${writeConditions(record.onlyIf)} ${describeRecord(record)}`,
    )
  const places = new Set(
    records.flatMap(({ placeholders }) =>
      placeholders.map(({ token, whereToFind }) => `${token}: ${writeSaid(whereToFind)}`),
    ),
  )
  const conditions = writeSaid([
    ...condition,
    ...changes
      .filter(({ isLater }) => !isLater)
      .flatMap(({ onlyIf }): readonly Sayable[] =>
        typeof onlyIf === 'string' ? [onlyIf] : (onlyIf ?? []),
      ),
  ])
  return [...(conditions ? [`Only if: ${conditions}`] : []), ...publish, ...places, ...later]
    .map((sentence) => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`))
    .join(' ')
}

/** A second SPF or DMARC record breaks both, so what it replaces is part of the instruction. */
function describeRecord({ action, type, name, value, replaces }: PlannedRecord): string {
  const [, reportHost] = name.split('._report._dmarc.')
  if (reportHost)
    return `Ask the operator of ${reportHost} to add this TXT record at ${name}: "${value}".`
  if (action === 'delete') return `Delete the ${type} record at ${name}: "${value}".`
  if (action !== 'replace') return `Add the ${type} record at ${name}: "${value}".`
  const old = replaces.length > 0 ? ` (${formatList(replaces, quote)})` : ''
  return `Replace the ${type} record at ${name}${old} with: "${value}".`
}

/** To recognize; the value itself is in the plan. */
function quote(text: string): string {
  return `"${truncateForDisplay(text).replaceAll('"', "'")}"`
}

const NAMES: Readonly<Record<ScoreComponentName, string>> = {
  spf: 'SPF',
  dkim: 'DKIM',
  dmarc: 'DMARC',
  mx: 'MX',
}

/** Named only when it lifts more than its own component. */
function describeGain({ component }: PlanStep, before: State, after: State): string {
  const gains = SCORE_COMPONENTS.flatMap((name) => {
    const { points } = before.breakdown.components[name]
    const gained = after.breakdown.components[name].points - points
    return gained > 0 && name !== component
      ? [`${gained} ${gained === 1 ? 'point' : 'points'} in ${NAMES[name]}`]
      : []
  })
  return gains.length === 0 ? '' : ` You also gain ${gains.join(' and ')}.`
}
