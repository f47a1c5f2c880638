/** The stages from where a domain stands to the end, each with its way on and its way back. */

import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import { isWeakerPolicy } from '../../../checks/dmarc/dmarc-policies.js'
import { type DmarcPolicy, isTesting, readPercentage } from '../../../checks/dmarc/dmarc-record.js'
import type { RolloutStage } from '../fix-plan-report.js'
import {
  currentPolicy,
  currentSubdomainTags,
  type DmarcDraft,
  dmarcValueAtLevel,
  ownWalkStep,
  type PolicyTags,
  withoutWeakerTags,
} from './dmarc-draft.js'

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

export interface PolicyLevel extends PolicyTags {
  readonly minimumDays: number
  readonly proceedWhen: string
}

const EVERYBODY_SEEN =
  'The aggregate reports show every service that really sends for the domain, and each of them passes DMARC'

/** Everything that fails is rejected. */
export const FINAL_POLICY_LEVEL: PolicyLevel = {
  policy: 'reject',
  testing: false,
  minimumDays: 0,
  proceedWhen:
    'Nothing comes after this stage. Keep reading the reports: a new service that sends for you shows there first.',
}

export const POLICY_LEVELS: readonly PolicyLevel[] = [
  {
    policy: 'none',
    testing: false,
    minimumDays: 30,
    proceedWhen: `${EVERYBODY_SEEN} by SPF or by DKIM. The mail that fails is all somebody else’s.`,
  },
  {
    policy: 'quarantine',
    testing: true,
    minimumDays: 7,
    proceedWhen:
      'Reports have come in for a week, from several receivers, and none shows mail of yours that would have been quarantined. Receivers that do not know "t=y" quarantine already, so look into spam folders as well.',
  },
  {
    policy: 'quarantine',
    testing: false,
    minimumDays: 30,
    proceedWhen: `${EVERYBODY_SEEN} by DKIM, since SPF alone breaks when mail is forwarded (RFC 9989 §7.4). For a month nobody has missed any mail.`,
  },
  {
    policy: 'reject',
    testing: true,
    minimumDays: 7,
    proceedWhen:
      'Reports have come in for a week, from several receivers, and none shows mail of yours that would have been rejected. Receivers that do not know "t=y" reject already, so listen for mail that is missed. If your people write to mailing lists that change messages, go back to "p=quarantine" and stay there (RFC 9989 §7.4).',
  },
  FINAL_POLICY_LEVEL,
]

/** Where a policy has exceptions, be it for subdomains or a share of the mail, until it has none. */
export const EXCEPTIONS_STAGE: Pick<PolicyLevel, 'minimumDays' | 'proceedWhen'> = {
  minimumDays: 30,
  proceedWhen: `${EVERYBODY_SEEN} by DKIM, those that send from subdomains too.`,
}

export function findLevelIndex(policy: DmarcPolicy, testing: boolean): number {
  const isTesting = testing && policy !== 'none'
  return POLICY_LEVELS.findIndex((rung) => rung.policy === policy && rung.testing === isTesting)
}

export interface CurrentLevel {
  /** On the ladder. */
  readonly levelIndex: number
  /** `pct`, or a weaker policy for names below the domain. */
  readonly hasExceptions: boolean
  /** Nothing is left to do. */
  readonly isComplete: boolean
}

export function findCurrentLevel(facts: DmarcFacts): CurrentLevel {
  const { applied, policy } = facts
  const testing = applied !== null && isTesting(applied.record)
  const today = currentPolicy(facts)
  const rung = findLevelIndex(today, testing)
  const hasExceptions = today !== 'none' && isWeakened(facts, today)
  const isLast = rung === POLICY_LEVELS.length - 1 && policy === 'reject'
  return { levelIndex: rung, hasExceptions, isComplete: isLast && !hasExceptions }
}

function isWeakened(
  { domain, applied, appliedToSubdomains }: DmarcFacts,
  policy: DmarcPolicy,
): boolean {
  if (!applied) return false
  const isOwn = applied.step.domain === domain && appliedToSubdomains?.step === applied.step
  const underneath = isOwn
    ? [appliedToSubdomains.policies?.subdomains, appliedToSubdomains.policies?.nonexistent]
    : []
  return (
    readPercentage(applied.record) < 100 ||
    underneath.some((each) => each && isWeakerPolicy(each, policy))
  )
}
