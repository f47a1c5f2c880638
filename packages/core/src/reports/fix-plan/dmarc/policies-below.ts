/** Which policies names below the domain have at each stage, and the stages of their own. */
import { isWeakerPolicy } from '../../../checks/dmarc/dmarc-policies.js'
import type { DmarcPolicy } from '../../../checks/dmarc/dmarc-record.js'
import { type SubdomainPolicies, subdomainPoliciesAfter } from '../../../rollout/policy-ladder.js'
import {
  currentPolicy,
  currentSubdomainTags,
  type DmarcDraft,
  findPoliciesBelow,
  governsNamesBelow,
} from './dmarc-draft.js'

export interface PoliciesBelow {
  /** The tags beside a policy of the domain; an exception stays. */
  readonly tagsAt: (policy: DmarcPolicy) => SubdomainPolicies
  /** The tags of the stages that end the exceptions, once the policy has its last value. */
  readonly stagesAfter: (policy: DmarcPolicy) => readonly SubdomainPolicies[]
  readonly hasExceptions: boolean
}

export function planPoliciesBelow({ base, facts, limits }: DmarcDraft): PoliciesBelow {
  const tags = currentSubdomainTags(base, facts)
  const current = currentPolicy(facts)
  const now = findPoliciesBelow(facts)
  const isException = (each: DmarcPolicy | null) =>
    each !== null && (each === 'none' || isWeakerPolicy(each, current))
  const [keepsSp, keepsNp] = [isException(tags.sp), isException(tags.np)]
  // RFC 9989 §4.7: without effect in the record of another name.
  const lowered = governsNamesBelow(facts) ? limits.below : 'reject'
  const limit = stricter(lowered, now?.subdomains ?? 'none')
  const limited = (wanted: DmarcPolicy) => (isWeakerPolicy(limit, wanted) ? limit : wanted)

  const write = (policy: DmarcPolicy, sp: DmarcPolicy, np: DmarcPolicy): SubdomainPolicies => ({
    sp: sp === policy && tags.sp !== sp ? null : sp,
    np: np === sp && tags.np !== np ? null : np,
  })
  const tagsAt = (policy: DmarcPolicy) => {
    const sp = (keepsSp && tags.sp) || stricter(limited(policy), tags.sp ?? 'none')
    // Names that do not exist have no sender to wait for.
    const np = tags.np === null && keepsSp ? sp : stricter(policy, tags.np ?? tags.sp ?? 'none')
    return write(policy, sp, (keepsNp && tags.np) || np)
  }
  const stagesAfter = (policy: DmarcPolicy) => {
    const { sp = null, np = null } = tagsAt(policy)
    const first = { sp: sp ?? policy, np: np ?? sp ?? policy }
    const lowest = isWeakerPolicy(first.np, first.sp) ? first.np : first.sp
    let before = first
    return subdomainPoliciesAfter(lowest, policy).flatMap((target) => {
      const raised = {
        sp: stricter(first.sp, limited(target)),
        np: stricter(first.np, np === null ? limited(target) : target),
      }
      if (raised.sp === before.sp && raised.np === before.np) return []
      before = raised
      return [write(policy, raised.sp, raised.np)]
    })
  }
  return { tagsAt, stagesAfter, hasExceptions: keepsSp || keepsNp }
}

function stricter(one: DmarcPolicy, other: DmarcPolicy): DmarcPolicy {
  return isWeakerPolicy(one, other) ? other : one
}
