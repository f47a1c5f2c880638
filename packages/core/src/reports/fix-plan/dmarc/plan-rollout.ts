/** Plans the stages from the current policy to `p=reject`, each with its rollback. */

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

interface LevelRecord {
  readonly record: RolloutStage['record']
  readonly level: PolicyLevel
}

/** `today` is the record of the first stage. Empty if no stage is left. */
export function planRollout(
  draft: DmarcDraft,
  current: CurrentLevel,
  today: RolloutStage['record'],
): RolloutStage[] {
  const later = laterStages(draft, current)
  if (later.length === 0) return []
  const level = POLICY_LEVELS[current.levelIndex] ?? FINAL_POLICY_LEVEL
  const first = {
    record: today,
    level: current.hasExceptions ? { ...level, ...EXCEPTIONS_STAGE } : level,
  }
  const all = [first, ...later]
  return all.map(({ record, level: { minimumDays, proceedWhen } }, index) => ({
    stage: index + 1,
    record,
    minimumDays,
    proceedWhen,
    rollback: describeRollback(index, all),
  }))
}

/** The current level without exceptions, if it has any, and the levels above it. */
function laterStages(
  draft: DmarcDraft,
  { levelIndex, hasExceptions, isComplete }: CurrentLevel,
): LevelRecord[] {
  if (isComplete) return []
  const levels = POLICY_LEVELS.slice(hasExceptions ? levelIndex : levelIndex + 1)
  const records = levels
    .filter((level) => !wouldWeaken(draft, level))
    .map((level) => recordAtLevel(draft, level))
  return [...intermediateStage(draft, levelIndex), ...records]
}

/** RFC 9989 §4.7: `t=y` also lowers `sp` and `np`, which may be in effect already. */
function wouldWeaken({ base, facts }: DmarcDraft, { policy, testing }: PolicyLevel): boolean {
  const { sp, np } = withoutWeakerTags(policy, currentSubdomainTags(base, facts))
  return testing && (sp !== null || np !== null)
}

/** Subdomains move from none to quarantine before they move to reject. */
function intermediateStage(draft: DmarcDraft, levelIndex: number): LevelRecord[] {
  const areSubdomainsOpen = currentSubdomainTags(draft.base, draft.facts).sp === 'none'
  if (levelIndex !== POLICY_LEVELS.length - 1 || !areSubdomainsOpen) return []
  return [
    recordAtLevel(draft, { ...FINAL_POLICY_LEVEL, ...EXCEPTIONS_STAGE }, { sp: 'quarantine' }),
  ]
}

function recordAtLevel(draft: DmarcDraft, level: PolicyLevel, changes = {}): LevelRecord {
  const { name } = ownWalkStep(draft.facts)
  return { record: { type: 'TXT', name, value: dmarcValueAtLevel(draft, level, changes) }, level }
}

/** Rolls back to a stage without `t=y`: RFC 7489 receivers ignore `t` and apply the policy. */
function describeRollback(index: number, all: readonly LevelRecord[]): string {
  const [first] = all
  const { record } = all[index] ?? {}
  if (index === 0 || !first || !record) {
    return 'This stage is no stricter than today, so there is nothing to roll back.'
  }
  const before = all.slice(0, index).findLast(({ level }) => !level.testing) ?? first
  const step =
    before.record.name === record.name
      ? `Publish the record of stage ${all.indexOf(before) + 1} again, "${before.record.value}",`
      : `Delete the record at ${record.name}, so the record at ${before.record.name} applies again,`
  return `${step} and find the sender in the reports.`
}

interface PolicyLevel extends PolicyTags {
  readonly minimumDays: number
  readonly proceedWhen: string
}

const ALL_SENDERS_PASS =
  'The aggregate reports show every service that sends for the domain, and each of them passes DMARC'

export const FINAL_POLICY_LEVEL: PolicyLevel = {
  policy: 'reject',
  testing: false,
  minimumDays: 0,
  proceedWhen:
    'This is the last stage. Keep reading the reports: they show a new service that sends for you first.',
}

export const POLICY_LEVELS: readonly PolicyLevel[] = [
  {
    policy: 'none',
    testing: false,
    minimumDays: 30,
    proceedWhen: `${ALL_SENDERS_PASS} via SPF or DKIM. All mail that fails is forged.`,
  },
  {
    policy: 'quarantine',
    testing: true,
    minimumDays: 7,
    proceedWhen:
      'For a week, reports from several receivers have shown no mail of yours that would have been quarantined. Receivers that do not know "t=y" quarantine already, so check spam folders as well.',
  },
  {
    policy: 'quarantine',
    testing: false,
    minimumDays: 30,
    proceedWhen: `${ALL_SENDERS_PASS} via DKIM, because SPF alone breaks when mail is forwarded (RFC 9989 §7.4). No mail has been lost for a month.`,
  },
  {
    policy: 'reject',
    testing: true,
    minimumDays: 7,
    proceedWhen:
      'For a week, reports from several receivers have shown no mail of yours that would have been rejected. Receivers that do not know "t=y" reject already, so watch for lost mail. If your users write to mailing lists that change messages, go back to "p=quarantine" and stay there (RFC 9989 §7.4).',
  },
  FINAL_POLICY_LEVEL,
]

/** For a policy with exceptions: weaker subdomains, or only a share of the mail. */
const EXCEPTIONS_STAGE: Pick<PolicyLevel, 'minimumDays' | 'proceedWhen'> = {
  minimumDays: 30,
  proceedWhen: `${ALL_SENDERS_PASS} via DKIM, including services that send from subdomains.`,
}

function findLevelIndex(policy: DmarcPolicy, testing: boolean): number {
  const isTestLevel = testing && policy !== 'none'
  return POLICY_LEVELS.findIndex(
    (level) => level.policy === policy && level.testing === isTestLevel,
  )
}

interface CurrentLevel {
  /** Index into `POLICY_LEVELS`. */
  readonly levelIndex: number
  /** `pct` below 100, or a weaker policy for subdomains. */
  readonly hasExceptions: boolean
  /** No stage is left. */
  readonly isComplete: boolean
}

export function findCurrentLevel(facts: DmarcFacts): CurrentLevel {
  const { applied, policy } = facts
  const testing = applied !== null && isTesting(applied.record)
  const today = currentPolicy(facts)
  const levelIndex = findLevelIndex(today, testing)
  const hasExceptions = today !== 'none' && isWeakened(facts, today)
  const isLast = levelIndex === POLICY_LEVELS.length - 1 && policy === 'reject'
  return { levelIndex, hasExceptions, isComplete: isLast && !hasExceptions }
}

function isWeakened(
  { domain, applied, appliedToSubdomains }: DmarcFacts,
  policy: DmarcPolicy,
): boolean {
  if (!applied) return false
  const isOwn = applied.step.domain === domain && appliedToSubdomains?.step === applied.step
  const subdomainPolicies = isOwn
    ? [appliedToSubdomains.policies?.subdomains, appliedToSubdomains.policies?.nonexistent]
    : []
  return (
    readPercentage(applied.record) < 100 ||
    subdomainPolicies.some((each) => each && isWeakerPolicy(each, policy))
  )
}
