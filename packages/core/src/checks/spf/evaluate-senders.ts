/**
 * RFC 7208 §4 check_host(), for one sender or for all there are.
 *
 * Addresses that the records treat alike stay together, with the lookups spent on them, so each gets
 * the result that it would get alone.
 */
import {
  type AddressSet,
  allAddresses,
  intersectSets,
  NO_ADDRESSES,
  subtractSet,
  uniteRanges,
} from '../address-set.js'
import type { IpFamily } from '../ip-address.js'
import { LOOKUP_LIMIT, VOID_LOOKUP_LIMIT } from './spf-limits.js'
import {
  type ActiveTerm,
  activeTerms,
  type Directive,
  invalidTerms,
  QUALIFIER_RESULTS,
  readSpfRecords,
  type SpfRecord,
} from './spf-record.js'
import type { SPF_RESULTS } from './spf-report.js'
import {
  isNetwork,
  isPossibleName,
  isVoid,
  matchingAddresses,
  needsLookup,
  networkRanges,
  type SpfAnswers,
  type TermTarget,
  termAnswers,
} from './term-lookups.js'

export interface SpfSenders {
  readonly family: IpFamily
  readonly addresses: AddressSet
  readonly answers: SpfAnswers
  /**
   * Whether the evaluation ends where a receiver's does. For all senders at once it goes on: a failed
   * lookup may have matched, and not every receiver limits void lookups.
   */
  readonly endsAtErrors: boolean
  /** Null until the names of the sender are known. */
  resolve(term: ActiveTerm, host: string): ResolvedTerm | null
}

interface ResolvedTerm {
  readonly target: TermTarget
  /** The names of the sender's address, for `ptr` (§5.5); null if they are unknown. */
  readonly clientNames: readonly string[] | null
  /** Spent to find the names. */
  readonly voidLookups: number
}

type SpfResult = (typeof SPF_RESULTS)[number]

interface Group {
  readonly addresses: AddressSet
  readonly lookups: number
  readonly voidLookups: number
}

export interface SpfOutcome extends Group {
  readonly result: SpfResult
  /** What led to a match, from the domain's own record on; empty if nothing matched or groups joined. */
  readonly path: readonly MatchStep[]
}

export interface MatchStep {
  readonly host: string
  readonly record: SpfRecord
  /** One term, or networks of which one matched. */
  readonly terms: TermGroup
}

export interface HostOutcomes {
  readonly outcomes: readonly SpfOutcome[]
  /** A part that is unknown may let senders pass. */
  readonly mayPass: boolean
}

interface TermOutcomes extends HostOutcomes {
  /** The groups that no term has decided so far. */
  readonly live: readonly Group[]
}

