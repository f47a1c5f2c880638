/** What evaluating a record costs a receiver when nothing matches: lookups and void lookups (RFC 7208 §4.6.4). */
import { evaluatedMxHosts, type SpfGraph, type SpfHost, type TermTarget } from './spf-graph.js'
import { type ActiveTerm, activeTerms, mergeTerms, type SpfRecord } from './spf-record.js'

/** Void lookups depend on the sender: for one over IPv6, receivers query AAAA instead of A. */
export interface LookupCost {
  readonly lookups: number
  readonly ipv4VoidLookups: number
  readonly ipv6VoidLookups: number
}

const NOTHING: LookupCost = { lookups: 0, ipv4VoidLookups: 0, ipv6VoidLookups: 0 }
const LOOKUP: LookupCost = { ...NOTHING, lookups: 1 }
/** Records that include each other by the hundred multiply beyond what a number holds. */
const MAX_COST = 1_000_000

export interface LookupCosts {
  termCost(term: ActiveTerm): LookupCost
  /** The cost of one record, or of the record that merging several would give. */
  recordsCost(records: readonly SpfRecord[]): LookupCost
}

/** An include that occurs twice costs twice, but each host is computed once. */
export function createLookupCosts({ root, answers, targetOf, hostOf }: SpfGraph): LookupCosts {
  // A record that leads back to itself adds nothing more; the loop has its own finding.
  const costs = new Map<SpfHost, LookupCost>([[root, NOTHING]])

  function hostCost(host: SpfHost, target: TermTarget): LookupCost {
    if (host.state !== 'record') return voidCost(target, 'TXT')
    const before = costs.get(host)
    if (before) return before
    costs.set(host, NOTHING)
    const cost = host.followed.flatMap(activeTerms).map(termCost).reduce(add, NOTHING)
    costs.set(host, cost)
    return cost
  }

  function termCost(term: ActiveTerm): LookupCost {
    const target = targetOf(term)
    switch (term.kind) {
      case 'include':
      case 'redirect':
        return add(LOOKUP, hostCost(hostOf(term), target))
      case 'a':
        return add(LOOKUP, addressVoids(target))
      case 'mx':
        return add(LOOKUP, mailServerVoids(target))
      case 'exists':
        return add(LOOKUP, voidCost(target, 'A'))
      case 'ptr':
        return LOOKUP
      default:
        return NOTHING
    }
  }

  function addressVoids(target: TermTarget): LookupCost {
    return {
      lookups: 0,
      ipv4VoidLookups: Number(isVoid(target, 'A')),
      ipv6VoidLookups: Number(isVoid(target, 'AAAA')),
    }
  }

  function mailServerVoids(target: TermTarget): LookupCost {
    const answer = target.kind === 'name' ? answers.answer(target.name, 'MX') : undefined
    return (answer ? evaluatedMxHosts(answer) : [])
      .map((name) => addressVoids({ kind: 'name', name }))
      .reduce(add, voidCost(target, 'MX'))
  }

  /** A lookup that is void for every sender. */
  function voidCost(target: TermTarget, type: 'A' | 'MX' | 'TXT'): LookupCost {
    const voids = Number(isVoid(target, type))
    return { lookups: 0, ipv4VoidLookups: voids, ipv6VoidLookups: voids }
  }

  function isVoid(target: TermTarget, type: 'A' | 'AAAA' | 'MX' | 'TXT'): boolean {
    const answer = target.kind === 'name' ? answers.answer(target.name, type) : undefined
    return answer !== undefined && answer.kind !== 'records'
  }

  function recordsCost(records: readonly SpfRecord[]): LookupCost {
    return mergeTerms(records)
      .map(termCost)
      .reduce(
        (one, other) => ({
          lookups: one.lookups + other.lookups,
          ipv4VoidLookups: one.ipv4VoidLookups + other.ipv4VoidLookups,
          ipv6VoidLookups: one.ipv6VoidLookups + other.ipv6VoidLookups,
        }),
        NOTHING,
      )
  }

  // Within a loop a host's cost depends on where the walk begins: always at the domain.
  recordsCost(root.followed)
  return { termCost, recordsCost }
}

function add(one: LookupCost, other: LookupCost): LookupCost {
  return {
    lookups: Math.min(one.lookups + other.lookups, MAX_COST),
    ipv4VoidLookups: Math.min(one.ipv4VoidLookups + other.ipv4VoidLookups, MAX_COST),
    ipv6VoidLookups: Math.min(one.ipv6VoidLookups + other.ipv6VoidLookups, MAX_COST),
  }
}
