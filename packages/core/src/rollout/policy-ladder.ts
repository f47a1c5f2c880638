/** The stages from no policy to the strictest one, and what has to be true before the next. */
import { isWeakerPolicy } from '../checks/dmarc/dmarc-policies.js'
import { DMARC_POLICIES, type DmarcPolicy } from '../checks/dmarc/dmarc-record.js'

/** What a level puts into the record; `condition-words.ts` has the words of its conditions. */
export interface PolicyLevel {
  readonly policy: DmarcPolicy
  /** RFC 9989 §4.7: `t=y` makes receivers act one level down. */
  readonly testing: boolean
  readonly minimumDays: number
  /** Of the next level. */
  readonly conditions: readonly StageCondition[]
}

/** Whose mail a condition is about: that of the domain, or also that of the names below it. */
type Scope = 'domain' | 'domain-and-below'

export type StageCondition =
  | { readonly id: 'senders-known'; readonly scope: Scope }
  | { readonly id: 'senders-pass' }
  | { readonly id: 'senders-sign'; readonly scope: Scope }
  | { readonly id: 'failures-not-yours' }
  | { readonly id: 'none-fails'; readonly days: 7 }
  | { readonly id: 'none-in-spam' }
  | { readonly id: 'none-missing'; readonly days: 30 }
  | { readonly id: 'no-complaints' }
  | { readonly id: 'no-lists'; readonly otherwise: 'go-back' | 'stay' }
  | {
      readonly id: 'exact-domain'
      readonly domain: string
      readonly tags: readonly ('adkim' | 'aspf')[]
    }

const NONE_FAILS: StageCondition = { id: 'none-fails', days: 7 }
const FAILURES_NOT_YOURS: StageCondition = { id: 'failures-not-yours' }

export const FINAL_POLICY_LEVEL: PolicyLevel = {
  policy: 'reject',
  testing: false,
  minimumDays: 0,
  conditions: [],
}

export const POLICY_LEVELS: readonly PolicyLevel[] = [
  {
    policy: 'none',
    testing: false,
    minimumDays: 30,
    conditions: [
      { id: 'senders-known', scope: 'domain' },
      { id: 'senders-pass' },
      FAILURES_NOT_YOURS,
    ],
  },
  {
    policy: 'quarantine',
    testing: true,
    minimumDays: 7,
    conditions: [NONE_FAILS, { id: 'none-in-spam' }],
  },
  {
    policy: 'quarantine',
    testing: false,
    minimumDays: 30,
    conditions: [
      { id: 'senders-known', scope: 'domain' },
      { id: 'senders-sign', scope: 'domain' },
      { id: 'none-missing', days: 30 },
    ],
  },
  {
    policy: 'reject',
    testing: true,
    minimumDays: 7,
    conditions: [NONE_FAILS, { id: 'no-complaints' }, { id: 'no-lists', otherwise: 'go-back' }],
  },
  FINAL_POLICY_LEVEL,
]

/** For a policy with exceptions: weaker subdomains, or only a share of the mail. */
export const EXCEPTIONS_STAGE: Pick<PolicyLevel, 'minimumDays' | 'conditions'> = {
  minimumDays: 30,
  conditions: [
    { id: 'senders-known', scope: 'domain-and-below' },
    { id: 'senders-sign', scope: 'domain-and-below' },
    FAILURES_NOT_YOURS,
  ],
}

/** The policy that receivers apply, and the tags that make exceptions from it. */
export interface PublishedLevel {
  readonly policy: DmarcPolicy
  readonly testing: boolean
  /** RFC 7489 §6.3, for receivers that still read `pct`. */
  readonly percent: number
  /** The policies for existing and for nonexistent names below the domain. */
  readonly below: readonly (DmarcPolicy | null | undefined)[]
}

export interface LadderPosition {
  /** Index into `POLICY_LEVELS`. */
  readonly levelIndex: number
  /** `pct` below 100, or a weaker policy for subdomains. */
  readonly hasExceptions: boolean
  /** The level, with what has to be true before the next one. */
  readonly level: PolicyLevel
}

