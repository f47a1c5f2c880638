/**
 * The DNS of a scan: spreads queries over the resolvers, each at its own rate, and repeats those
 * that a resolver failed to answer.
 *
 * Queries wait here for the rate, so a report that uses it needs no deadline of its own: a query
 * is sent a limited number of times, and fails when no resolver answers any more.
 */
import {
  type DnsAnswer,
  type DnsQuery,
  type Failed,
  type FailureReason,
  failed,
  type QuerySignal,
  type RecordType,
  toAbortSignal,
  toQueryMethod,
} from '@mailgrade/doh/dns'
import {
  createRateLimitedResolver,
  type RateLimitedResolver,
  type ScanResolver,
  type WaveDns,
} from './scan-resolvers.js'

export interface ScanDns extends Required<WaveDns> {
  /** Resolves when another domain can be started without letting queries pile up. */
  ready(): Promise<void>
  /** Queries per second that the resolvers take at present, together. */
  perSecond(): number
  /** Whether a resolver gets fewer queries than allowed. */
  isSlowed(): boolean
  /** Fails all queries that wait. */
  close(): void
}

export interface ScanDnsOptions {
  readonly resolvers: readonly ScanResolver[]
  /** Gives up when no resolver has answered for this long. */
  readonly timeoutMs: number
  /** Called once, when it gives up; all further queries fail. */
  readonly onGiveUp: () => void
}

/** How often a query is sent at most, by the reason why it failed; others are not repeated. */
const MAX_ATTEMPTS: Partial<Record<FailureReason, number>> = {
  timeout: 3,
  unreachable: 3,
  malformed: 3,
  'http-status': 6,
  servfail: 2,
  refused: 2,
}

/** These are about the name, so only another resolver could answer differently. */
const NOT_THE_RESOLVERS_FAULT: readonly FailureReason[] = ['servfail', 'refused']

/** How long a DoH connection respects Retry-After at most. */
const LONGEST_RETRY_AFTER_MS = 300_000
const MIN_TIMER_MS = 1

interface WaitingQuery extends DnsQuery {
  readonly signal: QuerySignal | undefined
  readonly done: (answer: DnsAnswer) => void
  attempts: number
  /** The resolver that failed to answer it. */
  avoid: RateLimitedResolver | null
}

