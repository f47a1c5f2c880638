/** How far a domain has come on its way to `p=reject`. */
import type { DmarcFacts } from '../../../checks/dmarc/discover-dmarc.js'
import { isTesting, type Policy, percentOf } from '../../../checks/dmarc/dmarc-record.js'
import { isWeaker } from '../../../checks/dmarc/policies.js'
import { policyToday } from './base-record.js'
import { LADDER, rungOf } from './ladder.js'

export interface Standing {
  /** On the ladder. */
  readonly rung: number
  /** `pct`, or a weaker policy for names below the domain. */
  readonly hasExceptions: boolean
  /** Nothing is left to do. */
  readonly isComplete: boolean
}

export function standingOf(facts: DmarcFacts): Standing {
  const { applied, policy } = facts
  const testing = applied !== null && isTesting(applied.record)
  const today = policyToday(facts)
  const rung = rungOf(today, testing)
  const hasExceptions = today !== 'none' && isWeakened(facts, today)
  const isLast = rung === LADDER.length - 1 && policy === 'reject'
  return { rung, hasExceptions, isComplete: isLast && !hasExceptions }
}

function isWeakened({ domain, applied, below }: DmarcFacts, policy: Policy): boolean {
  if (!applied) return false
  const isOwn = applied.station.domain === domain && below?.station === applied.station
  const underneath = isOwn ? [below.policies?.subdomains, below.policies?.nonexistent] : []
  return (
    percentOf(applied.record) < 100 || underneath.some((each) => each && isWeaker(each, policy))
  )
}
