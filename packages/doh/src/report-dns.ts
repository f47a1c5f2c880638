/** `createReportDns`: the DNS of one report, with a memo, limits on its work and a deadline. */
import { setMaxListeners } from 'node:events'
import { createAnswerMemo, memoizeQuery } from './answer-memo.js'
import {
  type AbortableDns,
  type Dns,
  type DnsAnswer,
  type DnsQuery,
  type Failed,
  failed,
  type OnEachAnswer,
  type QuerySignal,
  type RecordData,
  type RecordType,
  toAbortSignal,
} from './dns.js'

/** A `Dns` for one report. Each query is sent once; repeated queries return the same answer. */
export interface ReportDns extends Dns {
  /** The queries sent so far, in order. */
  readonly queries: readonly DnsQuery[]
  /** The resolvers that answered, in order of their first answer. */
  resolvers(): string[]
  /** Aborts every query without an answer. */
  close(): void
}

export interface ReportDnsOptions {
  /** Milliseconds for all queries together. */
  readonly deadlineMs: number
  /** Keeps a hostile domain from causing a flood of queries. Default 250. */
  readonly maxQueries?: number
  /** Aborted when the caller disconnects. */
  readonly signal?: AbortSignal
}

/**
 * Ten times what an ordinary report needs; a wildcard could make it 15 MB. Texts have a limit of
 * their own, so a wildcard TXT record does not keep the addresses of mail servers unknown.
 */
const MAX_OCTETS = 128 * 1024
/** A report asks first for what it must know, which a limit must not make unknown. */
const UNLIMITED_QUERIES = 20
/** What a record takes beside its data, in the message and in memory. */
const RECORD_OCTETS = 96

/** Created once, because capturing a stack takes 7 µs. */
const CLOSED = new DOMException('The caller aborted the query', 'AbortError')
const OVER_LIMIT = new DOMException(
  `the report’s limit of ${MAX_OCTETS / 1024} KiB of DNS answers is used up`,
  'QuotaExceededError',
)

/** Counts the octets of answers, and aborts queries when there are too many. */
interface OctetLimit {
  octets: number
  readonly abort: QueryAbort
}

type QueryEach = NonNullable<AbortableDns['queryEach']>

/** How a query is sent: what counts its answer, and what aborts it. */
interface Admission {
  readonly limit: OctetLimit
  readonly signal: QueryAbort
}

/** Creates the `Dns` of one report. Call `close` when the report is done. */
export function createReportDns(
  dns: AbortableDns,
  { deadlineMs, maxQueries = 250, signal }: ReportDnsOptions,
): ReportDns {
  const queries: DnsQuery[] = []
  const resolvers = new Set<string>()
  const unlimited = new QueryAbort()
  const texts = createAdmissions(unlimited)
  const others = createAdmissions(unlimited)

  const timer = setTimeout(
    () => abortAll(new DOMException('The deadline passed', 'TimeoutError')),
    deadlineMs,
  )
  signal?.addEventListener('abort', close, { once: true })
  if (signal?.aborted) close()

  function close(): void {
    clearTimeout(timer)
    signal?.removeEventListener('abort', close)
    abortAll(CLOSED)
  }

  function abortAll(reason: DOMException): void {
    unlimited.abort(reason)
    texts.limit.abort.abort(reason)
    others.limit.abort.abort(reason)
  }

  /** Counts the query and returns how to send it, or the failure if a limit forbids it. */
  function admit(query: DnsQuery): Admission | Failed {
    if (queries.length >= maxQueries) {
      return failed('budget', `the report’s limit of ${maxQueries} DNS queries is used up`)
    }
    const { first, later } = query.type === 'TXT' || query.type === 'SPF' ? texts : others
    const admission = queries.length < UNLIMITED_QUERIES ? first : later
    if (admission.signal.reason === OVER_LIMIT) return failed('budget', OVER_LIMIT.message)
    queries.push(query)
    return admission
  }

  function recordAnswer(answer: DnsAnswer, limit: OctetLimit): DnsAnswer {
    if (answer.kind !== 'failed' && answer.resolver) resolvers.add(answer.resolver)
    limit.octets += countOctets(answer)
    // Later, so all answers that arrived together are used.
    if (limit.octets > MAX_OCTETS) queueMicrotask(() => limit.abort.abort(OVER_LIMIT))
    return answer
  }

  /** Queries with the same admission are sent together. */
  function sendAll(queryEach: QueryEach, wave: readonly DnsQuery[], onAnswer: OnEachAnswer): void {
    const admissions = wave.map(admit)
    for (let start = 0, end = 0; start < wave.length; start = end) {
      const admission = admissions[start] as Admission | Failed
      do end++
      while (admissions[end] === admission)
      if ('kind' in admission) onAnswer(admission, start)
      else {
        const offset = start
        const record: OnEachAnswer = (answer, index) =>
          onAnswer(recordAnswer(answer, admission.limit), offset + index)
        queryEach(wave.slice(start, end), record, admission.signal)
      }
    }
  }

  /** For a `Dns` without `queryEach`. */
  async function sendAlone(name: string, type: RecordType): Promise<DnsAnswer> {
    const admission = admit({ name, type })
    if ('kind' in admission) return admission
    const signal = toAbortSignal(admission.signal)
    // Every query of a report may listen to it, so Node must not warn about a leak.
    setMaxListeners(0, signal)
    return recordAnswer(await dns.query(name, type, signal), admission.limit)
  }

  const queryEach = dns.queryEach?.bind(dns)
  const memo = queryEach
    ? createAnswerMemo((wave, onAnswer) => sendAll(queryEach, wave, onAnswer))
    : { query: memoizeQuery(sendAlone) }
  return { queries, resolvers: () => [...resolvers], close, ...memo }
}

function createAdmissions(unlimited: QueryAbort) {
  const limit: OctetLimit = { octets: 0, abort: new QueryAbort() }
  return {
    limit,
    first: { limit, signal: unlimited },
    later: { limit, signal: limit.abort },
  }
}

/** Of the data in an answer, as far as its sender decides on it. */
function countOctets(answer: DnsAnswer): number {
  return Math.max(countDataOctets(answer), answer.octets ?? 0)
}

function countDataOctets(answer: DnsAnswer): number {
  let octets = 0
  for (const target of answer.cnames) octets += RECORD_OCTETS + target.length
  if (answer.kind !== 'records') return octets
  for (const data of answer.records) octets += RECORD_OCTETS + dataOctets(data)
  return octets
}

function dataOctets(data: RecordData[RecordType]): number {
  if (typeof data === 'string') return data.length
  if ('exchange' in data) return data.exchange.length
  if ('primary' in data) return data.primary.length + data.mailbox.length
  if ('usage' in data) return data.data.length / 2
  return data.reduce((octets, string) => octets + 1 + string.length, 0)
}

/** Controller and signal in one, for a fraction of what an `AbortController` costs. */
export class QueryAbort implements QuerySignal {
  aborted = false
  reason: unknown = undefined
  readonly #listeners: (() => void)[] = []

  abort(reason: unknown): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    for (const listener of this.#listeners.splice(0)) listener()
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    const index = this.#listeners.indexOf(listener)
    if (index >= 0) this.#listeners.splice(index, 1)
  }

  /** For `getEventListeners` of Node. */
  listeners(): readonly (() => void)[] {
    return this.#listeners
  }
}
