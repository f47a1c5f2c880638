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
  addressQueries,
  evaluatedMxHosts,
  isNetwork,
  isPossibleName,
  isVoid,
  matchingAddresses,
  needsLookup,
  networkRanges,
  type SpfAnswers,
  type SpfQuery,
  type TermTarget,
  termAnswers,
  termQueries,
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
  /** Makes the answers known that can be known. */
  lookUp(queries: readonly SpfQuery[]): Promise<void>
  resolve(term: ActiveTerm, host: string): Promise<ResolvedTerm>
}

export interface ResolvedTerm {
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

export function evaluateSenders(senders: SpfSenders, domain: string): Promise<HostOutcomes> {
  const { family, addresses, answers, endsAtErrors } = senders
  return checkHost(domain, [{ addresses, lookups: 0, voidLookups: 0 }])

  async function checkHost(host: string, groups: readonly Group[]): Promise<HostOutcomes> {
    // §4.3: a name of one label has no record.
    if (!isPossibleName(host) || !host.includes('.')) return end(groups, 'none')
    await senders.lookUp([{ name: host, type: 'TXT' }])
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

  async function evaluateRecord(
    record: SpfRecord,
    host: string,
    groups: readonly Group[],
  ): Promise<HostOutcomes> {
    const outcomes: SpfOutcome[] = []
    let live = groups
    let mayPass = false
    for (const terms of groupTerms(record)) {
      if (live.length === 0) break
      const found = endAtVoidLimit(await evaluateTerms({ host, record, terms }, live))
      outcomes.push(...found.outcomes)
      mayPass ||= found.mayPass && isPassing(terms[0])
      live = found.live
    }
    return { outcomes: merge([...outcomes, ...end(live, 'neutral').outcomes]), mayPass }
  }

  async function evaluateTerms(step: MatchStep, groups: readonly Group[]): Promise<TermOutcomes> {
    const [term] = step.terms
    if (!needsLookup(term)) return split(step, groups, matchingNetworks(step.terms))
    const spent = groups.map((group) => ({ ...group, lookups: group.lookups + 1 }))
    const within = spent.filter(({ lookups }) => lookups <= LOOKUP_LIMIT)
    const beyond = spent.filter(({ lookups }) => lookups > LOOKUP_LIMIT)
    if (within.length === 0) return end(beyond, 'permerror')
    const resolved = await senders.resolve(term, step.host)
    const live = addVoidLookups(within, resolved.voidLookups)
    const { target } = resolved
    const found =
      term.kind === 'include' || term.kind === 'redirect'
        ? await follow(step, live, target)
        : await match(step, live, resolved, term)
    return { ...found, outcomes: [...end(beyond, 'permerror').outcomes, ...found.outcomes] }
  }

  async function follow(
    step: MatchStep,
    groups: readonly Group[],
    target: TermTarget,
  ): Promise<TermOutcomes> {
    if (target.kind === 'dynamic') return goOn(groups)
    if (target.kind === 'malformed') return end(groups, 'permerror')
    const inner = await checkHost(target.name, groups)
    const outcomes: SpfOutcome[] = []
    const live: Group[] = []
    for (const outcome of inner.outcomes) {
      const result = resultBehind(step.terms[0], outcome.result)
      const path = outcome.path.length > 0 ? [step, ...outcome.path] : []
      if (result === null) live.push(outcome)
      else outcomes.push({ ...outcome, result, path })
    }
    return { outcomes, live, mayPass: inner.mayPass }
  }

  async function match(
    step: MatchStep,
    groups: readonly Group[],
    { target, clientNames }: ResolvedTerm,
    term: Directive,
  ): Promise<TermOutcomes> {
    await senders.lookUp(termQueries(term, target, [family]))
    if (term.kind === 'mx' && target.kind === 'name') {
      const hosts = evaluatedMxHosts(answers, target.name)
      await senders.lookUp(hosts.flatMap((host) => addressQueries(host, [family])))
    }
    const known = { answers, targetOf: () => target }
    const found = termAnswers(known, term, family)
    const read = groups.map((group) => readAnswers(group, found))
    const failed = end(
      read.filter(({ isFailed }) => isFailed),
      'temperror',
    )
    const others = read.filter(({ isFailed }) => !isFailed)
    const matching =
      clientNames && term.kind === 'ptr'
        ? matchNames(clientNames, target)
        : matchingAddresses(known, term, family)
    if (matching === 'too-many') return end(groups, 'permerror')
    if (matching === 'unknown') return { ...goOn(others), outcomes: failed.outcomes }
    const { outcomes, ...rest } = split(step, others, matching)
    return { ...rest, outcomes: [...failed.outcomes, ...outcomes] }
  }

  /** An error ends the evaluation, so the first of several decides. */
  function readAnswers(group: Group, found: ReturnType<typeof termAnswers>) {
    let { voidLookups } = group
    for (const answer of found) {
      if (endsAtErrors && !answer) return { ...group, voidLookups, isFailed: true }
      voidLookups += Number(isVoid(answer))
      if (endsAtErrors && voidLookups > VOID_LOOKUP_LIMIT) break
    }
    return { ...group, voidLookups, isFailed: false }
  }

  function split(step: MatchStep, groups: readonly Group[], matching: AddressSet): TermOutcomes {
    const result = resultBehind(step.terms[0], 'pass') ?? 'neutral'
    const matched = narrow(groups, (set) => intersectSets(set, matching))
    return {
      outcomes: matched.map((group) => ({ ...group, result, path: [step] })),
      live: narrow(groups, (set) => subtractSet(set, matching)),
      mayPass: false,
    }
  }

  function matchingNetworks(terms: TermGroup): AddressSet {
    return terms[0].kind === 'all'
      ? allAddresses(family)
      : uniteRanges(terms.flatMap((term) => networkRanges(term, family)))
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
  const outcomes = groups.map((group) => ({ ...group, result, path: [] }))
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

function addVoidLookups(groups: readonly Group[], count: number): readonly Group[] {
  if (count === 0) return groups
  return groups.map((group) => ({ ...group, voidLookups: group.voidLookups + count }))
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

function narrow(
  groups: readonly Group[],
  change: (addresses: AddressSet) => AddressSet,
): readonly Group[] {
  return groups
    .map((group) => ({ ...group, addresses: change(group.addresses) }))
    .filter(({ addresses }) => addresses.length > 0)
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
