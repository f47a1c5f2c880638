/** `createReportDns`: the DNS of one report, with a memo, limits on its work and a deadline. */
import {
  type AbortableDns,
  type Dns,
  type DnsAnswer,
  type DnsQuery,
  failed,
  type RecordData,
  type RecordType,
  toQueryMethod,
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

/** Creates the `Dns` of one report. Call `close` when the report is done. */
export function createReportDns(
  dns: AbortableDns,
  { deadlineMs, maxQueries = 250, signal }: ReportDnsOptions,
): ReportDns {
  const memo = new Map<string, Promise<DnsAnswer>>()
  const queries: DnsQuery[] = []
  const resolvers = new Set<string>()
  const unlimited = new AbortController()
  const texts = { octets: 0, abort: new AbortController() }
  const others = { octets: 0, abort: new AbortController() }

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
    texts.abort.abort(reason)
    others.abort.abort(reason)
  }

  function recordAnswer(answer: DnsAnswer, limit: typeof texts): DnsAnswer {
    if (answer.kind !== 'failed' && answer.resolver) resolvers.add(answer.resolver)
    limit.octets += countOctets(answer)
    if (limit.octets > MAX_OCTETS) limit.abort.abort(OVER_LIMIT)
    return answer
  }

  function queryUncached(name: string, type: RecordType): Promise<DnsAnswer> {
    if (queries.length >= maxQueries) {
      const detail = `the report’s limit of ${maxQueries} DNS queries is used up`
      return Promise.resolve(failed('budget', detail))
    }
    const limit = type === 'TXT' || type === 'SPF' ? texts : others
    const { signal } = queries.length < UNLIMITED_QUERIES ? unlimited : limit.abort
    if (signal.reason === OVER_LIMIT) return Promise.resolve(failed('budget', OVER_LIMIT.message))
    queries.push({ name, type })
    return dns.query(name, type, signal).then((answer) => recordAnswer(answer, limit))
  }

  function query(name: string, type: RecordType): Promise<DnsAnswer> {
    const key = `${type} ${name}`
    const known = memo.get(key)
    if (known) return known
    const answer = queryUncached(name, type)
    memo.set(key, answer)
    return answer
  }

  return { query: toQueryMethod(query), queries, resolvers: () => [...resolvers], close }
}

/** Of the data in an answer, as far as its sender decides on it. */
function countOctets(answer: DnsAnswer): number {
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
  return data.reduce((octets, string) => octets + 1 + string.length, 0)
}
