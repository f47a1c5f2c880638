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
  isValid,
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
  const everyone = allAddresses(family)
  return checkHost(domain, [{ addresses, lookups: 0, voidLookups: 0 }])

  function checkHost(host: string, groups: readonly Group[]): HostOutcomes {
    // §4.3: a name of one label has no record.
    if (!isPossibleName(host) || !host.includes('.')) return end(groups, 'none')
    const answer = answers.answer(host, 'TXT')
    if (!answer && endsAtErrors) return end(groups, 'temperror')
    if (!answer) return { ...end(groups, 'neutral'), mayPass: groups.some(isWithinVoidLimit) }
    const records = readSpfRecords(answer)
    const record = records[0]
    // The domain's own record costs no lookup; for all senders, this error ends the count.
    const isCounted = endsAtErrors && isVoid(answer) && groups.some(({ lookups }) => lookups > 0)
    if (!record) return end(addVoidLookups(groups, Number(isCounted)), 'none')
    const isUsable = records.length === 1 && isValid(record)
    return isUsable ? evaluateRecord(record, host, groups) : end(groups, 'permerror')
  }

  function evaluateRecord(record: SpfRecord, host: string, groups: readonly Group[]): HostOutcomes {
    const merged: SpfOutcome[] = []
    let live = groups
    let mayPass = false
    for (const terms of groupTerms(record)) {
      if (live.length === 0) break
      const found = endAtVoidLimit(evaluateTerms({ host, record, terms }, live))
      merge(found.outcomes, merged)
      mayPass ||= found.mayPass && isPassing(terms[0])
      live = found.live
    }
    if (live.length > 0) merge(end(live, 'neutral').outcomes, merged)
    return { outcomes: merged, mayPass }
  }

  function evaluateTerms(step: MatchStep, groups: readonly Group[]): TermOutcomes {
    const [term] = step.terms
    if (!needsLookup(term)) return split(step, groups, matchingNetworks(step.terms))
    const { within, beyond } = spendLookup(groups)
    if (within.length === 0) return beyond
    const resolved = senders.resolve(term, step.host)
    if (!resolved) return end(within, 'temperror')
    const live = addVoidLookups(within, resolved.voidLookups)
    const found =
      term.kind === 'include' || term.kind === 'redirect'
        ? follow(step, live, resolved.target)
        : match(step, live, resolved, term)
    if (beyond.outcomes.length === 0) return found
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
      const path = outcome.path.length > 0 ? [step, ...outcome.path] : NO_PATH
      if (result === null) live.push(outcome)
      else outcomes.push(conclude(outcome, result, path))
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
    if (matching.length === 0) return { outcomes: [], live: groups, mayPass: false }
    const result = resultBehind(step.terms[0], 'pass') ?? 'neutral'
    if (matching === everyone) return end(groups, result, [step])
    const outcomes: SpfOutcome[] = []
    const live: Group[] = []
    for (const group of groups) {
      const inside = intersectSets(group.addresses, matching)
      const outside = subtractSet(group.addresses, matching)
      if (inside.length > 0) outcomes.push(conclude(group, result, [step], inside))
      if (outside.length > 0) live.push(spend(group, 0, 0, outside))
    }
    return { outcomes, live, mayPass: false }
  }

  function matchingNetworks(terms: TermGroup): AddressSet {
    return terms[0].kind === 'all' ? everyone : uniteRanges(networkRanges(terms, family))
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

const NO_PATH: readonly MatchStep[] = []

export function isWithinVoidLimit({ voidLookups }: Group): boolean {
  return voidLookups <= VOID_LOOKUP_LIMIT
}

/** What is unknown may match, so it decides nothing. */
function goOn(groups: readonly Group[]): TermOutcomes {
  return { outcomes: [], live: groups, mayPass: groups.some(isWithinVoidLimit) }
}

function end(
  groups: readonly Group[],
  result: SpfResult,
  path: readonly MatchStep[] = NO_PATH,
): TermOutcomes {
  const outcomes = groups.map((group) => conclude(group, result, path))
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

/** Objects of one shape, and without a spread, which takes V8 a microsecond. */
function spend(group: Group, more: number, voids: number, addresses = group.addresses): Group {
  return { addresses, lookups: group.lookups + more, voidLookups: group.voidLookups + voids }
}

function conclude(
  group: Group,
  result: SpfResult,
  path: readonly MatchStep[],
  addresses = group.addresses,
): SpfOutcome {
  return { addresses, lookups: group.lookups, voidLookups: group.voidLookups, result, path }
}

/** §4.6.4: who has no lookups left gets a permanent error. */
function spendLookup(groups: readonly Group[]) {
  const within: Group[] = []
  const over: Group[] = []
  for (const group of groups) {
    const list = group.lookups < LOOKUP_LIMIT ? within : over
    list.push(spend(group, 1, 0))
  }
  return { within, beyond: end(over, 'permerror') }
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

/** Adds outcomes; groups with the same result that have spent the same become one. */
function merge(outcomes: readonly SpfOutcome[], merged: SpfOutcome[]): void {
  for (const outcome of outcomes) {
    const before = merged.find((each) => isAlike(each, outcome))
    if (!before) merged.push(outcome)
    else {
      const addresses = uniteRanges([...before.addresses, ...outcome.addresses])
      merged[merged.indexOf(before)] = conclude(outcome, outcome.result, NO_PATH, addresses)
    }
  }
}

function isAlike(one: SpfOutcome, other: SpfOutcome): boolean {
  return (
    one.result === other.result &&
    one.lookups === other.lookups &&
    one.voidLookups === other.voidLookups
  )
}
