/** What reading a record costs a receiver that finds no match: lookups and void lookups (RFC 7208 §4.6.4). */
import { mailServers, type SpfAnswers } from './spf-answers.js'
import { spfAt } from './spf-at.js'
import { type ActiveTerm, activeTerms, type SpfRecord } from './spf-record.js'
import { type Target, targetOf } from './target.js'

/** Void lookups differ with the sender: one who comes over IPv6 makes receivers ask for AAAA. */
export interface Cost {
  readonly lookups: number
  readonly ipv4Voids: number
  readonly ipv6Voids: number
}

const NOTHING: Cost = { lookups: 0, ipv4Voids: 0, ipv6Voids: 0 }
/** Records that include each other by the hundred multiply beyond what a number holds. */
const MOST = 1_000_000
const LOOKUP: Cost = { ...NOTHING, lookups: 1 }

export interface CostReader {
  ofRecord(record: SpfRecord, domain: string): Cost
  ofTerm(term: ActiveTerm, domain: string): Cost
}

/** Every occurrence counts, so an include that stands twice costs twice; each is worked out once. */
export function createCostReader(answers: SpfAnswers, origin: string): CostReader {
  // A record that leads back to itself costs nothing more: a loop is judged as a loop.
  const known = new Map<string, Cost>([[origin, NOTHING]])

  function ofName(target: Target): Cost {
    const found = spfAt(answers, target)
    if (found.state !== 'record') return voidFor(target, 'TXT')
    const before = known.get(found.name)
    if (before) return before
    known.set(found.name, NOTHING)
    const cost = ofRecord(found.record, found.name)
    known.set(found.name, cost)
    return cost
  }

  function ofRecord(record: SpfRecord, domain: string): Cost {
    return activeTerms(record)
      .map((term) => ofTerm(term, domain))
      .reduce(sum, NOTHING)
  }

  function ofTerm(term: ActiveTerm, domain: string): Cost {
    const target = targetOf(term, { domain, origin })
    switch (term.kind) {
      case 'include':
      case 'redirect':
        return sum(LOOKUP, ofName(target))
      case 'a':
        return sum(LOOKUP, addressVoids(target))
      case 'mx':
        return sum(LOOKUP, mailServerVoids(target))
      case 'exists':
        return sum(LOOKUP, voidFor(target, 'A'))
      case 'ptr':
        return LOOKUP
      default:
        return NOTHING
    }
  }

  function addressVoids(target: Target): Cost {
    const ipv4Voids = Number(isVoid(target, 'A'))
    return { lookups: 0, ipv4Voids, ipv6Voids: Number(isVoid(target, 'AAAA')) }
  }

  function mailServerVoids(target: Target): Cost {
    const answer = target.kind === 'name' ? answers.of(target.name, 'MX') : undefined
    return (answer ? mailServers(answer) : [])
      .map((name) => addressVoids({ kind: 'name', name }))
      .reduce(sum, voidFor(target, 'MX'))
  }

  /** A void whoever sends. */
  function voidFor(target: Target, type: 'A' | 'MX' | 'TXT'): Cost {
    const voids = Number(isVoid(target, type))
    return { lookups: 0, ipv4Voids: voids, ipv6Voids: voids }
  }

  /** Asked, and nothing there. */
  function isVoid(target: Target, type: 'A' | 'AAAA' | 'MX' | 'TXT'): boolean {
    const answer = target.kind === 'name' ? answers.of(target.name, type) : undefined
    return answer !== undefined && answer.kind !== 'records'
  }

  return { ofRecord, ofTerm }
}

function sum(one: Cost, other: Cost): Cost {
  return {
    lookups: Math.min(one.lookups + other.lookups, MOST),
    ipv4Voids: Math.min(one.ipv4Voids + other.ipv4Voids, MOST),
    ipv6Voids: Math.min(one.ipv6Voids + other.ipv6Voids, MOST),
  }
}