export function findPosition(published: PublishedLevel): LadderPosition {
  const { policy, testing, percent, below } = published
  const isTestLevel = testing && policy !== 'none'
  const levelIndex = POLICY_LEVELS.findIndex(
    (level) => level.policy === policy && level.testing === isTestLevel,
  )
  const level = POLICY_LEVELS[levelIndex] ?? FINAL_POLICY_LEVEL
  // A test stage has `pct=0` for receivers that do not know `t=y`.
  const isPartial = policy !== 'none' && percent < 100 && !(percent === 0 && testing)
  const isWeakerBelow = below.some((each) => each && isWeakerPolicy(each, policy))
  const hasExceptions = isPartial || (policy !== 'none' && isWeakerBelow)
  if (isPartial) return { levelIndex, hasExceptions, level: { ...level, ...partialStage(policy) } }
  // Only a plan, which asked what has to be true before the test, adds `pct=0`.
  const isOwnTest = isTestLevel && percent > 0
  return { levelIndex, hasExceptions, level: isOwnTest ? asFirst(level) : level }
}

/** Receivers have applied a partial policy to some mail only. */
function partialStage(policy: DmarcPolicy): typeof EXCEPTIONS_STAGE {
  const { minimumDays, conditions } = EXCEPTIONS_STAGE
  const ofReject: readonly StageCondition[] = [
    { id: 'no-complaints' },
    { id: 'no-lists', otherwise: 'stay' },
  ]
  return {
    minimumDays,
    conditions: policy === 'reject' ? [...conditions, ...ofReject] : conditions,
  }
}

/** No one has made sure of what has to be true before the test. */
function asFirst(level: PolicyLevel): PolicyLevel {
  const { minimumDays, conditions } = POLICY_LEVELS[POLICY_LEVELS.indexOf(level) - 1] ?? level
  return { ...level, minimumDays, conditions: [...conditions, ...level.conditions] }
}

/** The `sp` and `np` of the record; null where it has none. */
export interface SubdomainPolicies {
  readonly sp: DmarcPolicy | null
  readonly np: DmarcPolicy | null
}

/** The current level without exceptions, if it has any, and the levels above it. */
export function levelsAfter(
  { levelIndex, hasExceptions, level: { testing } }: LadderPosition,
  subdomains: SubdomainPolicies,
): readonly PolicyLevel[] {
  // A test has `pct=0`, which would lower a share that receivers of RFC 7489 apply today.
  const isRepeated = hasExceptions && !testing
  return POLICY_LEVELS.slice(isRepeated ? levelIndex : levelIndex + 1).filter(
    (level) => !wouldWeaken(level, subdomains),
  )
}

/** RFC 9989 §4.7: `t=y` also lowers `sp` and `np`, which may be in effect already. */
function wouldWeaken({ policy, testing }: PolicyLevel, { sp, np }: SubdomainPolicies): boolean {
  return testing && [sp, np].some((each) => each !== null && !isWeakerPolicy(each, policy))
}

/** The values of a weaker `sp`, which is raised by itself once the policy has its final value. */
export function subdomainPoliciesAfter(sp: DmarcPolicy, policy: DmarcPolicy): DmarcPolicy[] {
  return DMARC_POLICIES.filter((each) => isWeakerPolicy(sp, each) && !isWeakerPolicy(policy, each))
}

/** What has to be true before `next`, which may leave out the test of its policy. */
export function conditionsBefore(
  level: PolicyLevel,
  next: PolicyLevel,
  strict: Extract<StageCondition, { id: 'exact-domain' }>,
): readonly StageCondition[] {
  const isTested = level.policy === 'reject' || next.policy !== 'reject' || next.testing
  const untested: readonly StageCondition[] = isTested
    ? []
    : [NONE_FAILS, { id: 'no-lists', otherwise: 'stay' }]
  return [...level.conditions, ...untested, ...(strict.tags.length > 0 ? [strict] : [])]
}

/** Where names below the domain get a stricter policy, their senders count as well. */
export function withSendersBelow(condition: StageCondition): StageCondition {
  return 'scope' in condition ? { ...condition, scope: 'domain-and-below' } : condition
}
