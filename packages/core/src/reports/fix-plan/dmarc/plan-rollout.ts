/** Plans the stages from the current policy to the strictest safe one, each with its rollback. */

import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import { isWeakerPolicy } from '../../../checks/dmarc/dmarc-policies.js'
import {
  type DmarcPolicy,
  isTesting,
  parseDmarcRecord,
  readPercentage,
} from '../../../checks/dmarc/dmarc-record.js'
import type { RolloutStage } from '../fix-plan-report.js'
import {
  currentPolicy,
  currentSubdomainTags,
  type DmarcDraft,
  dmarcValueAtLevel,
  type PolicyTags,
  withoutWeakerTags,
} from './dmarc-draft.js'

interface LevelRecord {
  readonly record: RolloutStage['record']
  readonly level: PolicyLevel
}

interface RolloutInput {
  readonly draft: DmarcDraft
  readonly current: CurrentLevel
  /** The record of the first stage. */
  readonly today: RolloutStage['record']
  /** A sender that can pass only with DKIM has no key, so the stages end before reject. */
  readonly mayReject: boolean
}

/** Empty if no stage is left. */
export function planRollout({ draft, current, today, mayReject }: RolloutInput): RolloutStage[] {
  const later = laterStages(draft, current).filter(
    ({ level }) => mayReject || level.policy !== 'reject',
  )
  if (later.length === 0) return []
  const level = POLICY_LEVELS[current.levelIndex] ?? FINAL_POLICY_LEVEL
  const first = {
    record: today,
    level: current.hasExceptions ? { ...level, ...EXCEPTIONS_STAGE } : level,
  }
  const all = [first, ...later]
  return all.map((each, index) => {
    const next = all[index + 1]
    return {
      stage: index + 1,
      record: each.record,
      minimumDays: next ? each.level.minimumDays : 0,
      proceedWhen: next
        ? [
            ...each.level.proceedWhen,
            ...untestedConditions(each.level, next.level),
            ...strictConditions(draft),
          ]
        : LAST_STAGE,
      onlyIf: null,
      dashboard: null,
      rollback: describeRollback(draft, index, all),
    }
  })
}

/** What a test of reject would have shown. */
function untestedConditions(level: PolicyLevel, next: PolicyLevel): readonly string[] {
  const isTested = level.policy === 'reject' || next.policy !== 'reject' || next.testing
  return isTested
    ? []
    : [NONE_FAILS, `${NO_LISTS} If someone does, stay at p=quarantine (RFC 9989 §7.4).`]
}

/** RFC 9989 §4.4: under strict alignment, mail signed by a subdomain fails. */
function strictConditions({ base, facts }: DmarcDraft): string[] {
  const strict = ['adkim', 'aspf'].filter((tag) => base.tags.get(tag)?.toLowerCase() === 's')
  return strict.length === 0
    ? []
    : [
        `Every sender passes for exactly ${facts.domain}, because ${strict.map((tag) => `${tag}=s`).join(' and ')} ${strict.length > 1 ? 'don’t' : 'doesn’t'} accept subdomains.`,
      ]
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
  const value = dmarcValueAtLevel(draft, level, changes)
  return { record: { type: 'TXT', name: draft.name, value }, level }
}

/** Rolls back to a stage without `t=y`: receivers that ignore it apply the policy. */
function describeRollback(draft: DmarcDraft, index: number, all: readonly LevelRecord[]): string {
  const [first] = all
  const { record } = all[index] ?? {}
  if (index === 0 || !first || !record) {
    return 'This stage is no stricter than today, so there’s nothing to roll back.'
  }
  const before = all.slice(0, index).findLast(({ level }) => !level.testing) ?? first
  const step = isTestWithoutPercentage(before)
    ? `Publish "${testValueToday(draft, before.level)}" (with pct=0 for receivers that ignore t=y),`
    : before.record.name === record.name
      ? `Publish the stage ${all.indexOf(before) + 1} record again, "${before.record.value}",`
      : `Delete the record at ${record.name}, so that the record at ${before.record.name} applies again,`
  return `${step} and find the sender in the reports.`
}

function isTestWithoutPercentage({ level, record }: LevelRecord): boolean {
  return level.testing && readPercentage(parseDmarcRecord(record.value)) > 0
}

/** No stricter than today, for subdomains as well. */
function testValueToday(draft: DmarcDraft, level: PolicyLevel): string {
  return dmarcValueAtLevel(draft, level, { ...currentSubdomainTags(draft.base, draft.facts) })
}

interface PolicyLevel extends PolicyTags {
  readonly minimumDays: number
  readonly proceedWhen: readonly string[]
}

const LAST_STAGE = [
  'This is the last stage. Keep reading the reports, because new services that send for you show up there first.',
]

const KNOWN_SENDERS = 'In the reports, you recognize every service that sends your mail.'
const NONE_FAILS = 'None of your mail has failed DMARC in the reports for a week.'
const NO_LISTS =
  'No one at your domain posts to mailing lists that change messages, for example by adding a footer.'
const NOT_YOURS = 'None of the mail that fails DMARC is yours.'

export const FINAL_POLICY_LEVEL: PolicyLevel = {
  policy: 'reject',
  testing: false,
  minimumDays: 0,
  proceedWhen: LAST_STAGE,
}

export const POLICY_LEVELS: readonly PolicyLevel[] = [
  {
    policy: 'none',
    testing: false,
    minimumDays: 30,
    proceedWhen: [KNOWN_SENDERS, 'Each of them passes DMARC with SPF or DKIM.', NOT_YOURS],
  },
  {
    policy: 'quarantine',
    testing: true,
    minimumDays: 7,
    proceedWhen: [NONE_FAILS, 'No one has found your mail in a spam folder.'],
  },
  {
    policy: 'quarantine',
    testing: false,
    minimumDays: 30,
    proceedWhen: [
      KNOWN_SENDERS,
      'Each of them passes DMARC with DKIM, because SPF alone breaks when mail is forwarded (RFC 9989 §7.4).',
      'You’ve asked staff and customers, and no mail has gone missing in the past month.',
    ],
  },
  {
    policy: 'reject',
    testing: true,
    minimumDays: 7,
    proceedWhen: [
      NONE_FAILS,
      'No one has reported missing mail from you.',
      `${NO_LISTS} If someone does, go back to p=quarantine and stay there (RFC 9989 §7.4).`,
    ],
  },
  FINAL_POLICY_LEVEL,
]

/** For a policy with exceptions: weaker subdomains, or only a share of the mail. */
const EXCEPTIONS_STAGE: Pick<PolicyLevel, 'minimumDays' | 'proceedWhen'> = {
  minimumDays: 30,
  proceedWhen: [
    'In the reports, you recognize every service that sends from the domain or a subdomain.',
    'Each of them passes DMARC with DKIM.',
    NOT_YOURS,
  ],
}

function findLevelIndex(policy: DmarcPolicy, testing: boolean): number {
  const isTestLevel = testing && policy !== 'none'
  return POLICY_LEVELS.findIndex(
    (level) => level.policy === policy && level.testing === isTestLevel,
  )
}

export interface CurrentLevel {
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
  const percent = readPercentage(applied.record)
  // A test stage has `pct=0` for receivers that do not know `t=y`.
  const isTestStage = percent === 0 && isTesting(applied.record)
  return (
    (percent < 100 && !isTestStage) ||
    subdomainPolicies.some((each) => each && isWeakerPolicy(each, policy))
  )
}
