/**
 * A domain's SPF record and everything it leads to, queried level by level and resolved once
 * (RFC 7208 §4.6.4). Lookup costs, tree, authorization and default result are walks over it.
 */
import { type Dns, type DnsAnswer, queryAll } from '@mailgrade/doh/dns'
import { type DnsUnavailable, dnsUnavailable } from '../check-result.js'
import { senderlessMacros } from './domain-spec.js'
import { MAX_ADDRESS_QUERIES, MAX_LEVELS, MAX_RECORDS, MAX_TERMS } from './spf-limits.js'
import { type ActiveTerm, readSpfRecords, type SpfRecord, termsOf } from './spf-record.js'
import {
  addressQueries,
  evaluatedMxHosts,
  type Known,
  type KnownTerms,
  resolveTermTarget,
  type SpfAnswers,
  type SpfQuery,
  type SpfQueryType,
  type TermTarget,
  termQueries,
} from './term-lookups.js'

type KnownAnswers = { readonly [T in SpfQueryType]: Map<string, Known<T> | undefined> }

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

export interface SpfGraph extends KnownTerms {
  readonly origin: string
  readonly root: SpfHost
  /** The queries that failed; none of them is for the domain's own record. */
  readonly failures: readonly DnsUnavailable[]
  /** Where an include or redirect leads. */
  hostOf(term: ActiveTerm): SpfHost
}

/** Whether lookups are unknown that decide how many there are, and whether the record is valid. */
export function hasUnknownLookups({ failures }: SpfGraph): boolean {
  return failures.some(({ query: { type } }) => type === 'TXT' || type === 'MX')
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

  const answers: SpfAnswers = { answer: (name, type) => known[type].get(name) }

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
    if (type === 'MX') return evaluatedMxHosts(answers, name).flatMap(addressQueries)
    const txt = type === 'TXT' ? known.TXT.get(name) : undefined
    if (!txt) return []
    if (remaining.terms <= 0 && txt.kind === 'records') {
      // An answer that is not read is unknown.
      known.TXT.set(name, undefined)
      return []
    }
    const records = readSpfRecords(txt)
    for (const { terms } of records) remaining.terms -= terms.length
    const host = createHost(name, records, name === origin)
    hosts.set(name, host)
    const macros = senderlessMacros(name, origin)
    for (const term of termsOf(records)) {
      targets.set(term, resolveTermTarget(term.target, name, macros))
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
    const received = await queryAll(dns, allowed)
    for (const [index, { name, type }] of allowed.entries()) {
      const failure = keepAnswer(name, type, received[index] as DnsAnswer<SpfQueryType>)
      if (failure) return failure
    }
    queries = allowed.flatMap(readAnswer)
  }
  const graph: SpfGraph = {
    origin,
    root: hostAt({ kind: 'name', name: origin }),
    answers,
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