export function evaluateSenders(senders: SpfSenders, domain: string): HostOutcomes {
  const { family, addresses, answers, endsAtErrors } = senders
  return checkHost(domain, [{ addresses, lookups: 0, voidLookups: 0 }])

  function checkHost(host: string, groups: readonly Group[]): HostOutcomes {
    // §4.3: a name of one label has no record.
    if (!isPossibleName(host) || !host.includes('.')) return end(groups, 'none')
    const answer = answers.answer(host, 'TXT')
    if (!answer && endsAtErrors) return end(groups, 'temperror')
    if (!answer) return { ...end(groups, 'neutral'), mayPass: groups.some(isWithinVoidLimit) }
    const [record, ...others] = readSpfRecords(answer)
    // The domain's own record costs no lookup; for all senders, this error ends the count.
    const isCounted = endsAtErrors && isVoid(answer) && groups.some(({ lookups }) => lookups > 0)
    if (!record) return end(addVoidLookups(groups, Number(isCounted)), 'none')
    const isUsable = others.length === 0 && invalidTerms(record).length === 0
    return isUsable ? evaluateRecord(record, host, groups) : end(groups, 'permerror')
  }

  function evaluateRecord(record: SpfRecord, host: string, groups: readonly Group[]): HostOutcomes {
    const outcomes: SpfOutcome[] = []
    let live = groups
    let mayPass = false
    for (const terms of groupTerms(record)) {
      if (live.length === 0) break
      const found = endAtVoidLimit(evaluateTerms({ host, record, terms }, live))
      outcomes.push(...found.outcomes)
      mayPass ||= found.mayPass && isPassing(terms[0])
      live = found.live
    }
    return { outcomes: merge([...outcomes, ...end(live, 'neutral').outcomes]), mayPass }
  }

  function evaluateTerms(step: MatchStep, groups: readonly Group[]): TermOutcomes {
    const [term] = step.terms
    if (!needsLookup(term)) return split(step, groups, matchingNetworks(step.terms))
    const spent = groups.map((group) => spend(group, 1, 0))
    const within = spent.filter(({ lookups }) => lookups <= LOOKUP_LIMIT)
    const beyond = end(
      spent.filter(({ lookups }) => lookups > LOOKUP_LIMIT),
      'permerror',
    )
    if (within.length === 0) return beyond
    const resolved = senders.resolve(term, step.host)
    if (!resolved) return end(within, 'temperror')
    const live = addVoidLookups(within, resolved.voidLookups)
    const found =
      term.kind === 'include' || term.kind === 'redirect'
        ? follow(step, live, resolved.target)
        : match(step, live, resolved, term)
    return { ...found, outcomes: [...beyond.outcomes, ...found.outcomes] }
  }

  function follow(step: MatchStep, groups: readonly Group[], target: TermTarget): TermOutcomes {
    if (target.kind === 'dynamic') return goOn(groups)
    if (target.kind === 'malformed') return end(groups, 'permerror')
    const inner = checkHost(target.name, groups)
    const outcomes: SpfOutcome[] = []
    const live: Group[] = []
    for (const outcome of inner.outcomes) {
      const result = resultBehind(step.terms[0], outcome.result)
      const path = outcome.path.length > 0 ? [step, ...outcome.path] : []
      if (result === null) live.push(spend(outcome, 0, 0))
      else outcomes.push({ ...outcome, result, path })
    }
    return { outcomes, live, mayPass: inner.mayPass }
  }

  function match(
    step: MatchStep,
    groups: readonly Group[],
    { target, clientNames }: ResolvedTerm,
    term: Directive,
  ): TermOutcomes {
    const known = { answers, targetOf: () => target }
    const found = termAnswers(known, term, family)
    const failed: Group[] = []
    const read: Group[] = []
    for (const group of groups) {
      const { voids, isFailed } = readAnswers(group, found)
      const list = isFailed ? failed : read
      list.push(spend(group, 0, voids))
    }
    const matching =
      clientNames && term.kind === 'ptr'
        ? matchNames(clientNames, target)
        : matchingAddresses(known, term, family)
    if (matching === 'too-many') return end(groups, 'permerror')
    const { outcomes, live, mayPass } =
      matching === 'unknown' ? goOn(read) : split(step, read, matching)
    return { outcomes: [...end(failed, 'temperror').outcomes, ...outcomes], live, mayPass }
  }

  /** An error ends the evaluation, so the first of several decides. */
  function readAnswers({ voidLookups }: Group, found: ReturnType<typeof termAnswers>) {
    let voids = 0
    for (const answer of found) {
      if (endsAtErrors && !answer) return { voids, isFailed: true }
      if (!isVoid(answer)) continue
      voids += 1
      if (endsAtErrors && voidLookups + voids > VOID_LOOKUP_LIMIT) break
    }
    return { voids, isFailed: false }
  }

  function split(step: MatchStep, groups: readonly Group[], matching: AddressSet): TermOutcomes {
    const result = resultBehind(step.terms[0], 'pass') ?? 'neutral'
    const outcomes: SpfOutcome[] = []
    const live: Group[] = []
    for (const { addresses: set, lookups, voidLookups } of groups) {
      const inside = intersectSets(set, matching)
      const outside = subtractSet(set, matching)
      if (inside.length > 0)
        outcomes.push({ addresses: inside, lookups, voidLookups, result, path: [step] })
      if (outside.length > 0) live.push({ addresses: outside, lookups, voidLookups })
    }
    return { outcomes, live, mayPass: false }
  }

  function matchingNetworks(terms: TermGroup): AddressSet {
    return terms[0].kind === 'all'
      ? allAddresses(family)
      : uniteRanges(networkRanges(terms, family))
  }

  function matchNames(names: readonly string[], target: TermTarget): AddressSet {
    const isMatch = target.kind === 'name' && names.some((name) => isAtOrBelow(name, target.name))
    return isMatch ? addresses : NO_ADDRESSES
  }

  function endAtVoidLimit(found: TermOutcomes): TermOutcomes {
    if (!endsAtErrors) return found
    const { outcomes, live } = found
    const beyond = [...outcomes, ...live].filter((group) => !isWithinVoidLimit(group))
    return {
      ...found,
      outcomes: [...end(beyond, 'permerror').outcomes, ...outcomes.filter(isWithinVoidLimit)],
      live: live.filter(isWithinVoidLimit),
    }
  }
}

