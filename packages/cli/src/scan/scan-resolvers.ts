/** The resolvers of a scan: their connections, their rates, and a pause while one does not answer. */
import type {
  AbortableDns,
  DnsAnswer,
  DnsQuery,
  FailureReason,
  QuerySignal,
} from '@mailgrade/doh/dns'
import type { OpenDns } from '../command-line/command.js'
import { DEFAULT_RESOLVERS } from '../library.js'

export interface ScanResolver {
  readonly connections: readonly WaveDns[]
  /** Queries per second; may be infinite. */
  readonly rate: number
}

/** Public resolvers publish no firm limits; about 100 queries per second have long been accepted. */
const PUBLIC_RATE = 100
/** A connection carries about 100 queries at once, so a faster resolver gets several. */
const FAST_CONNECTIONS = 4
const FAST_RATE = 1_000
/** A scan can wait: a slow answer is better than none. */
const QUERY_TIMEOUT_MS = 5_000

/** Each with a rate that it accepts. */
export function openResolvers(
  urls: readonly (string | URL)[] = DEFAULT_RESOLVERS,
  givenRate: number | undefined,
  openDns: OpenDns,
) {
  const resolvers = urls.map((url) => {
    const rate = givenRate ?? (isOnThisComputer(new URL(url)) ? Infinity : PUBLIC_RATE)
    const connections = Array.from({ length: rate > FAST_RATE ? FAST_CONNECTIONS : 1 }, () =>
      openDns({ resolvers: [url], queryTimeoutMs: QUERY_TIMEOUT_MS }),
    )
    return { connections, rate }
  })
  return {
    resolvers,
    close() {
      for (const { connections } of resolvers) for (const dns of connections) dns.close()
    },
  }
}

function isOnThisComputer({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

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

/** A little more than the shortest Retry-After. */
const FIRST_PAUSE_MS = 1_100
const LONGEST_PAUSE_MS = 30_000
/** This many in a row are not the fault of one domain's name servers. */
const FAULTS_TO_PAUSE = 10

/**
 * After an HTTP error, or many faults in a row, the resolver gets no queries until our own probe
 * is answered. While Retry-After lasts, a DoH connection fails a probe without sending it.
 * `onProbed` is called when a pause is over, or a probe has failed.
 */
export function createRateLimitedResolver(
  { connections, rate: maxRate }: ScanResolver,
  onProbed: () => void,
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

interface AdaptiveRate {
  /** How many of `wanted` queries may be sent now. They count as sent. */
  admit(wanted: number): number
  /** Milliseconds until the next query may be sent. */
  waitMs(): number
  /** Queries per second at present. */
  perSecond(): number
  recordAnswer(): void
  recordFault(): void
  /** The resolver has refused a query because there were too many. */
  reduce(): void
}

const WINDOW_MS = 1_000
const TOLERATED_FAULTS = 0.1
const REDUCTION = 0.5
const RECOVERY = 1.05
/** A rate that every resolver accepts; going slower would not help. */
const LOWEST_RATE = 100
const LOWEST_SHARE = 0.1
/** A bucket holds what comes in this time, so a wave of queries is spread over the next second. */
const BURST_SECONDS = 0.1

/**
 * A token bucket whose rate follows the resolver: halved at most once a second while more than 10%
 * of its answers are faults, and raised by 5% after every second without trouble. `now` is in
 * monotonic milliseconds; `max` may be infinite.
 */
export function createAdaptiveRate(max: number, now: () => number): AdaptiveRate {
  const min = Math.max(1, Math.min(max * LOWEST_SHARE, LOWEST_RATE))
  let rate = max
  let tokens = capacity()
  let filledAt = now()
  let window = { startedAt: filledAt, sent: 0, answers: 0, faults: 0 }
  let previous = { sent: 0, ms: 0 }
  let reducedAt = Number.NEGATIVE_INFINITY

  function capacity(): number {
    return Math.max(1, rate * BURST_SECONDS)
  }

  function refill(at: number): void {
    // Infinity times zero is not a number.
    if (at > filledAt) tokens = Math.min(capacity(), tokens + (rate * (at - filledAt)) / 1_000)
    filledAt = at
  }

  function endWindow(at: number): void {
    const { startedAt, sent, answers, faults } = window
    if (at - startedAt < WINDOW_MS) return
    if (faults > TOLERATED_FAULTS * (answers + faults)) reduceAt(at)
    else if (answers > 0) rate = Math.min(max, rate * RECOVERY)
    previous = { sent, ms: at - startedAt }
    window = { startedAt: at, sent: 0, answers: 0, faults: 0 }
  }

  function reduceAt(at: number): void {
    if (at - reducedAt < WINDOW_MS) return
    reducedAt = at
    const seconds = (previous.ms + at - window.startedAt) / 1_000
    const measured = (previous.sent + window.sent) / seconds
    rate = Math.max(min, Math.min(rate, measured) * REDUCTION)
    tokens = Math.min(tokens, capacity())
  }

  return {
    admit(wanted) {
      const at = now()
      endWindow(at)
      refill(at)
      const admitted = Math.min(wanted, Math.floor(tokens))
      tokens -= admitted
      window.sent += admitted
      return admitted
    },
    waitMs() {
      refill(now())
      return tokens >= 1 ? 0 : ((1 - tokens) / rate) * 1_000
    },
    perSecond: () => rate,
    recordAnswer() {
      window.answers++
    },
    recordFault() {
      window.faults++
    },
    reduce: () => reduceAt(now()),
  }
}
