/** What a record means for all senders at once: which addresses pass, and who gets a permanent error. */
import {
  type AddressSet,
  allAddresses,
  countAddresses,
  intersectSets,
  NO_ADDRESSES,
  uniteRanges,
} from '../address-set.js'
import { IP_FAMILIES, type IpFamily, type IpRange } from '../ip-address.js'
import {
  evaluateSenders,
  isPassing,
  isWithinVoidLimit,
  type SpfOutcome,
  type SpfSenders,
} from './evaluate-senders.js'
import type { SpfGraph, SpfHost } from './spf-graph.js'
import { type Directive, isDirective, isIncludeOrRedirect, termsOf } from './spf-record.js'
import { matchesNothing, matchingAddresses } from './term-lookups.js'

export interface SpfAuthorization {
  /** The addresses that pass for sure. */
  readonly passing: Readonly<Record<IpFamily, AddressSet>>
  /** The addresses that get a permanent error, unless a part that is unknown lets them pass. */
  readonly failing: Readonly<Record<IpFamily, AddressSet>>
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

export function evaluateAuthorization(graph: SpfGraph): SpfAuthorization {
  const ipv4 = evaluateFamily(graph, 'ipv4')
  const ipv6 = evaluateFamily(graph, 'ipv6')
  const passing = { ipv4: ipv4.passing, ipv6: ipv6.passing }
  const failing = { ipv4: ipv4.failing, ipv6: ipv6.failing }
  const openFamilies = IP_FAMILIES.filter((family) => isOpen(passing[family], family))
  const hasUnknownSenders = ipv4.mayPass || ipv6.mayPass
  const exceedsVoidLimit = { ipv4: ipv4.exceedsVoidLimit, ipv6: ipv6.exceedsVoidLimit }
  return {
    passing,
    failing,
    authorizesSenders:
      hasUnknownSenders || IP_FAMILIES.some((family) => passing[family].length > 0),
    hasUnknownSenders,
    hasPermanentError:
      ipv4.hasError || ipv6.hasError || (exceedsVoidLimit.ipv4 && exceedsVoidLimit.ipv6),
    exceedsVoidLimit,
    openTerms: findOpenTerms(graph, openFamilies),
  }
}

function evaluateFamily(graph: SpfGraph, family: IpFamily) {
  const { outcomes, mayPass } = evaluateSenders(allSenders(graph, family), graph.origin)
  const passed: IpRange[] = []
  const failed: IpRange[] = []
  for (const outcome of outcomes) {
    const isPass = outcome.result === 'pass' && isWithinVoidLimit(outcome)
    if (isPass) passed.push(...outcome.addresses)
    if (isError(outcome)) failed.push(...outcome.addresses)
  }
  return {
    passing: uniteRanges(passed),
    failing: uniteRanges(failed),
    mayPass,
    hasError: outcomes.some(isError),
    exceedsVoidLimit: !outcomes.every(isWithinVoidLimit),
  }
}

function isError({ result }: SpfOutcome): boolean {
  return result === 'permerror' || result === 'none'
}

/** All senders of a family, as far as the graph knows the records that they lead to. */
export function allSenders(graph: SpfGraph, family: IpFamily): SpfSenders {
  return {
    family,
    addresses: allAddresses(family),
    answers: graph.answers,
    endsAtErrors: false,
    resolve: (term) => ({ target: graph.targetOf(term), clientNames: null, voidLookups: 0 }),
  }
}

/** Whether some sender would pass, but not every one, if the record were valid. */
export function wouldAuthorizeSome(graph: SpfGraph): boolean {
  return (
    findGrants(graph).some(({ term }) => !matchesNothing(graph, term)) &&
    findOpenTerms(graph, IP_FAMILIES).length === 0
  )
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
