/**
 * A domain's SPF record and everything it leads to, queried level by level and resolved once
 * (RFC 7208 §4.6.4). Lookup costs, tree, authorization and default result are walks over it.
 */
import { type Dns, type DnsAnswer, type DnsQuery, type Failed, queryAll } from '@mailgrade/doh/dns'
import { MAX_DOMAIN_LENGTH, MAX_LABEL_LENGTH } from '../../names/host-problem.js'
import { type DnsUnavailable, dnsUnavailable } from '../check-result.js'
import {
  type DomainSpec,
  expandDomainSpec,
  type MacroValues,
  senderlessMacros,
} from './domain-spec.js'
import { type ActiveTerm, readSpfRecords, type SpfRecord, termsOf } from './spf-record.js'

/** Receivers stop after 10 lookups, so a few more are enough to show the excess. */
const MAX_RECORDS = 30
/** Addresses are queried only to count void lookups; real records need fewer. */
const MAX_ADDRESS_QUERIES = 40
const MAX_LEVELS = 12
/** Of all records together, beyond which no more are read. */
const MAX_TERMS = 500
/** §4.6.4: more mail servers than this are a permanent error. */
export const MAX_MX_HOSTS = 10

type SpfQueryType = 'TXT' | 'MX' | 'A' | 'AAAA'
type Known<T extends SpfQueryType> = Exclude<DnsAnswer<T>, Failed>
type KnownAnswers = { readonly [T in SpfQueryType]: Map<string, Known<T> | undefined> }

type SpfQuery = DnsQuery<SpfQueryType>

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

/** A host that SPF leads to, with its records (§4.5). */
export interface SpfHost {
  readonly state:
    | 'record'
    | 'several'
    | 'none'
    | 'malformed'
    | 'unasked'
    | 'unavailable'
    | 'dynamic'
  /** Null when it depends on the sender. */
  readonly name: string | null
  readonly records: readonly SpfRecord[]
  /**
   * The records to follow. Receivers stop at a host with several; those of the domain itself are
   * all followed, to show what one merged record would do.
   */
  readonly followed: readonly SpfRecord[]
}

export interface SpfGraph {
  readonly origin: string
  readonly root: SpfHost
  readonly answers: SpfAnswers
  /** The queries that failed; none of them is for the domain's own record. */
  readonly failures: readonly DnsUnavailable[]
  targetOf(term: ActiveTerm): TermTarget
  /** Where an include or redirect leads. */
  hostOf(term: ActiveTerm): SpfHost
}

