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
import { createResolverLane, type ResolverLane, type WaveDns } from './resolver-lane.js'

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

export interface ScanResolver {
  readonly connections: readonly WaveDns[]
  /** Queries per second; may be infinite. */
  readonly rate: number
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
  avoid: ResolverLane | null
}

export function createScanDns({ resolvers, timeoutMs, onGiveUp }: ScanDnsOptions): ScanDns {
  const lanes = resolvers.map(({ connections, rate }) =>
    createResolverLane(connections, { rate, onProbed }),
  )
  const queue: WaitingQuery[] = []
  /** Domains that wait for their start. */
  const starts: (() => void)[] = []
  let nextLane = 0
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
    const lane = queue.length === 0 && !ended ? pickLane(null) : null
    const count = lane?.admit(queries.length) ?? 0
    const toWaiting = (index: number): WaitingQuery => ({
      ...(queries[index] as DnsQuery),
      signal,
      done: (answer) => onAnswer(answer, index),
      attempts: 0,
      avoid: null,
    })
    for (let index = count; index < queries.length; index++) enqueue(toWaiting(index))
    sendWaiting()
    if (!lane || count === 0) return
    const onLaneAnswer = (answer: DnsAnswer, index: number) => {
      if (answer.kind === 'failed') onFailure(toWaiting(index), answer, lane)
      else {
        noteAnswer(lane)
        onAnswer(answer, index)
      }
    }
    sendWave(
      lane.dns(),
      count === queries.length ? queries : queries.slice(0, count),
      onLaneAnswer,
      signal,
    )
  }

  function enqueue(waiting: WaitingQuery): void {
    if (ended) waiting.done(ended)
    else queue.push(waiting)
  }

  function sendWaiting(): void {
    for (let first = queue[0]; first; first = queue[0]) {
      const lane = pickLane(first.avoid)
      // An aborted query is not sent, so it takes nothing from the rate.
      if (!first.signal?.aborted && lane?.admit(1) !== 1) {
        wakeUpAfter(Math.min(...lanes.map((it) => it.waitMs())))
        return
      }
      queue.shift()
      send(first, lane ?? (lanes[0] as ResolverLane))
    }
    startNext()
  }

  /** One at a time: the queries of a domain are in the queue only a moment after its start. */
  function startNext(): void {
    if (timer || starts.length === 0) return
    const waitMs = Math.min(...lanes.map((lane) => lane.waitMs()))
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
  function pickLane(avoid: ResolverLane | null): ResolverLane | null {
    let best: ResolverLane | null = null
    let bestRank = 0
    nextLane++
    for (let step = 0; step < lanes.length; step++) {
      const lane = lanes[(nextLane + step) % lanes.length] as ResolverLane
      const rank = rankLane(lane, avoid)
      if (rank > bestRank) {
        best = lane
        bestRank = rank
      }
    }
    return best
  }

  function send(waiting: WaitingQuery, lane: ResolverLane): void {
    const { name, type, signal } = waiting
    // The promise cannot reject: a failed query is an answer.
    void lane
      .dns()
      .query(name, type, signal && toAbortSignal(signal))
      .then((answer) => {
        if (answer.kind === 'failed') onFailure(waiting, answer, lane)
        else {
          noteAnswer(lane)
          waiting.done(answer)
        }
      })
  }

  function noteAnswer(lane: ResolverLane): void {
    hasEverAnswered = true
    lane.recordAnswer()
  }

  function onFailure(waiting: WaitingQuery, failure: Failed, lane: ResolverLane): void {
    const { reason } = failure
    const limit = MAX_ATTEMPTS[reason] ?? 1
    const isAboutName = NOT_THE_RESOLVERS_FAULT.includes(reason)
    if (isAboutName) noteAnswer(lane)
    else if (limit > 1) lane.recordFault(reason)
    waiting.attempts++
    const isHopeless = waiting.attempts >= limit || (isAboutName && lanes.length === 1)
    if (isHopeless || waiting.signal?.aborted) {
      waiting.done(failure)
      return
    }
    waiting.avoid = lane
    enqueue(waiting)
    sendWaiting()
  }

  function onProbed(): void {
    if (lanes.every(isDead)) giveUp()
    else sendWaiting()
  }

  /** A resolver that has answered before gets the time that it asks for with Retry-After. */
  function isDead(lane: ResolverLane): boolean {
    const extraMs = hasEverAnswered && lane.isThrottling() ? LONGEST_RETRY_AFTER_MS : 0
    return lane.isPaused() && lane.silentMs() > timeoutMs + extraMs
  }

  function giveUp(): void {
    if (ended) return
    end(failed('unreachable', 'no resolver answers'))
    onGiveUp()
  }

  function end(failure: Failed): void {
    ended = failure
    if (timer) clearTimeout(timer)
    for (const lane of lanes) lane.close()
    for (const waiting of queue.splice(0)) waiting.done(failure)
    for (const start of starts.splice(0)) start()
  }

  return {
    query: toQueryMethod(query),
    queryEach,
    ready() {
      if (ended || lanes.some(isUnlimited)) return Promise.resolve()
      return new Promise((resolve) => {
        starts.push(resolve)
        if (queue.length === 0) startNext()
      })
    },
    perSecond: () => lanes.reduce((sum, lane) => sum + lane.perSecond(), 0),
    isSlowed: () => lanes.some((lane) => lane.isSlowed()),
    close() {
      if (!ended) end(failed('aborted', 'the scan was stopped'))
    },
  }
}

/** Higher is better; 0 means not usable. */
function rankLane(lane: ResolverLane, avoid: ResolverLane | null): number {
  if (lane.isPaused()) return 0
  if (lane === avoid) return 1
  return lane.waitMs() > 0 ? 2 : 3
}

function isUnlimited(lane: ResolverLane): boolean {
  return lane.perSecond() === Number.POSITIVE_INFINITY
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
