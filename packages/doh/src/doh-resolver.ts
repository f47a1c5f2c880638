/** One DoH resolver: sends a query with a timeout and tracks the resolver's health. */
import { createCircuitBreaker } from './circuit-breaker.js'
import { type DnsAnswer, type DnsQuery, type Failed, type FailureReason, failed } from './dns.js'
import {
  type Cancellable,
  DNS_MESSAGE_MEDIA_TYPE,
  type DohResult,
  type ResultSink,
} from './doh-connection.js'
import { ERROR_CODE, Http2ConnectionError } from './http2/http2-protocol.js'
import { type DohConnectOptions, openConnection } from './open-connection.js'
import { createReconnectingConnection } from './reconnecting-connection.js'
import { createTurnTimers, type Expiring, type TimerGroup } from './turn-timers.js'
import { decodeResponse } from './wire/decode-response.js'
import { type EncodedQuery, ROOT_NS_QUERY } from './wire/encode-query.js'

/** Gets the answer to one query. */
export interface AnswerSink {
  onAnswer(answer: DnsAnswer): void
}

export interface DohResolver {
  /** Host and port of its URL. */
  readonly name: string
  /** True when it may be queried; otherwise starts a probe if one is due. */
  checkAvailable(): boolean
  /** Whether it gets no queries at present; starts no probe. */
  isPaused(): boolean
  /** The probe under way, if the resolver has been failing. */
  pendingProbe(): Promise<boolean> | null
  /** Calls `onAnswer` exactly once and never before it returns, unless cancelled before. */
  query(query: EncodedQuery, sink: AnswerSink): Cancellable
  /** The most recent failure, which answers queries while every resolver is paused. */
  lastFailure(): Failed | null
  /** Whether it answers: true after a recent answer, otherwise the result of a probe. */
  isAnswering(): Promise<boolean>
  close(): void
}

/** The clocks that timeouts and pauses use. */
export interface ResolverClock {
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

/**
 * Called when a resolver has answered or timed out, also for our own probes. `outcome` is the kind
 * of the answer, or the reason of the failure.
 */
export type OnAnswer = (event: {
  readonly resolver: string
  readonly outcome: string
  readonly durationMs: number
}) => void

/** Called for every exception that no code expects. It must not throw. */
export type OnUnexpectedError = (event: {
  readonly resolver: string
  readonly error: unknown
}) => void

export interface DohResolverOptions extends DohConnectOptions {
  readonly clock: ResolverClock
  readonly onAnswer: OnAnswer
  readonly onUnexpectedError: OnUnexpectedError
}

const ANSWERED_RECENTLY_MS = 5_000
const DEFAULT_RETRY_AFTER_MS = 1_000
/** Without a pause, a resolver could flood one new connection after another. */
const FLOOD_PAUSE_MS = 1_000
/** A resolver that sends a longer Retry-After is queried again after this. */
const MAX_RETRY_AFTER_MS = 300_000

export function createDohResolver(url: URL, options: DohResolverOptions): DohResolver {
  const { timeoutMs, clock, onAnswer, onUnexpectedError } = options
  const name = url.host
  const pathPrefix = `${url.pathname}${url.search}${url.search ? '&' : '?'}dns=`
  const connection = createReconnectingConnection((signal) =>
    openConnection(url, { ...options, onConnectionError }, signal),
  )
  const breaker = createCircuitBreaker({ probe, now: clock.now })
  let lastAnswerAt = Number.NEGATIVE_INFINITY
  let lastFailure: Failed | null = null
  let probing: Promise<boolean> | null = null

  const timers = createTurnTimers(timeoutMs)

  const owner: QueryOwner = {
    onResult: (sent, result) => finish(sent, toAnswer(result, sent.query)),
    onTimeout(sent) {
      connection.checkLiveness()
      finish(sent, failure('timeout', ` did not answer within ${timeoutMs} ms`))
    },
  }

  function send(query: EncodedQuery, sink: AnswerSink): Cancellable {
    const sent = new SentQuery(query, sink, clock.now(), owner)
    sent.start(timers.add(sent), connection.get(pathPrefix + query.dnsParameter, sent))
    return sent
  }

  function finish({ sentAt, sink }: SentQuery, answer: DnsAnswer): void {
    const now = clock.now()
    reportAnswer(answer, now - sentAt)
    recordOutcome(answer, now)
    sink.onAnswer(answer)
  }

  function reportAnswer(answer: DnsAnswer, durationMs: number): void {
    const outcome = answer.kind === 'failed' ? answer.reason : answer.kind
    try {
      onAnswer({ resolver: name, outcome, durationMs })
    } catch (error) {
      onUnexpectedError({ resolver: name, error })
    }
  }

  function onConnectionError(error: unknown): void {
    if (!(error instanceof Http2ConnectionError)) onUnexpectedError({ resolver: name, error })
    else if (error.code === ERROR_CODE.ENHANCE_YOUR_CALM) {
      lastFailure = failure('unreachable', `: the resolver violates HTTP/2: ${error.message}`)
      breaker.pauseFor(FLOOD_PAUSE_MS)
    }
  }

  function recordOutcome(answer: DnsAnswer, now: number): void {
    if (isResolversFault(answer)) {
      lastFailure = answer
      breaker.recordFailure()
    } else {
      if (provesAlive(answer)) lastAnswerAt = now
      breaker.recordSuccess()
    }
  }

  function failure(reason: FailureReason, text: string): Failed {
    return failed(reason, name + text, { resolver: name })
  }

  function toAnswer(result: DohResult, query: DnsQuery): DnsAnswer {
    if (result.kind === 'failure') return failure(result.reason, `: ${result.detail}`)
    const { status, contentType, retryAfter, body } = result
    if (status === 429 || (status >= 500 && retryAfter)) {
      breaker.pauseFor(retryAfterMs(retryAfter, clock.wallClock))
    }
    if (status !== 200) return failure('http-status', ` answered with HTTP ${status}`)
    if (!isDnsMessage(contentType)) return failure('malformed', ' did not send a DNS message')
    try {
      return decodeResponse(body, query, name)
    } catch (error) {
      onUnexpectedError({ resolver: name, error })
      return failure('malformed', ' sent a message that could not be decoded')
    }
  }

  /** One probe at a time, whether the breaker or `isAnswering` wants it. */
  function probe(): Promise<boolean> {
    probing ??= new Promise((resolve) => {
      send(ROOT_NS_QUERY, {
        onAnswer(answer) {
          probing = null
          resolve(provesAlive(answer))
        },
      })
    })
    return probing
  }

  return {
    name,
    query: send,
    checkAvailable: breaker.checkAvailable,
    isPaused: breaker.isPaused,
    pendingProbe: breaker.pendingProbe,
    lastFailure: () => lastFailure,
    async isAnswering() {
      if (!breaker.checkAvailable()) return (await breaker.pendingProbe()) ?? false
      return clock.now() - lastAnswerAt < ANSWERED_RECENTLY_MS || probe()
    },
    close: connection.close,
  }
}

interface QueryOwner {
  onResult(sent: SentQuery, result: DohResult): void
  onTimeout(sent: SentQuery): void
}

/** A query under way to this resolver. A class, because one is created for every query in flight. */
class SentQuery implements ResultSink, Expiring, Cancellable {
  readonly query: EncodedQuery
  readonly sink: AnswerSink
  readonly sentAt: number
  readonly #owner: QueryOwner
  #timer: TimerGroup | null = null
  #request: Cancellable | null = null

