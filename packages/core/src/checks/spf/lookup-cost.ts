/** What reading a record costs a receiver that finds no match: lookups and void lookups (RFC 7208 §4.6.4). */
import { evaluatedMxHosts, type SpfAnswers } from './spf-answers.js'
import { findSpfRecord } from './spf-at.js'
import { type ActiveTerm, activeTerms, type SpfRecord } from './spf-record.js'
import { resolveTermTarget, type TermTarget } from './term-target.js'

/** Void lookups differ with the sender: one who comes over IPv6 makes receivers ask for AAAA. */
export interface LookupCost {
  readonly lookups: number
  readonly ipv4VoidLookups: number
  readonly ipv6VoidLookups: number
}

const NOTHING: LookupCost = { lookups: 0, ipv4VoidLookups: 0, ipv6VoidLookups: 0 }
/** Records that include each other by the hundred multiply beyond what a number holds. */
const MOST = 1_000_000
const LOOKUP: LookupCost = { ...NOTHING, lookups: 1 }

export interface LookupCosts {
  recordCost(record: SpfRecord, domain: string): LookupCost
  termCost(term: ActiveTerm, domain: string): LookupCost
}

/** Every occurrence counts, so an include that stands twice costs twice; each is worked out once. */
export function createLookupCosts(answers: SpfAnswers, origin: string): LookupCosts {
  // A record that leads back to itself costs nothing more: a loop is judged as a loop.
  const known = new Map<string, LookupCost>([[origin, NOTHING]])

  function ofName(target: TermTarget): LookupCost {
    const found = findSpfRecord(answers, target)
    if (found.state !== 'record') return voidFor(target, 'TXT')
    const before = known.get(found.name)
    if (before) return before
    known.set(found.name, NOTHING)
    const cost = ofRecord(found.record, found.name)
    known.set(found.name, cost)
    return cost
  }

  function ofRecord(record: SpfRecord, domain: string): LookupCost {
    return activeTerms(record)
      .map((term) => ofTerm(term, domain))
      .reduce(sum, NOTHING)
  }

  function ofTerm(term: ActiveTerm, domain: string): LookupCost {
    const target = resolveTermTarget(term, { domain, origin })
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

  function addressVoids(target: TermTarget): LookupCost {
    const ipv4Voids = Number(isVoid(target, 'A'))
    return {
      lookups: 0,
      ipv4VoidLookups: ipv4Voids,
      ipv6VoidLookups: Number(isVoid(target, 'AAAA')),
    }
  }

  function mailServerVoids(target: TermTarget): LookupCost {
    const answer = target.kind === 'name' ? answers.answer(target.name, 'MX') : undefined
    return (answer ? evaluatedMxHosts(answer) : [])
      .map((name) => addressVoids({ kind: 'name', name }))
      .reduce(sum, voidFor(target, 'MX'))
  }

  /** A void whoever sends. */
  function voidFor(target: TermTarget, type: 'A' | 'MX' | 'TXT'): LookupCost {
    const voids = Number(isVoid(target, type))
    return { lookups: 0, ipv4VoidLookups: voids, ipv6VoidLookups: voids }
  }

  /** Asked, and nothing there. */
  function isVoid(target: TermTarget, type: 'A' | 'AAAA' | 'MX' | 'TXT'): boolean {
    const answer = target.kind === 'name' ? answers.answer(target.name, type) : undefined
    return answer !== undefined && answer.kind !== 'records'
  }

  return { recordCost: ofRecord, termCost: ofTerm }
}

function sum(one: LookupCost, other: LookupCost): LookupCost {
  return {
    lookups: Math.min(one.lookups + other.lookups, MOST),
    ipv4VoidLookups: Math.min(one.ipv4VoidLookups + other.ipv4VoidLookups, MOST),
    ipv6VoidLookups: Math.min(one.ipv6VoidLookups + other.ipv6VoidLookups, MOST),
  }
}
