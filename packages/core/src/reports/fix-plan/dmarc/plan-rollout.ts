/** The stages from where a domain stands to the end, each with its way on and its way back. */
import type { RolloutStage } from '../fix-plan-report.js'
import { currentSubdomainTags, ownWalkStep, withoutWeakerTags } from './base-record.js'
import type { CurrentLevel } from './current-level.js'
import { type DmarcDraft, dmarcValueAtLevel } from './dmarc-draft.js'
import {
  EXCEPTIONS_STAGE,
  FINAL_POLICY_LEVEL,
  POLICY_LEVELS,
  type PolicyLevel,
} from './policy-levels.js'

interface Climb {
  readonly record: RolloutStage['record']
  readonly rung: PolicyLevel
}

/** `today` is the record of the first stage; none where there is nowhere to go. */
export function planRollout(
  draft: DmarcDraft,
  standing: CurrentLevel,
  today: RolloutStage['record'],
): RolloutStage[] {
  const later = laterStages(draft, standing)
  if (later.length === 0) return []
  const rung = POLICY_LEVELS[standing.levelIndex] ?? FINAL_POLICY_LEVEL
  const first = {
    record: today,
    rung: standing.hasExceptions ? { ...rung, ...EXCEPTIONS_STAGE } : rung,
  }
  const all = [first, ...later]
  return all.map(({ record, rung: { minimumDays, proceedWhen } }, index) => ({
    stage: index + 1,
    record,
    minimumDays,
    proceedWhen,
    rollback: rollbackOf(index, all),
  }))
}

/** Today's rung once more where it has exceptions, and then those above it. */
function laterStages(
  draft: DmarcDraft,
  { levelIndex, hasExceptions, isComplete }: CurrentLevel,
): Climb[] {
  if (isComplete) return []
  const rungs = POLICY_LEVELS.slice(hasExceptions ? levelIndex : levelIndex + 1)
  const climbs = rungs.filter((each) => !isSetback(draft, each)).map((each) => climb(draft, each))
  return [...halfway(draft, levelIndex), ...climbs]
}

/** RFC 9989 §4.7: `t=y` takes a level off `sp` and `np` as well, which may be in force already. */
function isSetback({ base, facts }: DmarcDraft, { policy, testing }: PolicyLevel): boolean {
  const { sp, np } = withoutWeakerTags(policy, currentSubdomainTags(base, facts))
  return testing && (sp !== null || np !== null)
}

/** Names below a domain that rejects are not taken from nothing to rejection in a day. */
function halfway(draft: DmarcDraft, rung: number): Climb[] {
  const isOpen = currentSubdomainTags(draft.base, draft.facts).sp === 'none'
  if (rung !== POLICY_LEVELS.length - 1 || !isOpen) return []
  return [climb(draft, { ...FINAL_POLICY_LEVEL, ...EXCEPTIONS_STAGE }, { sp: 'quarantine' })]
}

function climb(draft: DmarcDraft, rung: PolicyLevel, changes = {}): Climb {
  const { name } = ownWalkStep(draft.facts)
  return { record: { type: 'TXT', name, value: dmarcValueAtLevel(draft, rung, changes) }, rung }
}

/** To the last stage without `t=y`: older receivers take that for the policy itself. */
function rollbackOf(index: number, all: readonly Climb[]): string {
  const [first] = all
  const { record } = all[index] ?? {}
  if (index === 0 || !first || !record) {
    return 'Nothing is stricter than today, so there is nothing to take back.'
  }
  const before = all.slice(0, index).findLast(({ rung }) => !rung.testing) ?? first
  const step =
    before.record.name === record.name
      ? `Publish the record of stage ${all.indexOf(before) + 1} again, "${before.record.value}",`
      : `Delete the record at ${record.name}, so that the one at ${before.record.name} applies again,`
  return `${step} and find the sender in the reports.`
}