  constructor(query: EncodedQuery, sink: AnswerSink, sentAt: number, owner: QueryOwner) {
    this.query = query
    this.sink = sink
    this.sentAt = sentAt
    this.#owner = owner
  }

  start(timer: TimerGroup, request: Cancellable): void {
    this.#timer = timer
    this.#request = request
  }

  onResult(result: DohResult): void {
    this.#stopTimer()
    this.#owner.onResult(this, result)
  }

  onExpiry(): void {
    if (!this.#timer) return
    this.#stopTimer()
    this.#request?.cancel()
    this.#owner.onTimeout(this)
  }

  cancel(): void {
    this.#stopTimer()
    this.#request?.cancel()
  }

  #stopTimer(): void {
    this.#timer?.remove()
    this.#timer = null
  }
}

/** RFC 9110 §10.2.3: seconds or a date. */
export function retryAfterMs(header: string | undefined, wallClock: () => number): number {
  if (!header) return DEFAULT_RETRY_AFTER_MS
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - wallClock()
  if (Number.isNaN(ms)) return DEFAULT_RETRY_AFTER_MS
  return Math.min(Math.max(ms, DEFAULT_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS)
}

function isDnsMessage(contentType: string | undefined): boolean {
  if (contentType === DNS_MESSAGE_MEDIA_TYPE) return true
  return contentType?.split(';')[0]?.trim().toLowerCase() === DNS_MESSAGE_MEDIA_TYPE
}

/** SERVFAIL and REFUSED are about the name, not about the resolver's health. */
function isResolversFault(answer: DnsAnswer): answer is Failed {
  return (
    answer.kind === 'failed' &&
    ['timeout', 'unreachable', 'http-status', 'malformed'].includes(answer.reason)
  )
}

/** REFUSED counts: a server that knows only some zones refuses the root. SERVFAIL does not. */
function provesAlive(answer: DnsAnswer): boolean {
  return answer.kind !== 'failed' || answer.reason === 'refused'
}
