/** Where a term leads, what receivers look up for it, and which addresses it then matches. */
import type { DnsAnswer, DnsQuery, Failed } from '@mailgrade/doh/dns'
import { MAX_DOMAIN_LENGTH, MAX_LABEL_LENGTH } from '../../names/host-problem.js'
import { type AddressSet, allAddresses, NO_ADDRESSES, uniteRanges } from '../address-set.js'
import {
  IP_FAMILIES,
  type IpFamily,
  type IpRange,
  parseIpAddress,
  rangeAround,
} from '../ip-address.js'
import { type DomainSpec, expandDomainSpec, type MacroValues } from './domain-spec.js'
import { MAX_MX_HOSTS } from './spf-limits.js'
import { type ActiveTerm, type Directive, isIncludeOrRedirect } from './spf-record.js'

export type SpfQueryType = 'TXT' | 'MX' | 'A' | 'AAAA'
export type SpfQuery = DnsQuery<SpfQueryType>
export type Known<T extends SpfQueryType> = Exclude<DnsAnswer<T>, Failed>

export interface SpfAnswers {
  /** Undefined when it was not queried, because a limit was reached, or the query failed. */
  answer<T extends SpfQueryType>(name: string, type: T): Known<T> | undefined
}

/** The host that a term names. */
export type TermTarget =
  | { readonly kind: 'name'; readonly name: string }
  /** A macro makes it depend on the sender. */
  | { readonly kind: 'dynamic' }
  /** Not a possible DNS name (RFC 1035 §2.3.4), so receivers do not query it. */
  | { readonly kind: 'malformed'; readonly name: string }

/** What is known about the terms of a record. */
export interface KnownTerms {
  readonly answers: SpfAnswers
  targetOf(term: ActiveTerm): TermTarget
}

const fixedTargets = new WeakMap<DomainSpec, TermTarget>()

/** `macros` has the values for the record of `domain`. A target without macros is resolved once. */
export function resolveTermTarget(
  spec: DomainSpec | null,
  domain: string,
  macros: MacroValues,
): TermTarget {
  if (!spec) return { kind: 'name', name: domain }
  const known = fixedTargets.get(spec)
  if (known) return known
  const resolved = resolveSpec(spec, macros)
  if (spec.parts.every(({ kind }) => kind !== 'macro')) fixedTargets.set(spec, resolved)
  return resolved
}

function resolveSpec(spec: DomainSpec, macros: MacroValues): TermTarget {
  const name = expandDomainSpec(spec, macros)
  if (name === null) return { kind: 'dynamic' }
  const isName = isPossibleName(name)
  return { kind: isName ? 'name' : 'malformed', name: name.replaceAll('\\', '\\\\') }
}

const LABELS = new RegExp(`^[^.]{1,${MAX_LABEL_LENGTH}}(?:\\.[^.]{1,${MAX_LABEL_LENGTH}})*$`)

export function isPossibleName(name: string): boolean {
  return name.length <= MAX_DOMAIN_LENGTH && LABELS.test(name)
}

/** §4.6.4: whether a term costs a lookup. */
export function needsLookup({ kind }: ActiveTerm): boolean {
  return kind !== 'all' && kind !== 'ip4' && kind !== 'ip6'
}

const NO_QUERIES: readonly SpfQuery[] = []

/** The queries that a term needs first; the answer to one for MX leads to more. */
export function termQueries(term: ActiveTerm, target: TermTarget): readonly SpfQuery[] {
  if (target.kind !== 'name' || !needsLookup(term) || term.kind === 'ptr') return NO_QUERIES
  const { name } = target
  if (isIncludeOrRedirect(term)) return [{ name, type: 'TXT' }]
  if (term.kind === 'mx') return [{ name, type: 'MX' }]
  return term.kind === 'exists' ? [{ name, type: 'A' }] : addressQueries(name)
}

export function addressQueries(name: string): SpfQuery[] {
  return IP_FAMILIES.map((family) => ({ name, type: addressType(family) }))
}

function addressType(family: IpFamily): 'A' | 'AAAA' {
  return family === 'ipv4' ? 'A' : 'AAAA'
}

/** The hosts whose addresses receivers look up for `mx`; none if they are unknown or too many. */
export function evaluatedMxHosts(answers: SpfAnswers, name: string): string[] {
  return mailServers(answers, name).map(({ exchange }) => exchange)
}

function mailServers(answers: SpfAnswers, name: string) {
  const answer = answers.answer(name, 'MX')
  if (answer?.kind !== 'records' || isOverMxLimit(answer)) return []
  return answer.records.filter(({ exchange }) => exchange !== '.')
}

/** §4.6.4: more mail servers than receivers look up are a permanent error. */
function isOverMxLimit(answer: Known<'MX'> | undefined): boolean {
  return answer?.kind === 'records' && answer.records.length > MAX_MX_HOSTS
}