export function createScanDns({ resolvers: given, timeoutMs, onGiveUp }: ScanDnsOptions): ScanDns {
  const resolvers = given.map((resolver) => createRateLimitedResolver(resolver, onProbed))
  const queue: WaitingQuery[] = []
  /** Domains that wait for their start. */
  const starts: (() => void)[] = []
  let nextResolver = 0
  let timer: NodeJS.Timeout | null = null
  let hasEverAnswered = false
  /** Why every further query fails. */
  let ended: Failed | null = null

  function query(name: string, type: RecordType, signal?: AbortSignal): Promise<DnsAnswer> {
    return new Promise((done) => {
      enqueue({ name, type, signal, done, attempts: 0, avoid: null })
      sendWaiting()
    })
  }

  function queryEach(
    queries: readonly DnsQuery[],
    onAnswer: (answer: DnsAnswer, index: number) => void,
    signal?: QuerySignal,
  ): void {
    const resolver = queue.length === 0 && !ended ? pickResolver(null) : null
    const count = resolver?.admit(queries.length) ?? 0
    const toWaiting = (index: number): WaitingQuery => ({
      ...(queries[index] as DnsQuery),
      signal,
      done: (answer) => onAnswer(answer, index),
      attempts: 0,
      avoid: null,
    })
    for (let index = count; index < queries.length; index++) enqueue(toWaiting(index))
    sendWaiting()
    if (!resolver || count === 0) return
    const onResolverAnswer = (answer: DnsAnswer, index: number) => {
      if (answer.kind === 'failed') onFailure(toWaiting(index), answer, resolver)
      else {
        noteAnswer(resolver)
        onAnswer(answer, index)
      }
    }
    sendWave(
      resolver.dns(),
      count === queries.length ? queries : queries.slice(0, count),
      onResolverAnswer,
      signal,
    )
  }

  function enqueue(waiting: WaitingQuery): void {
    if (ended) waiting.done(ended)
    else queue.push(waiting)
  }

  function sendWaiting(): void {
    for (let first = queue[0]; first; first = queue[0]) {
      const resolver = pickResolver(first.avoid)
      // An aborted query is not sent, so it takes nothing from the rate.
      if (!first.signal?.aborted && resolver?.admit(1) !== 1) {
        wakeUpAfter(Math.min(...resolvers.map((it) => it.waitMs())))
        return
      }
      queue.shift()
      send(first, resolver ?? (resolvers[0] as RateLimitedResolver))
    }
    startNext()
  }

  /** One at a time: the queries of a domain are in the queue only a moment after its start. */
  function startNext(): void {
    if (timer || starts.length === 0) return
    const waitMs = Math.min(...resolvers.map((resolver) => resolver.waitMs()))
    if (waitMs === 0) starts.shift()?.()
    wakeUpAfter(waitMs)
  }

  /** While every resolver is paused, the end of a pause continues instead. */
  function wakeUpAfter(ms: number): void {
    if (timer || ms === Number.POSITIVE_INFINITY) return
    timer = setTimeout(
      () => {
        timer = null
        sendWaiting()
      },
      Math.max(ms, MIN_TIMER_MS),
    )
  }

  /** In turn, so queries do not prefer the first resolver; null if all are paused. */
  function pickResolver(avoid: RateLimitedResolver | null): RateLimitedResolver | null {
    let best: RateLimitedResolver | null = null
    let bestRank = 0
    nextResolver++
    for (let step = 0; step < resolvers.length; step++) {
      const resolver = resolvers[(nextResolver + step) % resolvers.length] as RateLimitedResolver
      const rank = rankResolver(resolver, avoid)
      if (rank > bestRank) {
        best = resolver
        bestRank = rank
      }
    }
    return best
  }

  function send(waiting: WaitingQuery, resolver: RateLimitedResolver): void {
    const { name, type, signal } = waiting
    // The promise cannot reject: a failed query is an answer.
    void resolver
      .dns()
      .query(name, type, signal && toAbortSignal(signal))
      .then((answer) => {
        if (answer.kind === 'failed') onFailure(waiting, answer, resolver)
        else {
          noteAnswer(resolver)
          waiting.done(answer)
        }
      })
  }

  function noteAnswer(resolver: RateLimitedResolver): void {
    hasEverAnswered = true
    resolver.recordAnswer()
  }

  function onFailure(waiting: WaitingQuery, failure: Failed, resolver: RateLimitedResolver): void {
    const { reason } = failure
    const limit = MAX_ATTEMPTS[reason] ?? 1
    const isAboutName = NOT_THE_RESOLVERS_FAULT.includes(reason)
    if (isAboutName) noteAnswer(resolver)
    else if (limit > 1) resolver.recordFault(reason)
    waiting.attempts++
    const isHopeless = waiting.attempts >= limit || (isAboutName && resolvers.length === 1)
    if (isHopeless || waiting.signal?.aborted) {
      waiting.done(failure)
      return
    }
    waiting.avoid = resolver
    enqueue(waiting)
    sendWaiting()
  }

  function onProbed(): void {
    if (resolvers.every(isDead)) giveUp()
    else sendWaiting()
  }

  /** A resolver that has answered before gets the time that it asks for with Retry-After. */
  function isDead(resolver: RateLimitedResolver): boolean {
    const extraMs = hasEverAnswered && resolver.isThrottling() ? LONGEST_RETRY_AFTER_MS : 0
    return resolver.isPaused() && resolver.silentMs() > timeoutMs + extraMs
  }

  function giveUp(): void {
    if (ended) return
    end(failed('unreachable', 'no resolver answers'))
    onGiveUp()
  }

  function end(failure: Failed): void {
    ended = failure
    if (timer) clearTimeout(timer)
    for (const resolver of resolvers) resolver.close()
    for (const waiting of queue.splice(0)) waiting.done(failure)
    for (const start of starts.splice(0)) start()
  }

  return {
    query: toQueryMethod(query),
    queryEach,
    ready() {
      if (ended || resolvers.some(isUnlimited)) return Promise.resolve()
      return new Promise((resolve) => {
        starts.push(resolve)
        if (queue.length === 0) startNext()
      })
    },
    perSecond: () => resolvers.reduce((sum, resolver) => sum + resolver.perSecond(), 0),
    isSlowed: () => resolvers.some((resolver) => resolver.isSlowed()),
    close() {
      if (!ended) end(failed('aborted', 'the scan was stopped'))
    },
  }
}

/** Higher is better; 0 means not usable. */
function rankResolver(resolver: RateLimitedResolver, avoid: RateLimitedResolver | null): number {
  if (resolver.isPaused()) return 0
  if (resolver === avoid) return 1
  return resolver.waitMs() > 0 ? 2 : 3
}

function isUnlimited(resolver: RateLimitedResolver): boolean {
  return resolver.perSecond() === Number.POSITIVE_INFINITY
}

function sendWave(
  dns: WaveDns,
  queries: readonly DnsQuery[],
  onAnswer: (answer: DnsAnswer, index: number) => void,
  signal: QuerySignal | undefined,
): void {
  if (dns.queryEach) dns.queryEach(queries, onAnswer, signal)
  else {
    queries.forEach(({ name, type }, index) => {
      // The promise cannot reject: a failed query is an answer.
      void dns
        .query(name, type, signal && toAbortSignal(signal))
        .then((answer) => onAnswer(answer, index))
    })
  }
}
