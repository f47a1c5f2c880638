/**
 * The `Dns` port: the type of one DNS query and of everything it can return.
 *
 * `nodata` and `nxdomain` mean the record is absent. `failed` means the answer is unknown.
 * They are different kinds, so a caller cannot mistake a failure for an absence.
 */

/** RFC 1035 §3.3 character-strings, one JavaScript character per octet (Latin-1). */
export type CharacterStrings = readonly string[]

/** The data of an MX record. */
export interface Mx {
  readonly preference: number
  readonly exchange: string
}

/** The data of an SOA record, without the timers that only secondary servers use. */
export interface Soa {
  readonly primary: string
  readonly mailbox: string
  readonly serial: number
  readonly minimum: number
}

/** The data of a TLSA record (RFC 6698 §2.1). */
export interface Tlsa {
  readonly usage: number
  readonly selector: number
  readonly matchingType: number
  /** The certificate, key or hash, in lower-case hexadecimal digits. */
  readonly data: string
}

/**
 * Record data by type. Names are lower case without a trailing dot; the root is `.`. Octets that
 * are not printable ASCII are escaped (RFC 4343 §2.1).
 */
export interface RecordData {
  A: string
  AAAA: string
  CNAME: string
  MX: Mx
  NS: string
  PTR: string
  SOA: Soa
  SPF: CharacterStrings
  TLSA: Tlsa
  TXT: CharacterStrings
}

/** The record types that can be queried. */
export type RecordType = keyof RecordData

/** One DNS query. */
export interface DnsQuery<T extends RecordType = RecordType> {
  readonly name: string
  readonly type: T
}

/** RFC 8914: the resolver's explanation of its answer. */
export interface ExtendedError {
  readonly code: number
  readonly text: string
}

/** Why a query has no answer. */
export type FailureReason =
  | 'aborted'
  | 'bad-name'
  | 'budget'
  | 'cname-loop'
  | 'http-status'
  | 'malformed'
  | 'refused'
  | 'servfail'
  | 'timeout'
  | 'unreachable'

/** What every answer carries, whatever its kind. */
export interface AnswerContext {
  /** Targets of the CNAME records followed, in order; empty when there was none. */
  readonly cnames: readonly string[]
  readonly extendedError: ExtendedError | null
  /** Host name of the resolver that answered; null when no resolver was queried. */
  readonly resolver: string | null
  /** Of the message, if it is large; its records may have become smaller when they were read. */
  readonly octets?: number
}

interface Found<T extends RecordType> extends AnswerContext {
  readonly kind: 'records'
  readonly records: readonly RecordData[T][]
  /** Seconds. */
  readonly ttl: number
  /** The resolver validated the answer with DNSSEC (the AD flag, RFC 6840 §5.8). */
  readonly authenticated: boolean
}

interface Absent extends AnswerContext {
  /** After CNAME records, `nxdomain` is about the last target: the queried name exists (RFC 6604 §3). */
  readonly kind: 'nodata' | 'nxdomain'
  /** Seconds; null when the answer had no SOA record. */
  readonly ttl: number | null
  readonly authenticated: boolean
}

/** The answer is unknown. */
export interface Failed extends AnswerContext {
  readonly kind: 'failed'
  readonly reason: FailureReason
  /** What happened, in words, for a log. */
  readonly detail: string
}

/** The result of a query: records, an absence (`nodata`, `nxdomain`) or a failure. */
export type DnsAnswer<T extends RecordType = RecordType> = Found<T> | Absent | Failed

/** Anything that answers DNS queries. It never rejects: a failure is an answer. */
export interface Dns {
  query<T extends RecordType>(name: string, type: T): Promise<DnsAnswer<T>>
  /** Optional: sends many queries at less cost than one by one. The answers are in their order. */
  queryAll?<T extends RecordType>(queries: readonly DnsQuery<T>[]): Promise<readonly DnsAnswer<T>[]>
}

/** A `Dns` whose queries can be aborted. Code that only needs answers takes a `Dns`. */
export interface AbortableDns {
  query<T extends RecordType>(name: string, type: T, signal?: AbortSignal): Promise<DnsAnswer<T>>
  /** Optional: sends many queries at once, and passes on each answer as soon as it is known. */
  queryEach?(queries: readonly DnsQuery[], onAnswer: OnEachAnswer, signal?: QuerySignal): void
}

/** Called once for each query, with its index. May be called before `queryEach` returns. */
export type OnEachAnswer = (answer: DnsAnswer, index: number) => void

/** What can abort a query: an `AbortSignal`, or the signal of a report. */
export interface QuerySignal {
  readonly aborted: boolean
  readonly reason: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The answers to a list of queries, in its order. */
export type AnswersTo<Queries extends readonly DnsQuery[]> = {
  readonly [Index in keyof Queries]: DnsAnswer<Queries[Index]['type']>
}

/** Sends many queries with a `Dns` that may know only `query`. */
export function queryAll<const Queries extends readonly DnsQuery[]>(
  dns: Dns,
  queries: Queries,
): Promise<AnswersTo<Queries>> {
  const answers =
    dns.queryAll?.(queries) ?? Promise.all(queries.map(({ name, type }) => dns.query(name, type)))
  return answers as Promise<AnswersTo<Queries>>
}

/**
 * Types a function that handles every record type alike as a `query` method. The function must
 * return the record type it was called with; TypeScript cannot express that without a cast.
 */
export function toQueryMethod(
  query: (name: string, type: RecordType, signal?: AbortSignal) => Promise<DnsAnswer>,
): AbortableDns['query'] {
  return query as AbortableDns['query']
}

/** The same for a function that sends many queries. */
export function toQueryAllMethod(
  queryAll: (queries: readonly DnsQuery[]) => Promise<readonly DnsAnswer[]>,
): Required<Dns>['queryAll'] {
  return queryAll as Required<Dns>['queryAll']
}

/** Creates a failed answer. */
export function failed(
  reason: FailureReason,
  detail: string,
  context: Partial<AnswerContext> = {},
): Failed {
  return {
    kind: 'failed',
    reason,
    detail,
    cnames: [],
    extendedError: null,
    resolver: null,
    ...context,
  }
}

const abortSignals = new WeakMap<QuerySignal, AbortSignal>()

/** The same signal for code that needs an `AbortSignal`, such as `fetch`. */
export function toAbortSignal(signal: QuerySignal): AbortSignal {
  const known = signal instanceof AbortSignal ? signal : abortSignals.get(signal)
  if (known) return known
  const controller = new AbortController()
  if (signal.aborted) controller.abort(signal.reason)
  else signal.addEventListener('abort', () => controller.abort(signal.reason))
  abortSignals.set(signal, controller.signal)
  return controller.signal
}
