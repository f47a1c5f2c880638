/** Plans the stages from the current policy to the strictest safe one, each with its rollback. */

import { isWeakerPolicy, parsePolicies } from '../../../checks/dmarc/dmarc-policies.js'
import { isTesting, parseDmarcRecord, readPercentage } from '../../../checks/dmarc/dmarc-record.js'
import { keyCondition } from '../../../rollout/condition-words.js'
import {
  conditionsBefore,
  EXCEPTIONS_STAGE,
  FINAL_POLICY_LEVEL,
  findPosition,
  type LadderPosition,
  levelsAfter,
  POLICY_LEVELS,
  type PolicyLevel,
  type SubdomainPolicies,
  withSendersBelow,
} from '../../../rollout/policy-ladder.js'
import type { RolloutStage } from '../fix-plan-report.js'
import { type Condition, type Said, say, writeConditions, writeSaid } from '../say.js'
import {
  currentPercentage,
  currentPolicy,
  currentSubdomainTags,
  type DmarcDraft,
  dmarcValueAtLevel,
} from './dmarc-draft.js'
import { planPoliciesBelow } from './policies-below.js'

/** A stage before its conditions are words. */
export interface PlannedStage extends Omit<RolloutStage, 'proceedWhen' | 'rollback' | 'onlyIf'> {
  readonly proceedWhen: readonly Said[]
  readonly rollback: Said
  readonly onlyIf: readonly Condition[] | null
}

export function writeStage({
  proceedWhen,
  rollback,
  onlyIf,
  ...stage
}: PlannedStage): RolloutStage {
  return {
    ...stage,
    onlyIf: writeConditions(onlyIf),
    proceedWhen: proceedWhen.map((each) => writeSaid([each])),
    rollback: writeSaid([rollback]),
  }
}

interface LevelRecord {
  readonly record: RolloutStage['record']
  readonly level: PolicyLevel
  /** It changes only the policies for names below the domain. */
  readonly isBelow?: true
}

interface RolloutInput {
  readonly draft: DmarcDraft
  readonly current: CurrentLevel
  /** The record of the first stage. */
  readonly today: RolloutStage['record']
}

/** Empty if no stage is left. */
export function planRollout({ draft, current, today }: RolloutInput): PlannedStage[] {
  const later = laterStages(draft, current)
  if (later.length === 0) return []
  const all: readonly LevelRecord[] = [{ record: today, level: current.level }, ...later]
  return all.map((each, index) => {
    const next = all[index + 1]
    const level = { ...each.level, ...(next?.isBelow && EXCEPTIONS_STAGE) }
    const raisesBelow = next !== undefined && endsException(each.record, next.record)
    const conditions = index > 0 ? conditionsOf(draft, today, each.record) : []
    return {
      stage: index + 1,
      record: each.record,
      minimumDays: next ? level.minimumDays : 0,
      proceedWhen: next
        ? [
            ...conditionsBefore(level, next.level, strictConditions(draft))
              .map((condition) => (raisesBelow ? withSendersBelow(condition) : condition))
              .map(keyCondition),
            ...conditionsOf(draft, today, next.record),
          ]
        : [say('stage.last', {})],
      dashboard: index > 0 ? dashboardOf(draft) : null,
      onlyIf: conditions.length > 0 ? conditions : null,
      rollback: describeRollback(draft, index, all),
    }
  })
}

/** Names below the domain matter from the stage on that changes their policy. */
function conditionsOf(
  { conditions: { domain, below } }: DmarcDraft,
  today: RolloutStage['record'],
  stage: RolloutStage['record'],
): readonly Condition[] {
  const [before, after] = [today, stage].map(
    ({ value }) => parsePolicies(parseDmarcRecord(value))?.subdomains,
  )
  return before === after ? domain : [...domain, ...below]
}

/** It has a policy of its own for names below the domain, and the next record a stricter one. */
function endsException(record: RolloutStage['record'], next: RolloutStage['record']): boolean {
  const [before, after] = [record, next].map(({ value }) => {
    const parsed = parseDmarcRecord(value)
    return { tag: parsed.tags.get('sp'), policies: parsePolicies(parsed) }
  })
  if (!before?.tag || !before.policies || !after?.policies) return false
  return isWeakerPolicy(before.policies.subdomains, after.policies.subdomains)
}

