/**
 * Evaluates a record for all senders at once: which addresses pass, and which get a permanent error.
 *
 * Addresses that the record treats alike stay together in one group, with the lookups spent on
 * them, so the result is what check_host() (RFC 7208 §4) returns for each single address.
 */
import {
  type AddressSet,
  allAddresses,
  countAddresses,
  intersectSets,
  NO_ADDRESSES,
  subtractSet,
  uniteRanges,
} from '../address-set.js'
import { IP_FAMILIES, type IpFamily, type IpRange } from '../ip-address.js'
import {
  exceedsMxLimit,
  isNetwork,
  matchesNothing,
  matchingAddresses,
  networkRanges,
} from './matching-addresses.js'
import type { SpfGraph, SpfHost } from './spf-graph.js'
import { LOOKUP_LIMIT, VOID_LOOKUP_LIMIT } from './spf-limits.js'
import {
  type ActiveTerm,
  activeTerms,
  type Directive,
  invalidTerms,
  isDirective,
  isIncludeOrRedirect,
  type SpfRecord,
  termsOf,
} from './spf-record.js'
import type { LookupCosts } from './spf-tree.js'

export interface SpfAuthorization {
  /** At least one sender passes, or may pass where a part is unknown. */
  readonly authorizesSenders: boolean
  /** A part could not be read in advance and may let senders pass. */
  readonly hasUnknownSenders: boolean
  /** Some sender gets a permanent error; too many void lookups count only if both families do. */
  readonly hasPermanentError: boolean
  /** Whether some sender of a family exceeds the limit of void lookups. */
  readonly exceedsVoidLimit: Readonly<Record<IpFamily, boolean>>
  /** The terms that let every sender pass, and the domains whose records hold them. */
  readonly openTerms: readonly OpenTerm[]
}

export interface OpenTerm {
  readonly domain: string
  readonly term: Directive
}

/** The addresses that mail on the internet comes from: unicast IPv4, and 2000::/3 (RFC 4291 §2.4). */
const INTERNET: Readonly<Record<IpFamily, IpRange>> = {
  ipv4: { first: 1n << 24n, last: (224n << 24n) - 1n },
  ipv6: { first: 1n << 125n, last: (1n << 126n) - 1n },
}

/** Whether almost any address passes: a few excluded networks do not help. */
function isOpen(passing: AddressSet, family: IpFamily): boolean {
  const internet = [INTERNET[family]]
  return 4n * countAddresses(intersectSets(passing, internet)) >= 3n * countAddresses(internet)
}

interface Group {
  readonly addresses: AddressSet
  readonly lookups: number
  readonly voidLookups: number
}

interface HostOutcome {
  readonly passed: readonly Group[]
  /** Neither a pass nor an error. */
  readonly others: readonly Group[]
  /** An unknown part of the record may let senders pass. */
  readonly mayPass: boolean
}

interface FamilyOutcome {
  readonly passing: AddressSet
  readonly mayPass: boolean
  readonly hasError: boolean
  readonly hasVoidError: boolean
}

export function evaluateAuthorization(graph: SpfGraph, costs: LookupCosts): SpfAuthorization {
  const plain = evaluatePlainRecords(graph, costs)
  if (plain) return plain
  const [ipv4, ipv6] = IP_FAMILIES.map((family) => evaluateFamily(graph, costs, family)) as [
    FamilyOutcome,
    FamilyOutcome,
  ]
  const outcomes = { ipv4, ipv6 }
  const openFamilies = IP_FAMILIES.filter((family) => isOpen(outcomes[family].passing, family))
  const hasUnknownSenders = ipv4.mayPass || ipv6.mayPass
  return {
    authorizesSenders:
      hasUnknownSenders || IP_FAMILIES.some((family) => outcomes[family].passing.length > 0),
    hasUnknownSenders,
    hasPermanentError: ipv4.hasError || ipv6.hasError || (ipv4.hasVoidError && ipv6.hasVoidError),
    exceedsVoidLimit: { ipv4: ipv4.hasVoidError, ipv6: ipv6.hasVoidError },
    openTerms: findOpenTerms(graph, openFamilies),
  }
}

/** The addresses of a family that pass for sure. */
export function findPassing(graph: SpfGraph, costs: LookupCosts, family: IpFamily): AddressSet {
  return evaluateFamily(graph, costs, family).passing
}

/** Whether some sender would pass, but not every one, if the record were valid. */
export function wouldAuthorizeSome(graph: SpfGraph): boolean {
  return (
    findGrants(graph).some(({ term }) => !matchesNothing(graph, term)) &&
    findOpenTerms(graph, IP_FAMILIES).length === 0
  )
}