export function isWithinVoidLimit({ voidLookups }: Group): boolean {
  return voidLookups <= VOID_LOOKUP_LIMIT
}

/** What is unknown may match, so it decides nothing. */
function goOn(groups: readonly Group[]): TermOutcomes {
  return { outcomes: [], live: groups, mayPass: groups.some(isWithinVoidLimit) }
}

function end(groups: readonly Group[], result: SpfResult): TermOutcomes {
  const outcomes = groups.map(({ addresses, lookups, voidLookups }) => {
    return { addresses, lookups, voidLookups, result, path: [] }
  })
  return { outcomes, live: [], mayPass: false }
}

/**
 * The result of a term for senders with a result behind it; null if it does not match. §5.2: an include
 * matches those that pass the other record. §6.1: a redirect takes its result.
 */
function resultBehind(term: ActiveTerm, inner: SpfResult): SpfResult | null {
  if (inner === 'none') return 'permerror'
  if (inner === 'temperror' || inner === 'permerror' || term.kind === 'redirect') return inner
  return inner === 'pass' ? QUALIFIER_RESULTS[term.qualifier] : null
}

export function isPassing(term: ActiveTerm): boolean {
  return term.kind === 'redirect' || term.qualifier === '+'
}

export function isAtOrBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`)
}

/** Objects of one shape, because V8 is slow to copy several. */
function spend({ addresses, lookups, voidLookups }: Group, more: number, voids: number): Group {
  return { addresses, lookups: lookups + more, voidLookups: voidLookups + voids }
}

function addVoidLookups(groups: readonly Group[], count: number): readonly Group[] {
  if (count === 0) return groups
  return groups.map((group) => spend(group, 0, count))
}

type TermGroup = readonly [ActiveTerm, ...ActiveTerm[]]

/** Adjacent networks with the same result are one step: large records have hundreds of them. */
function groupTerms(record: SpfRecord): TermGroup[] {
  const groups: [ActiveTerm, ...ActiveTerm[]][] = []
  for (const term of activeTerms(record)) {
    const before = groups.at(-1)
    const isJoined =
      before && isNetwork(term) && isNetwork(before[0]) && term.qualifier === before[0].qualifier
    if (isJoined) before.push(term)
    else groups.push([term])
  }
  return groups
}

/** Groups with the same result that have spent the same become one. */
function merge(outcomes: readonly SpfOutcome[]): readonly SpfOutcome[] {
  if (outcomes.length < 2) return outcomes
  const merged = new Map<string, SpfOutcome>()
  for (const outcome of outcomes) {
    const key = `${outcome.result} ${outcome.lookups} ${outcome.voidLookups}`
    const before = merged.get(key)
    const addresses = before && uniteRanges([...before.addresses, ...outcome.addresses])
    merged.set(key, addresses ? { ...outcome, addresses, path: [] } : outcome)
  }
  return [...merged.values()]
}
