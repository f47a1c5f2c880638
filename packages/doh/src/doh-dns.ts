/** `createDohDns`: DoH resolvers with failover; identical queries in flight share one request. */
import type { ConnectionOptions } from 'node:tls'
import {
  type AbortableDns,
  type DnsAnswer,
  type DnsQuery,
  type Failed,
  failed,
  type OnEachAnswer,
  type QuerySignal,
  type RecordType,
  toQueryMethod,
} from './dns.js'
import type { Cancellable } from './doh-connection.js'
import {
  type AnswerSink,
  createDohResolver,
  type DohResolver,
  type OnAnswer,
  type OnUnexpectedError,
  type ResolverClock,
} from './doh-resolver.js'
import { createSingleFlight } from './single-flight.js'
import { createTurnTimers, type Expiring, type TimerGroup, type TurnTimers } from './turn-timers.js'
import { type EncodedQuery, encodeQuery } from './wire/encode-query.js'

export interface DohDnsOptions {
  /** RFC 8484 endpoints in order of preference. Plain `http:` is for resolvers on the same host. */
  readonly urls: readonly URL[]
  /** How long one resolver may take for one query, in milliseconds. Default 1500. */
  readonly queryTimeoutMs?: number
  /** After this many milliseconds without an answer, the next resolver is queried too. Default 300. */
  readonly hedgeAfterMs?: number
  /** TLS options for every connection, such as `ca`. */
  readonly tls?: ConnectionOptions
  /** Replaces the system's clocks, for tests. */
  readonly clock?: ResolverClock
  /** Called after every query to a resolver, for metrics. */
  readonly onAnswer?: OnAnswer
  /**
   * Called for every exception that no code expects: a bug, or an exception of `onAnswer`. The
   * queries that it affects fail. Default: a process warning at most once a minute.
   */
  readonly onUnexpectedError?: OnUnexpectedError
}

/** The health of one resolver. */
export type ResolverStatus = Pick<DohResolver, 'name' | 'isAnswering' | 'isPaused'>

/** A `Dns` over DoH resolvers. */
export interface DohDns extends AbortableDns {
  /** In the order of `urls`. */
  readonly resolvers: readonly ResolverStatus[]
  /** Closes every connection. Queries in flight fail as `unreachable`. */
  close(): void
}

const QUERY_TIMEOUT_MS = 1_500
const LONGEST_QUERY_TIMEOUT_MS = 60_000

/**
 * `queryTimeoutMs` for reports with this deadline: who allows a report more time allows it for every
 * query, and a silent resolver leaves time for others.
 */
export function queryTimeoutWithin(deadlineMs: number): number {
  const share = Math.floor(deadlineMs * 0.3)
  return Math.min(Math.max(share, QUERY_TIMEOUT_MS), LONGEST_QUERY_TIMEOUT_MS)
}

const BAD_NAME = failed('bad-name', 'not a valid DNS name')

const systemClock: ResolverClock = { now: () => performance.now(), wallClock: () => Date.now() }

function emitWarning(message: string, stack = ''): void {
  process.emitWarning(message, { type: 'DohWarning', detail: stack })
}

/** Creates a `Dns` that queries DoH resolvers. Connections open with the first query. */
export function createDohDns({
  urls,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
  hedgeAfterMs = 300,
  tls = {},
  clock = systemClock,
  onAnswer = () => {},
  onUnexpectedError = createErrorReport(clock.now, emitWarning),
}: DohDnsOptions): DohDns {
  const options = {
    timeoutMs: queryTimeoutMs,
    tls,
    clock,
    onAnswer,
    onUnexpectedError,
  }
  const resolvers = urls.map((url) => createDohResolver(url, options))
  const hedges = createTurnTimers(hedgeAfterMs)
  const joinFlight = createSingleFlight((query, sink) =>
    queryWithFailover(resolvers, hedges, query, sink),
  )

  function query(name: string, type: RecordType, signal?: AbortSignal): Promise<DnsAnswer> {
    const encoded = encodeQuery({ name, type })
    if (!encoded) return Promise.resolve(BAD_NAME)
    return new Promise((resolve) => joinFlight(encoded, resolve, 0, signal))
  }

  function queryEach(
    queries: readonly DnsQuery[],
    onAnswer: OnEachAnswer,
    signal?: QuerySignal,
  ): void {
    queries.forEach((query, index) => {
      const encoded = encodeQuery(query)
      if (encoded) joinFlight(encoded, onAnswer, index, signal)
      else onAnswer(BAD_NAME, index)
    })
  }

  return {
    query: toQueryMethod(query),
    queryEach,
    resolvers,
    close() {
      for (const resolver of resolvers) resolver.close()
    },
  }
}

/**
 * Queries resolvers in order of preference until one returns a definite answer. The next one is
 * queried when a resolver fails, or in parallel (a hedge) when it is slow.
 */