/** Wider ranges may cover the internet together. */
const WIDEST_PLAIN_IPV4 = 12
const WIDEST_PLAIN_IPV6 = 16

/**
 * Most records only list senders: no exception, no wide range. Some sender always stays unmatched
 * then, and following that one is enough, without address arithmetic. Null for any other record.
 */
function evaluatePlainRecords(graph: SpfGraph, costs: LookupCosts): SpfAuthorization | null {
  const voidLookups = { ipv4: 0, ipv6: 0 }
  const exceedsVoidLimit = { ipv4: false, ipv6: false }
  let lookups = 0
  let hasError = false
  let hasUnknownSenders = false
  let authorizesSenders = false
  let isUnusual = false

  /** Whether the evaluation goes on after the record. */
  function follow(host: SpfHost): boolean {
    if (isUnknownHost(host)) {
      hasUnknownSenders = true
      return true
    }
    const [record] = host.records
    const isUsable = host.state === 'record' && record && invalidTerms(record).length === 0
    hasError ||= !isUsable
    return isUsable === true && activeTerms(record).every(evaluate)
  }

  function evaluate(term: ActiveTerm): boolean {
    isUnusual ||= !isPlain(graph, term)
    if (isUnusual) return false
    spend(term)
    hasError ||= lookups > LOOKUP_LIMIT || exceedsMxLimit(graph, term)
    if (hasError) return false
    if (isIncludeOrRedirect(term)) return follow(graph.hostOf(term))
    if (isDirective(term) && term.kind !== 'all') note(term)
    return true
  }

  function spend(term: ActiveTerm): void {
    const cost = costs.ownCost(term)
    lookups += cost.lookups
    voidLookups.ipv4 += cost.ipv4VoidLookups
    voidLookups.ipv6 += cost.ipv6VoidLookups
    for (const family of IP_FAMILIES) {
      exceedsVoidLimit[family] ||= voidLookups[family] > VOID_LOOKUP_LIMIT
    }
  }

  function note(term: Directive): void {
    if (authorizesSenders && isNetwork(term)) return
    const matching = IP_FAMILIES.filter((family) => !exceedsVoidLimit[family]).map((family) =>
      matchingAddresses(graph, term, family),
    )
    hasUnknownSenders ||= matching.includes('unknown')
    authorizesSenders ||= matching.some((set) => typeof set !== 'string' && set.length > 0)
  }

  follow(graph.root)
  if (isUnusual) return null
  return {
    authorizesSenders: authorizesSenders || hasUnknownSenders,
    hasUnknownSenders,
    hasPermanentError: hasError || (exceedsVoidLimit.ipv4 && exceedsVoidLimit.ipv6),
    exceedsVoidLimit,
    openTerms: [],
  }
}

function isPlain(graph: SpfGraph, term: ActiveTerm): boolean {
  if (term.kind === 'redirect') return true
  if (term.kind === 'all') return term.qualifier !== '+'
  // Without a macro, `exists` may match every sender.
  const isSame = term.kind === 'exists' && graph.targetOf(term).kind !== 'dynamic'
  if (term.qualifier !== '+' || isSame) return false
  return term.ipv4Prefix >= WIDEST_PLAIN_IPV4 && term.ipv6Prefix >= WIDEST_PLAIN_IPV6
}

