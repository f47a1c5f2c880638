/**
 * One report's view of the DNS: every question is asked once, in a bounded number, within one
 * deadline, and remembered in order.
 */
import {
  type AbortableDns,
  type Dns,
  type DnsAnswer,
  type DnsQuery,
  failed,
  type RecordType,
} from './dns.js'

export interface ReportDns extends Dns {
  /** The questions asked so far, in order. */
  readonly queries: readonly DnsQuery[]
  /** Who answered, in order of first answer. */
  resolvers(): string[]
  /** Gives up whatever is still unanswered. */
  close(): void
}

export interface ReportDnsOptions {
  readonly deadlineMs: number
  /** Enough for any honest domain, too little for a hostile one to make us its flood. */
  readonly maxQueries?: number
  /** Aborted when the caller hangs up. */
  readonly signal?: AbortSignal
}

/** Made once, since an error notes where it was made, and that takes 7 µs. */
const GIVEN_UP = new DOMException('the caller gave up', 'AbortError')

export function createReportDns(
  dns: AbortableDns,
  { deadlineMs, maxQueries = 250, signal }: ReportDnsOptions,
): ReportDns {
  /** By type and name: a text of both for every question would be one more to make and keep. */
  const memo = new Map<RecordType, Map<string, Promise<DnsAnswer>>>()
  const trace: DnsQuery[] = []
  const resolvers = new Set<string>()
  const ending = new AbortController()

  const timer = setTimeout(
    () => ending.abort(new DOMException('deadline', 'TimeoutError')),
    deadlineMs,
  )
  const hangUp = () => end()
  signal?.addEventListener('abort', hangUp, { once: true })
  if (signal?.aborted) hangUp()

  function end(): void {
    clearTimeout(timer)
    signal?.removeEventListener('abort', hangUp)
    ending.abort(GIVEN_UP)
  }

  function note(answer: DnsAnswer): DnsAnswer {
    if (answer.kind !== 'failed' && answer.resolver) resolvers.add(answer.resolver)
    return answer
  }

  function askOnce(question: DnsQuery): Promise<DnsAnswer> {
    if (trace.length >= maxQueries) {
      const detail = `one report may ask ${maxQueries} questions, and they are spent`
      return Promise.resolve(failed('budget', detail))
    }
    trace.push(question)
    return dns.query(question.name, question.type, ending.signal).then(note)
  }

  function ask(name: string, type: RecordType): Promise<DnsAnswer> {
    const ofType = memo.get(type) ?? new Map<string, Promise<DnsAnswer>>()
    const known = ofType.get(name)
    if (known) return known
    const answer = askOnce({ name, type })
    memo.set(type, ofType.set(name, answer))
    return answer
  }

  return { query: ask as Dns['query'], queries: trace, resolvers: () => [...resolvers], close: end }
}