export async function resolveSpfGraph(
  dns: Dns,
  origin: string,
): Promise<{ readonly kind: 'graph'; readonly graph: SpfGraph } | DnsUnavailable> {
  const known: KnownAnswers = { TXT: new Map(), MX: new Map(), A: new Map(), AAAA: new Map() }
  const hosts = new Map<string, SpfHost>()
  const targets = new Map<ActiveTerm, TermTarget>()
  const failures: DnsUnavailable[] = []
  const remaining = { TXT: MAX_RECORDS, address: MAX_ADDRESS_QUERIES, terms: MAX_TERMS }

  function isWithinLimits({ name, type }: SpfQuery): boolean {
    const limit = type === 'TXT' ? 'TXT' : 'address'
    if (known[type].has(name) || remaining[limit] === 0) return false
    remaining[limit] -= 1
    known[type].set(name, undefined)
    return true
  }

  /** Returns the failure of the domain's own record: without it there is no report. */
  function keepAnswer<T extends SpfQueryType>(name: string, type: T, answer: DnsAnswer<T>) {
    if (answer.kind !== 'failed') known[type].set(name, answer)
    else if (type === 'TXT' && name === origin) return dnsUnavailable(name, type, answer)
    else failures.push(dnsUnavailable(name, type, answer))
    return null
  }

  /** Reads an answer, and returns the queries that it leads to. */
  function readAnswer({ name, type }: SpfQuery): SpfQuery[] {
    const mx = type === 'MX' ? known.MX.get(name) : undefined
    if (mx) return evaluatedMxHosts(mx).flatMap(addressQueries)
    const txt = type === 'TXT' ? known.TXT.get(name) : undefined
    if (!txt || remaining.terms <= 0) return []
    const records = readSpfRecords(txt)
    for (const { terms } of records) remaining.terms -= terms.length
    const host = createHost(name, records, name === origin)
    hosts.set(name, host)
    const macros = senderlessMacros(name, origin)
    for (const term of termsOf(records)) {
      targets.set(term, resolveTermTarget(term, name, macros))
    }
    return termsOf(host.followed).flatMap((term) => termQueries(term, targetOf(term)))
  }

  function targetOf(term: ActiveTerm): TermTarget {
    const target = targets.get(term)
    if (!target) throw new Error(`Not a term of this SPF graph: ${term.text}`)
    return target
  }

  function hostAt(target: TermTarget): SpfHost {
    const unread = { records: [], followed: [] }
    if (target.kind === 'dynamic') return { state: 'dynamic', name: null, ...unread }
    const { name } = target
    if (target.kind === 'malformed') return { state: 'malformed', name, ...unread }
    const isFailed = failures.some(({ query }) => query.type === 'TXT' && query.name === name)
    return hosts.get(name) ?? { state: isFailed ? 'unavailable' : 'unasked', name, ...unread }
  }

  let queries: SpfQuery[] = [{ name: origin, type: 'TXT' }]
  for (let level = 0; level < MAX_LEVELS && queries.length > 0; level += 1) {
    const allowed = queries.filter(isWithinLimits)
    const answers = await queryAll(dns, allowed)
    for (const [index, { name, type }] of allowed.entries()) {
      const failure = keepAnswer(name, type, answers[index] as DnsAnswer<SpfQueryType>)
      if (failure) return failure
    }
    queries = allowed.flatMap(readAnswer)
  }
  const graph: SpfGraph = {
    origin,
    root: hostAt({ kind: 'name', name: origin }),
    answers: { answer: (name, type) => known[type].get(name) },
    failures,
    targetOf,
    hostOf: (term) => hostAt(targetOf(term)),
  }
  return { kind: 'graph', graph }
}

function createHost(name: string, records: readonly SpfRecord[], isOrigin: boolean): SpfHost {
  if (records.length === 0) return { state: 'none', name, records, followed: [] }
  if (records.length === 1) return { state: 'record', name, records, followed: records }
  return { state: 'several', name, records, followed: isOrigin ? records : [] }
}

const NO_QUERIES: readonly SpfQuery[] = []

function termQueries(term: ActiveTerm, target: TermTarget): readonly SpfQuery[] {
  if (target.kind !== 'name') return NO_QUERIES
  const { name } = target
  switch (term.kind) {
    case 'include':
    case 'redirect':
      return [{ name, type: 'TXT' }]
    case 'a':
      return addressQueries(name)
    case 'mx':
      return [{ name, type: 'MX' }]
    case 'exists':
      return [{ name, type: 'A' }]
    default:
      return NO_QUERIES
  }
}

function addressQueries(name: string): SpfQuery[] {
  return [
    { name, type: 'A' },
    { name, type: 'AAAA' },
  ]
}

/** The hosts whose addresses receivers look up for `mx`: none when there are too many. */
export function evaluatedMxHosts(answer: Known<'MX'>): string[] {
  if (answer.kind !== 'records' || answer.records.length > MAX_MX_HOSTS) return []
  return answer.records.map((mx) => mx.exchange).filter((host) => host !== '.')
}

const fixedTargets = new WeakMap<DomainSpec, TermTarget>()

/** `macros` has the values for the record of `domain`. A target without macros is resolved once. */
export function resolveTermTarget(
  { target }: Pick<ActiveTerm, 'target'>,
  domain: string,
  macros: MacroValues,
): TermTarget {
  if (!target) return { kind: 'name', name: domain }
  const known = fixedTargets.get(target)
  if (known) return known
  const resolved = resolveSpec(target, macros)
  if (target.parts.every(({ kind }) => kind !== 'macro')) fixedTargets.set(target, resolved)
  return resolved
}

function resolveSpec(spec: DomainSpec, macros: MacroValues): TermTarget {
  const name = expandDomainSpec(spec, macros)
  if (name === null) return { kind: 'dynamic' }
  const isName =
    name.length <= MAX_DOMAIN_LENGTH &&
    name.split('.').every((label) => label !== '' && label.length <= MAX_LABEL_LENGTH)
  return { kind: isName ? 'name' : 'malformed', name: name.replaceAll('\\', '\\\\') }
}