function evaluateFamily(graph: SpfGraph, costs: LookupCosts, family: IpFamily): FamilyOutcome {
  let hasError = false
  let hasVoidError = false
  const voidsOf = family === 'ipv4' ? 'ipv4VoidLookups' : 'ipv6VoidLookups'

  function fail(groups: readonly Group[]): HostOutcome {
    hasError ||= groups.length > 0
    return { passed: [], others: [], mayPass: false }
  }

  function evaluateHost(host: SpfHost, groups: readonly Group[]): HostOutcome {
    if (isUnknownHost(host)) return { passed: [], others: groups, mayPass: true }
    const [record] = host.records
    if (host.state !== 'record' || !record || invalidTerms(record).length > 0) return fail(groups)
    const passed: Group[] = []
    const others: Group[] = []
    let live = groups
    let mayPass = false
    for (const terms of groupTerms(record)) {
      live = spend(live, terms[0])
      if (live.length === 0) break
      const outcome = evaluateTerms(terms, live)
      if (isPassing(terms[0])) passed.push(...outcome.matched)
      else others.push(...outcome.matched)
      mayPass ||= isPassing(terms[0]) && outcome.mayMatch
      live = outcome.unmatched
    }
    return { passed: merge(passed), others: merge([...others, ...live]), mayPass }
  }

  /**
   * §4.6.4: adds what a term costs. Groups over the lookup limit end there. Those with too many void
   * lookups go on, because not every receiver limits them, but never count as passing.
   */
  function spend(groups: readonly Group[], term: ActiveTerm): readonly Group[] {
    const cost = costs.ownCost(term)
    if (cost.lookups === 0) return groups
    const spent = groups.map((group) => ({
      ...group,
      lookups: group.lookups + cost.lookups,
      voidLookups: group.voidLookups + cost[voidsOf],
    }))
    const isWithin = ({ lookups }: Group) => lookups <= LOOKUP_LIMIT
    hasError ||= !spent.every(isWithin)
    hasVoidError ||= !spent.every(isWithinVoidLimit)
    return spent.filter(isWithin)
  }

  function evaluateTerms(terms: TermGroup, groups: readonly Group[]) {
    const [term] = terms
    if (term.kind === 'include' || term.kind === 'redirect') {
      const { passed, others, mayPass } = evaluateHost(graph.hostOf(term), groups)
      return { matched: passed, unmatched: others, mayMatch: mayPass }
    }
    const matching = isNetwork(term)
      ? uniteRanges(terms.filter(isNetwork).flatMap((each) => networkRanges(each, family)))
      : matchingAddresses(graph, term, family)
    if (matching === 'too-many')
      return { matched: [], unmatched: fail(groups).others, mayMatch: false }
    if (matching === 'unknown') return { matched: [], unmatched: groups, mayMatch: true }
    if (matching.length === 0) return { matched: [], unmatched: groups, mayMatch: false }
    return {
      matched: narrow(groups, (addresses) => intersectSets(addresses, matching)),
      unmatched: narrow(groups, (addresses) => subtractSet(addresses, matching)),
      mayMatch: false,
    }
  }

  const everyone = { addresses: allAddresses(family), lookups: 0, voidLookups: 0 }
  const { passed, mayPass } = evaluateHost(graph.root, [everyone])
  const passing = uniteRanges(
    passed.filter(isWithinVoidLimit).flatMap(({ addresses }) => addresses),
  )
  return { passing, mayPass, hasError, hasVoidError }
}

function isWithinVoidLimit({ voidLookups }: Group): boolean {
  return voidLookups <= VOID_LOOKUP_LIMIT
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

function isPassing(term: ActiveTerm): boolean {
  return term.kind === 'redirect' || term.qualifier === '+'
}

function narrow(
  groups: readonly Group[],
  change: (addresses: AddressSet) => AddressSet,
): readonly Group[] {
  return groups
    .map((group) => ({ ...group, addresses: change(group.addresses) }))
    .filter(({ addresses }) => addresses.length > 0)
}

/** Groups that have spent the same become one. */
function merge(groups: readonly Group[]): readonly Group[] {
  if (groups.length < 2) return groups
  const merged = new Map<string, Group>()
  for (const group of groups) {
    const key = `${group.lookups} ${group.voidLookups}`
    const before = merged.get(key)
    merged.set(
      key,
      before
        ? { ...group, addresses: uniteRanges([...before.addresses, ...group.addresses]) }
        : group,
    )
  }
  return [...merged.values()]
}

function isUnknownHost({ state }: SpfHost): boolean {
  return state === 'dynamic' || state === 'unasked' || state === 'unavailable'
}

/** The terms on a way to a pass that cover the internet, alone or else together. */
function findOpenTerms(graph: SpfGraph, families: readonly IpFamily[]): readonly OpenTerm[] {
  if (families.length === 0) return []
  const grants = findGrants(graph)
  const open = families.flatMap((family) => {
    const ranges = grants.map(({ term }) => {
      const matching = matchingAddresses(graph, term, family)
      return typeof matching === 'string' ? NO_ADDRESSES : matching
    })
    if (!isOpen(uniteRanges(ranges.flat()), family)) return []
    const alone = grants.filter((_, index) => isOpen(ranges[index] ?? NO_ADDRESSES, family))
    return alone.length > 0 ? alone : grants.filter((_, index) => ranges[index]?.length !== 0)
  })
  return [...new Set(open)]
}

/** Every mechanism that can lead to a pass: an include passes when the included record does (§5.2). */
export function findGrants({ root, hostOf }: SpfGraph, from: SpfHost = root): OpenTerm[] {
  const grants: OpenTerm[] = []
  const visited = new Set<string>()
  const pending = [from]
  for (const { name, followed } of pending) {
    if (name === null || visited.has(name)) continue
    visited.add(name)
    for (const term of termsOf(followed).filter(isPassing)) {
      if (isIncludeOrRedirect(term)) pending.push(hostOf(term))
      else if (isDirective(term)) grants.push({ domain: name, term })
    }
  }
  return grants
}
