/** Findings about a domain's mail servers. */

import { unavailabilityOf } from '../check-result.js'
import type { Finding } from '../finding.js'
import { isPrivateAddress } from '../ip-address.js'
import { type Found, found, judge, type Rule } from '../rule.js'
import type { MxFacts, MxTarget } from './discover-mx.js'

/** RFC 5321 §5.1: a sender need not try more than two. */
export const MAX_SHOWN_ADDRESSES = 20

const RULES: readonly Rule<MxFacts>[] = [
  ({ domain, targets, domainAddresses }) =>
    targets.length === 0 && domainAddresses.length === 0 ? found('mx.missing', { domain }) : null,

  ({ domain, targets, domainAddresses }) => {
    if (targets.length > 0 || domainAddresses.length === 0) return null
    const evidence = domainAddresses.slice(0, MAX_SHOWN_ADDRESSES).map((value) => {
      return { name: domain, type: value.includes(':') ? 'AAAA' : 'A', value }
    })
    return found('mx.implicit', { domain }, { evidence })
  },

  (facts) => {
    const { domain, targets } = facts
    const nulls = targets.filter(({ kind }) => kind === 'null')
    if (nulls.length === 0 || nulls.length === targets.length) return null
    return found('mx.null-and-others', { domain }, { evidence: mxEvidence(facts, nulls) })
  },

  forHosts(
    ({ kind }) => kind === 'ip-literal',
    ({ domain }, hosts) => found('mx.ip-literal', { domain, hosts }),
  ),
  forHosts(
    (target) => target.kind === 'host' && target.addresses?.length === 0,
    (_, hosts) => found('mx.dangling', { hosts }),
  ),
  forHosts(
    (target) => target.kind === 'host' && target.cnames.length > 0,
    (_, hosts) => found('mx.cname', { hosts }),
  ),
  forHosts(
    (target) => {
      const { length } = addressesOf(target)
      return length > 0 && addressesOf(target).every(isPrivateAddress) && !hasFailed(target)
    },
    (_, hosts) => found('mx.private-address', { hosts }),
  ),
  forHosts(
    ({ kind }) => kind === 'unqueried',
    ({ recordCount: count }) => found('mx.too-many', { count }),
  ),
  forHosts(
    (target) => addressesOf(target).length > MAX_SHOWN_ADDRESSES,
    (_, hosts) => found('mx.too-many-addresses', { hosts, shown: MAX_SHOWN_ADDRESSES }),
  ),

  ({ failures }) => {
    if (failures.length === 0) return null
    const hosts = failures.map(({ query }) => query.name)
    const isOverLimit = unavailabilityOf(failures.map(({ failure }) => failure)) === 'over-limit'
    return found(isOverLimit ? 'mx.host-unavailable (over-limit)' : 'mx.host-unavailable', {
      hosts,
    })
  },
]

export function judgeMx(facts: MxFacts): Finding[] {
  return judge(RULES, facts)
}

/** A finding about all mail servers that something applies to. */
function forHosts(
  applies: (target: MxTarget) => boolean,
  describe: (facts: MxFacts, hosts: readonly string[]) => Found,
): Rule<MxFacts> {
  return (facts) => {
    const affected = facts.targets.filter(applies)
    if (affected.length === 0) return null
    const hosts = affected.map(({ exchange }) => exchange)
    return { ...describe(facts, hosts), evidence: mxEvidence(facts, affected) }
  }
}

function mxEvidence({ domain }: MxFacts, targets: readonly MxTarget[]): Finding['evidence'] {
  return targets.map(({ preference, exchange }) => {
    return { name: domain, type: 'MX', value: `${preference} ${exchange}` }
  })
}

function addressesOf(target: MxTarget): readonly string[] {
  return (target.kind === 'host' && target.addresses) || []
}

function hasFailed(target: MxTarget): boolean {
  return target.kind === 'host' && target.failure !== null
}
