/** Where a reported policy is on the ladder that the plan uses, and which stage comes next. */
import {
  conditionsBefore,
  type DmarcPolicy,
  EXCEPTIONS_STAGE,
  findPosition,
  levelsAfter,
  POLICY_LEVELS,
  type PolicyLevel,
  type StageCondition,
  subdomainPoliciesAfter,
} from '@mailgrade/core'
import type { PublishedPolicy } from './aggregate-report.js'

export interface NextStage {
  readonly policy: DmarcPolicy
  readonly testing: boolean
  /** What changes, such as `sp=quarantine`. */
  readonly name: string
  /** To publish, such as `p=quarantine; t=y; pct=0`. */
  readonly tags: string
  /** At the current stage. */
  readonly minimumDays: number
  readonly conditions: readonly StageCondition[]
}

/** Null at the last level, and without a valid policy. */
export function nextStageOf(published: PublishedPolicy): NextStage | null {
  const position = positionOf(published)
  if (!position) return null
  const [next] = levelsAfter(position, {
    sp: knownPolicy(published.sp),
    np: knownPolicy(published.np),
  })
  if (!next) return null
  const tags = writeTags(next, published)
  const { level } = position
  return {
    policy: next.policy,
    testing: next.testing,
    name: tags,
    tags,
    minimumDays: level.minimumDays,
    conditions: conditionsBefore(level, next, {
      id: 'exact-domain',
      domain: published.domain,
      tags: (['adkim', 'aspf'] as const).filter((tag) => published[tag] === 's'),
    }),
  }
}

/** A weaker policy for subdomains stays until their mail passes, and has stages of its own. */
export function hasOwnSubdomainStages({ p, sp }: PublishedPolicy): boolean {
  const [domain, subdomains] = [knownPolicy(p), knownPolicy(sp)]
  return (
    domain !== null && subdomains !== null && subdomainPoliciesAfter(subdomains, domain).length > 0
  )
}

function writeTags({ policy, testing }: PolicyLevel, published: PublishedPolicy): string {
  const sp = hasOwnSubdomainStages(published) ? [`sp=${published.sp}`] : []
  // Receivers that ignore t=y still read pct.
  return [`p=${policy}`, ...sp, ...(testing ? ['t=y', 'pct=0'] : [])].join('; ')
}

/** Null where names below the domain have its policy, or a stricter one. */
export function nextSubdomainStageOf(published: PublishedPolicy): NextStage | null {
  const [domain, subdomains] = [knownPolicy(published.p), knownPolicy(published.sp)]
  if (!domain || !subdomains) return null
  const [next] = subdomainPoliciesAfter(subdomains, domain)
  if (!next) return null
  return {
    ...EXCEPTIONS_STAGE,
    policy: next,
    testing: false,
    name: `sp=${next}`,
    // Without sp, names below the domain have its policy.
    tags: [
      `p=${domain}`,
      ...(next === domain ? [] : [`sp=${next}`]),
      ...describeLimits(published),
    ].join('; '),
  }
}

/** The tags that keep a policy from applying to all mail. */
export function describeLimits({ pct, testing }: PublishedPolicy): string[] {
  return [(pct ?? 100) < 100 ? `pct=${pct}` : '', testing === true ? 't=y' : ''].filter(
    (tag) => tag !== '',
  )
}

/** Index into `POLICY_LEVELS`, half a level lower while a part of the mail is exempt. */
export function levelOf(published: PublishedPolicy): number | null {
  const position = positionOf(published)
  return position && position.levelIndex - (position.hasExceptions ? 0.5 : 0)
}

const SUBDOMAIN_LEVELS: readonly DmarcPolicy[] = ['none', 'quarantine', 'reject']

export function subdomainLevelOf({ sp }: PublishedPolicy): number | null {
  const policy = knownPolicy(sp)
  return policy && SUBDOMAIN_LEVELS.indexOf(policy)
}

export const SUBDOMAIN_QUARANTINE_LEVEL = SUBDOMAIN_LEVELS.indexOf('quarantine')

/** The first level at which receivers quarantine all mail that fails. */
export const QUARANTINE_LEVEL = POLICY_LEVELS.findIndex(
  ({ policy, testing }) => policy === 'quarantine' && !testing,
)

function positionOf({ p, pct, testing }: PublishedPolicy) {
  const policy = knownPolicy(p)
  // Receivers that don't know `t` report only the `pct=0` beside it.
  const isTest = testing === true || pct === 0
  const percent = isTest ? 0 : (pct ?? 100)
  return policy && findPosition({ policy, testing: isTest, percent, below: [] })
}

function knownPolicy(policy: PublishedPolicy['p']): DmarcPolicy | null {
  return policy === 'other' ? null : policy
}
