/** One DoH resolver: asks a question within a time limit and remembers how it has been doing. */

import { createCircuitBreaker } from './circuit-breaker.js'
import { type DnsAnswer, type DnsQuery, type Failed, type FailureReason, failed } from './dns.js'
import { type Cancel, DNS_MESSAGE_MEDIA_TYPE, type DohResult } from './doh-connection.js'
import { type DohConnectOptions, openConnection } from './open-connection.js'
import { createReconnectingConnection } from './reconnecting-connection.js'
import { retryAfterMs } from './retry-after.js'
import { decodeResponse } from './wire/decode-response.js'
import { encodeQuery } from './wire/encode-query.js'

/** A question and its wire form, encoded once for whichever resolvers get it. */
export interface EncodedQuery extends DnsQuery {
  readonly dnsParameter: string
}

export interface DohResolver {
  readonly name: string
  checkAvailable(): boolean
  /** Whether questions are kept from it; starts no probe. */
  isPaused(): boolean
  /** The probe under way, if the resolver has been failing. */
  pendingProbe(): Promise<boolean> | null
  /** Calls `done` exactly once, unless cancelled before. */
  query(question: EncodedQuery, done: (answer: DnsAnswer) => void): Cancel
  /** What went wrong last, for whoever cannot be answered because it is resting. */
  lastFailure(): Failed | null
  /** Whether it answers at all, judged by its last answer or else by asking. */
  isAnswering(): Promise<boolean>
  close(): void
}

export interface ResolverClock {
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

/** A question was answered, or had its time; `outcome` is the kind of answer, or why it failed. */
export type OnAnswer = (told: {
  readonly resolver: string
  readonly outcome: string
  readonly durationMs: number
}) => void

export interface DohResolverOptions extends DohConnectOptions {
  readonly clock: ResolverClock
  readonly onAnswer: OnAnswer
}

/** The root's name servers, which every resolver knows; the root can always be encoded. */
const PROBE = toEncodedQuery({ name: '.', type: 'NS' }) as EncodedQuery
const ANSWERED_RECENTLY_MS = 5_000

/** The name must be in its one spelling: answers are compared with it. */
export function toEncodedQuery(question: DnsQuery): EncodedQuery | null {
  const query = encodeQuery(question)
  return query ? { name: question.name, type: question.type, dnsParameter: query } : null
}

export function createDohResolver(url: URL, options: DohResolverOptions): DohResolver {
  const { timeoutMs, clock, onAnswer } = options
  const name = url.host
  const pathPrefix = `${url.pathname}${url.search}${url.search ? '&' : '?'}dns=`
  const transport = createReconnectingConnection((signal) => openConnection(url, options, signal))
  const breaker = createCircuitBreaker({ probe, now: clock.now })
  let lastAnswerAt = Number.NEGATIVE_INFINITY
  let lastFailure: Failed | null = null
  let probing: Promise<boolean> | null = null

  function ask(question: EncodedQuery, done: (answer: DnsAnswer) => void): Cancel {
    const askedAt = clock.now()
    const finish = (answer: DnsAnswer) => {
      const outcome = answer.kind === 'failed' ? answer.reason : answer.kind
      onAnswer({ resolver: name, outcome, durationMs: clock.now() - askedAt })
      done(judged(answer))
    }
    const timer = setTimeout(() => {
      cancelRequest()
      transport.checkLiveness()
      finish(failure('timeout', ` did not answer within ${timeoutMs} ms`))
    }, timeoutMs)
    const cancelRequest = transport.get(pathPrefix + question.dnsParameter, (reply) => {
      clearTimeout(timer)
      finish(interpret(reply, question))
    })
    return () => {
      clearTimeout(timer)
      cancelRequest()
    }
  }

  /** Lets the answer count for or against the resolver. */
  function judged(answer: DnsAnswer): DnsAnswer {
    if (isResolversFault(answer)) {
      lastFailure = answer
      breaker.recordFailure()
    } else {
      if (isSignOfLife(answer)) lastAnswerAt = clock.now()
      breaker.recordSuccess()
    }
    return answer
  }

  function failure(reason: FailureReason, whatItDid: string): Failed {
    return failed(reason, name + whatItDid, { resolver: name })
  }

  function interpret(reply: DohResult, question: DnsQuery): DnsAnswer {
    if (reply.kind === 'broken') return failure(reply.reason, `: ${reply.detail}`)
    const asksForRest = reply.status === 429 || (reply.status >= 500 && reply.retryAfter)
    if (asksForRest) breaker.pauseFor(retryAfterMs(reply.retryAfter, clock.wallClock))
    if (reply.status !== 200) return failure('http-status', ` answered with HTTP ${reply.status}`)
    if (!isDnsMessage(reply.contentType)) return failure('malformed', ' did not send a DNS message')
    return decodeResponse(reply.body, question, name)
  }

  /** One probe at a time, whoever wants to know. */
  function probe(): Promise<boolean> {
    probing ??= new Promise((resolve) => {
      ask(PROBE, (answer) => {
        probing = null
        resolve(isSignOfLife(answer))
      })
    })
    return probing
  }

  return {
    name,
    query: ask,
    checkAvailable: breaker.checkAvailable,
    isPaused: breaker.isPaused,
    pendingProbe: breaker.pendingProbe,
    lastFailure: () => lastFailure,
    async isAnswering() {
      if (!breaker.checkAvailable()) return (await breaker.pendingProbe()) ?? false
      return clock.now() - lastAnswerAt < ANSWERED_RECENTLY_MS || probe()
    },
    close: transport.close,
  }
}

function isDnsMessage(contentType: string | undefined): boolean {
  if (contentType === DNS_MESSAGE_MEDIA_TYPE) return true
  return contentType?.split(';')[0]?.trim().toLowerCase() === DNS_MESSAGE_MEDIA_TYPE
}

/** SERVFAIL and the like are answers about the name; they say nothing against the resolver. */
function isResolversFault(answer: DnsAnswer): answer is Failed {
  return (
    answer.kind === 'failed' &&
    ['timeout', 'unreachable', 'http-status', 'malformed'].includes(answer.reason)
  )
}

/** A refusal too: a server that knows only some zones refuses the root. But SERVFAIL is no life. */
function isSignOfLife(answer: DnsAnswer): boolean {
  return answer.kind !== 'failed' || answer.reason === 'refused'
}
