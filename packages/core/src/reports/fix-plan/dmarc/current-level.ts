/** How far a domain has come on its way to `p=reject`. */
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import { isWeakerPolicy } from '../../../checks/dmarc/dmarc-policies.js'
import { type DmarcPolicy, isTesting, readPercentage } from '../../../checks/dmarc/dmarc-record.js'
import { currentPolicy } from './base-record.js'
import { findLevelIndex, POLICY_LEVELS } from './policy-levels.js'

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