export function exceedsMxLimit({ answers, targetOf }: KnownTerms, term: ActiveTerm): boolean {
  const target = term.kind === 'mx' ? targetOf(term) : null
  return target?.kind === 'name' && isOverMxLimit(answers.answer(target.name, 'MX'))
}

type TermAnswer = Known<SpfQueryType> | undefined

/** The answers that receivers read for a term; those about mail servers come by preference. */
export function termAnswers(
  { answers, targetOf }: KnownTerms,
  term: ActiveTerm,
  family: IpFamily,
): readonly TermAnswer[] {
  const target = needsLookup(term) ? targetOf(term) : null
  if (target?.kind !== 'name' || term.kind === 'ptr') return []
  const { name } = target
  if (isIncludeOrRedirect(term)) return [answers.answer(name, 'TXT')]
  if (term.kind === 'exists') return [answers.answer(name, 'A')]
  const addresses = addressAnswers(answers, term, name, family)
  return term.kind === 'mx' ? [answers.answer(name, 'MX'), ...addresses] : addresses
}

function addressAnswers(
  answers: SpfAnswers,
  { kind }: ActiveTerm,
  name: string,
  family: IpFamily,
): readonly (Known<'A' | 'AAAA'> | undefined)[] {
  const type = addressType(family)
  if (kind !== 'mx') return [answers.answer(name, type)]
  return mailServers(answers, name)
    .toSorted((one, other) => one.preference - other.preference)
    .map(({ exchange }) => answers.answer(exchange, type))
}

/** §4.6.4: an answer without records. */
export function isVoid(answer: DnsAnswer | undefined): boolean {
  return answer?.kind === 'nodata' || answer?.kind === 'nxdomain'
}

/** The addresses that a mechanism matches, as far as they are known without the sender. */
export function matchingAddresses(
  known: KnownTerms,
  term: Directive,
  family: IpFamily,
): AddressSet | 'unknown' | 'too-many' {
  if (term.kind === 'all') return allAddresses(family)
  if (isNetwork(term)) return networkRanges([term], family)
  const { answers, targetOf } = known
  const target = targetOf(term)
  if (term.kind === 'include' || term.kind === 'ptr') return 'unknown'
  if (target.kind === 'dynamic') return 'unknown'
  if (target.kind === 'malformed') return NO_ADDRESSES
  if (term.kind === 'exists') {
    // §5.7: it only tests for an address, so without a macro it is the same for every sender.
    const answer = answers.answer(target.name, 'A')
    if (!answer) return 'unknown'
    return answer.kind === 'records' ? allAddresses(family) : NO_ADDRESSES
  }
  if (exceedsMxLimit(known, term)) return 'too-many'
  return addressesOf(answers, term, target.name, family)
}

/** What `a` and `mx` match. */
function addressesOf(
  answers: SpfAnswers,
  term: Directive,
  name: string,
  family: IpFamily,
): AddressSet | 'unknown' {
  const found = addressAnswers(answers, term, name, family)
  const addresses = found.flatMap((answer) => (answer?.kind === 'records' ? answer.records : []))
  const isKnown = term.kind !== 'mx' || answers.answer(name, 'MX') !== undefined
  if (addresses.length === 0 && (!isKnown || found.includes(undefined))) return 'unknown'
  return uniteRanges(toRanges(addresses, family, prefixOf(term, family)))
}

export function isNetwork(term: ActiveTerm): term is Directive & { kind: 'ip4' | 'ip6' } {
  return term.kind === 'ip4' || term.kind === 'ip6'
}

export function networkRanges(terms: readonly ActiveTerm[], family: IpFamily): IpRange[] {
  const kind = family === 'ipv4' ? 'ip4' : 'ip6'
  const ranges: IpRange[] = []
  for (const term of terms) {
    const address = term.kind === kind ? parseIpAddress(term.address ?? '') : null
    if (term.kind === kind && address) ranges.push(rangeAround(address, prefixOf(term, family)))
  }
  return ranges
}

function prefixOf({ ipv4Prefix, ipv6Prefix }: Directive, family: IpFamily): number {
  return family === 'ipv4' ? ipv4Prefix : ipv6Prefix
}

function toRanges(addresses: readonly string[], family: IpFamily, prefix: number): IpRange[] {
  return addresses.flatMap((text) => {
    const address = parseIpAddress(text)
    return address?.family === family ? [rangeAround(address, prefix)] : []
  })
}

/** Whether a mechanism cannot match any sender; false where a part is unknown. */
export function matchesNothing(known: KnownTerms, term: Directive): boolean {
  if (term.kind === 'all' || isNetwork(term)) return false
  return IP_FAMILIES.every((family) => {
    const matching = matchingAddresses(known, term, family)
    return typeof matching !== 'string' && matching.length === 0
  })
}
