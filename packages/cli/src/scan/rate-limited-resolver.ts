/** One resolver of a scan: its connections, its rate, and a pause while it does not answer. */
import type {
  AbortableDns,
  DnsAnswer,
  DnsQuery,
  FailureReason,
  QuerySignal,
} from '@mailgrade/doh/dns'
import { createAdaptiveRate } from './adaptive-rate.js'

/** A `Dns` that may send many queries at less cost than one by one. */
export interface WaveDns extends AbortableDns {
  queryEach?(
    queries: readonly DnsQuery[],
    onAnswer: (answer: DnsAnswer, index: number) => void,
    signal?: QuerySignal,
  ): void
}

export interface RateLimitedResolver {
  /** The connection for the next queries, in turn. */
  dns(): WaveDns
  /** How many of `wanted` queries may be sent now; none while it is paused. */
  admit(wanted: number): number
  /** Milliseconds until the next query may be sent; infinite while it is paused. */
  waitMs(): number
  isPaused(): boolean
  perSecond(): number
  /** Whether it gets fewer queries than allowed. */
  isSlowed(): boolean
  recordAnswer(): void
  /** The resolver did not answer, or not with DNS. */
  recordFault(reason: FailureReason): void
  /** Milliseconds since it was known to answer. */
  silentMs(): number
  /** Whether the last fault was an HTTP status, such as 429 with Retry-After. */
  isThrottling(): boolean
  close(): void
}

export interface RateLimitedResolverOptions {
  /** Queries per second; may be infinite. */
  readonly rate: number
  /** Called when a pause is over, or a probe has failed. */
  readonly onProbed: () => void
}

/** A little more than the shortest Retry-After. */
const FIRST_PAUSE_MS = 1_100
const LONGEST_PAUSE_MS = 30_000
/** This many in a row are not the fault of one domain's name servers. */
const FAULTS_TO_PAUSE = 10

/**
 * After an HTTP error, or many faults in a row, the resolver gets no queries until our own probe
 * is answered. While Retry-After lasts, a DoH connection fails a probe without sending it.
 */
export function createRateLimitedResolver(
  connections: readonly WaveDns[],
  { rate: maxRate, onProbed }: RateLimitedResolverOptions,
): RateLimitedResolver {
  const rate = createAdaptiveRate(maxRate, () => performance.now())
  let next = 0
  let faultsInRow = 0
  let isPaused = false
  let pauseMs = FIRST_PAUSE_MS
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let isThrottling = false
  let aliveAt = performance.now()
  /** The clock is not read for every answer. */
  let hasAnswered = false

  function noteAlive(): void {
    if (hasAnswered) aliveAt = performance.now()
    hasAnswered = false
  }

  function pause(ms: number): void {
    isPaused = true
    // The promise cannot reject: a failed query is an answer.
    timer = setTimeout(() => void probe(), ms)
  }

  function pauseLonger(): void {
    pause(pauseMs)
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }

  async function probe(): Promise<void> {
    const answers = await Promise.all(connections.map((dns) => dns.query('.', 'NS')))
    if (isClosed) return
    if (answers.every(provesAlive)) {
      isPaused = false
      faultsInRow = 0
      pauseMs = FIRST_PAUSE_MS
      aliveAt = performance.now()
    } else {
      pauseLonger()
    }
    onProbed()
  }

  return {
    dns() {
      next = (next + 1) % connections.length
      return connections[next] as WaveDns
    },
    admit: (wanted) => (isPaused ? 0 : rate.admit(wanted)),
    waitMs: () => (isPaused ? Number.POSITIVE_INFINITY : rate.waitMs()),
    isPaused: () => isPaused,
    perSecond: () => (isPaused ? 0 : rate.perSecond()),
    isSlowed: () => isPaused || rate.perSecond() < maxRate,
    recordAnswer() {
      rate.recordAnswer()
      faultsInRow = 0
      hasAnswered = true
    },
    recordFault(reason) {
      noteAlive()
      isThrottling = reason === 'http-status'
      // Sent before the pause, which has taken it into account.
      if (isPaused) return
      rate.recordFault()
      faultsInRow++
      if (isThrottling) {
        rate.reduce()
        pauseLonger()
      } else if (faultsInRow >= FAULTS_TO_PAUSE) pause(0)
    },
    silentMs() {
      noteAlive()
      return performance.now() - aliveAt
    },
    isThrottling: () => isThrottling,
    close() {
      isClosed = true
      clearTimeout(timer)
    },
  }
}

/** A server that knows only some zones refuses the root. */
function provesAlive(answer: DnsAnswer): boolean {
  return answer.kind !== 'failed' || answer.reason === 'refused'
}