export function queryWithFailover(
  resolvers: readonly DohResolver[],
  hedges: TurnTimers,
  query: EncodedQuery,
  sink: AnswerSink,
): Cancellable {
  const attempt = new FailoverQuery(resolvers, hedges, query, sink)
  // Starts due probes, so a resolver's recovery is known before the resolver is needed.
  for (const resolver of resolvers) resolver.checkAvailable()
  // The promise cannot reject: a probe resolves to whether the resolver is back.
  if (!attempt.queryNext()) void attempt.queryAfterProbe()
  return attempt
}

/** A class, because one is created for every query in flight. */
class FailoverQuery implements AnswerSink, Expiring, Cancellable {
  readonly #resolvers: readonly DohResolver[]
  readonly #hedges: TurnTimers
  readonly #query: EncodedQuery
  readonly #sink: AnswerSink
  #request: Cancellable | null = null
  /** After a failure or a hedge. */
  #moreRequests: Cancellable[] | null = null
  #next = 0
  #pending = 0
  #failure: Failed | null = null
  #hedge: TimerGroup | null = null
  #isOver = false

  constructor(
    resolvers: readonly DohResolver[],
    hedges: TurnTimers,
    query: EncodedQuery,
    sink: AnswerSink,
  ) {
    this.#resolvers = resolvers
    this.#hedges = hedges
    this.#query = query
    this.#sink = sink
  }

  /** Queries the next available resolver; false when there is none. */
  queryNext(): boolean {
    const resolvers = this.#resolvers
    this.#stopHedge()
    let resolver = resolvers[this.#next++]
    while (resolver && !resolver.checkAvailable()) resolver = resolvers[this.#next++]
    if (!resolver) return false
    if (this.#next < resolvers.length) this.#hedge = this.#hedges.add(this)
    this.#pending++
    const request = resolver.query(this.#query, this)
    if (!this.#request) this.#request = request
    else if (this.#moreRequests) this.#moreRequests.push(request)
    else this.#moreRequests = [request]
    return true
  }

  /** The resolver is slow. */
  onExpiry(): void {
    if (this.#hedge) this.queryNext()
  }

  onAnswer(answer: DnsAnswer): void {
    this.#pending--
    if (this.#isOver) return
    if (answer.kind !== 'failed') {
      this.#finish(answer)
      return
    }
    const failure = moreSpecificFailure(this.#failure, answer)
    this.#failure = failure
    this.queryNext()
    if (this.#pending === 0) this.#finish(failure)
  }

  /** Slower resolvers keep running into their timeout, or one that hangs would never be noticed. */
  #finish(answer: DnsAnswer): void {
    this.#isOver = true
    this.#stopHedge()
    this.#sink.onAnswer(answer)
  }

  #stopHedge(): void {
    this.#hedge?.remove()
    this.#hedge = null
  }

  cancel(): void {
    this.#isOver = true
    this.#stopHedge()
    this.#request?.cancel()
    for (const request of this.#moreRequests ?? []) request.cancel()
  }

  /** Every resolver is paused: waits for the probes under way, then queries one that is back. */
  async queryAfterProbe(): Promise<void> {
    const isBack = await anyProbeSucceeds(this.#resolvers)
    if (this.#isOver) return
    this.#next = 0
    if (isBack && this.queryNext()) return
    const failures = this.#resolvers.map((resolver) => resolver.lastFailure())
    const failure = failures.reduce(moreSpecificFailure, null)
    this.#finish(failure ?? failed('unreachable', 'no resolver is configured'))
  }
}

async function anyProbeSucceeds(resolvers: readonly DohResolver[]): Promise<boolean> {
  const probes = resolvers.map(async (resolver) => {
    if (!(await resolver.pendingProbe())) throw new Error(`${resolver.name} still does not answer`)
  })
  return Promise.any(probes).then(
    () => true,
    () => false,
  )
}

/** A DNS error about the name outranks a timeout, which outranks a connection error. */
function moreSpecificFailure<Other extends Failed | null>(one: Failed | null, other: Other) {
  return one && (!other || rank(one) >= rank(other)) ? one : other
}

function rank({ reason }: Failed): number {
  if (reason === 'servfail' || reason === 'cname-loop') return 2
  return reason === 'timeout' ? 1 : 0
}

const INTERVAL_MS = 60_000

/**
 * Counts exceptions that no code expects and warns at most once a minute, so they are noticed although
 * nothing ends with them.
 */
export function createErrorReport(
  now: () => number,
  warn: (message: string, stack: string | undefined) => void,
): OnUnexpectedError {
  let count = 0
  let nextWarningAt = Number.NEGATIVE_INFINITY
  return ({ resolver, error }) => {
    count++
    if (now() < nextWarningAt) return
    const errors = count === 1 ? '1 unexpected error' : `${count} unexpected errors, the last`
    const stack = error instanceof Error ? error.stack : undefined
    warn(`${errors} in the connection to ${resolver}: ${error}`, stack)
    nextWarningAt = now() + INTERVAL_MS
    count = 0
  }
}