function dashboardOf({ host }: DmarcDraft): PlannedStage['dashboard'] {
  return host && { service: host.service.name, screen: host.screen?.path ?? null }
}

function strictConditions({ base, facts, toRelax }: DmarcDraft) {
  const tags = (['adkim', 'aspf'] as const).filter(
    (tag) => toRelax.length === 0 && base.tags.get(tag)?.toLowerCase() === 's',
  )
  return { id: 'exact-domain', domain: facts.domain, tags } as const
}

/** The policy of the domain comes first, then the exceptions from it end. */
function laterStages(draft: DmarcDraft, current: CurrentLevel): LevelRecord[] {
  if (current.isComplete) return []
  const { facts, base, limits } = draft
  const below = planPoliciesBelow(draft)
  const levels = levelsAfter(current, currentSubdomainTags(base, facts))
    .filter(({ policy }) => !isWeakerPolicy(limits.domain, policy))
    .filter((level) => !wouldLower(level, below.tagsAt(level.policy)))
  const last = levels.at(-1)?.policy ?? currentPolicy(facts)
  const level = POLICY_LEVELS.find(({ policy, testing }) => policy === last && !testing)
  const stages = below.stagesAfter(last).map((tags) => ({
    ...recordAtLevel(draft, level ?? FINAL_POLICY_LEVEL, tags),
    isBelow: true as const,
  }))
  const isLast = current.levelIndex === POLICY_LEVELS.length - 1
  // The first of the stages below the domain also ends its other exceptions.
  const own = isLast && stages.length > 0 ? [] : levels
  return [...own.map((each) => recordAtLevel(draft, each, below.tagsAt(each.policy))), ...stages]
}

/** RFC 9989 §4.7: `t=y` also lowers `sp`, which has been in effect since the stage before. */
function wouldLower({ policy, testing }: PolicyLevel, { sp }: SubdomainPolicies): boolean {
  return testing && policy === 'reject' && sp === 'quarantine'
}

function recordAtLevel(
  draft: DmarcDraft,
  level: PolicyLevel,
  below: SubdomainPolicies,
): LevelRecord {
  const value = dmarcValueAtLevel(draft, level, below)
  return { record: { type: 'TXT', name: draft.name, value }, level }
}

/** Rolls back to a stage without `t=y`: receivers that ignore it apply the policy. */
function describeRollback(draft: DmarcDraft, index: number, all: readonly LevelRecord[]): Said {
  const [first] = all
  const { record } = all[index] ?? {}
  if (index === 0 || !first || !record) return say('stage.no-rollback', {})
  const before = all.slice(0, index).findLast(({ level }) => !level.testing) ?? first
  if (isTestWithoutPercentage(before)) {
    return say('stage.rollback-to-test', { value: testValueToday(draft, before.level) })
  }
  const { name, value } = before.record
  return name === record.name
    ? say('stage.rollback', { stage: all.indexOf(before) + 1, value })
    : say('stage.rollback-by-deleting', { name: record.name, earlier: name })
}

function isTestWithoutPercentage({ level, record }: LevelRecord): boolean {
  return level.testing && readPercentage(parseDmarcRecord(record.value)) === 100
}

/** No stricter than today, for subdomains as well. */
function testValueToday(draft: DmarcDraft, level: PolicyLevel): string {
  return dmarcValueAtLevel(draft, level, currentSubdomainTags(draft.base, draft.facts))
}

export interface CurrentLevel extends LadderPosition {
  /** No stage is left. */
  readonly isComplete: boolean
}

export function findCurrentLevel(draft: DmarcDraft): CurrentLevel {
  const { applied, policy } = draft.facts
  const position = findPosition({
    policy: currentPolicy(draft.facts),
    testing: applied !== null && isTesting(applied.record),
    percent: currentPercentage(draft.facts),
    below: [],
  })
  const isLast = position.levelIndex === POLICY_LEVELS.length - 1 && policy === 'reject'
  const hasExceptions = position.hasExceptions || planPoliciesBelow(draft).hasExceptions
  return { ...position, isComplete: isLast && !hasExceptions }
}
