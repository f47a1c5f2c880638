/** One DoH resolver: asks a question within a time limit and remembers how it has been doing. */
import { type Answer, type Failed, type FailureReason, failed, type Question } from '../dns.js'
import { canonicalName } from '../wire/name.js'
import { encodeQuery } from '../wire/query.js'
import { decodeResponse } from '../wire/response.js'
import { createBreaker } from './breaker.js'
import { type Cancel, DNS_MESSAGE, type Reply } from './connection.js'
import { type ConnectOptions, openConnection } from './open-connection.js'
import { retryAfterMs } from './retry-after.js'
import { createTransport } from './transport.js'

/** A question and its wire form, encoded once for whichever resolvers get it. */
export interface EncodedQuestion extends Question {
  readonly query: string
}

export interface Resolver {
  readonly name: string
  isAvailable(): boolean
  /** The probe under way, if the resolver has been failing. */
  recovery(): Promise<boolean> | null
  /** Calls `done` exactly once, unless cancelled before. */
  ask(question: EncodedQuestion, done: (answer: Answer) => void): Cancel
  /** Whether it answers at all, judged by its last answer or else by asking. */
  isAnswering(): Promise<boolean>
  close(): void
}

export interface Clock {
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Milliseconds since 1970. */
  readonly today: () => number
}

export interface ResolverOptions extends ConnectOptions {
  readonly clock: Clock
}

/** The root's name servers, which every resolver knows; the root can always be encoded. */
const PROBE = encodeQuestion({ name: '.', type: 'NS' }) as EncodedQuestion
const ANSWERED_RECENTLY_MS = 5_000

/** Asks for a name in its one spelling, whatever the caller's: answers are compared with it. */
export function encodeQuestion({ name: spelling, type }: Question): EncodedQuestion | null {
  const name = canonicalName(spelling)
  const query = name && encodeQuery({ name, type })
  return query ? { name, type, query } : null
}

export function createResolver(url: URL, options: ResolverOptions): Resolver {
  const { timeoutMs, clock } = options
  const name = url.host
  const pathPrefix = `${url.pathname}${url.search}${url.search ? '&' : '?'}dns=`
  const transport = createTransport((signal) => openConnection(url, options, signal))
  const breaker = createBreaker({ probe, now: clock.now })
  let lastAnswerAt = Number.NEGATIVE_INFINITY

  function ask(question: EncodedQuestion, done: (answer: Answer) => void): Cancel {
    const timer = setTimeout(() => {
      cancelRequest()
      transport.suspect()
      done(judged(failure('timeout', ` did not answer within ${timeoutMs} ms`)))
    }, timeoutMs)
    const cancelRequest = transport.get(pathPrefix + question.query, (reply) => {
      clearTimeout(timer)
      done(judged(interpret(reply, question)))
    })
    return () => {
      clearTimeout(timer)
      cancelRequest()
    }
  }

  /** Lets the answer count for or against the resolver. */
  function judged(answer: Answer): Answer {
    if (isResolversFault(answer)) breaker.failed()
    else {
      lastAnswerAt = clock.now()
      breaker.succeeded()
    }
    return answer
  }

  function failure(reason: FailureReason, whatItDid: string): Failed {
    return failed(reason, name + whatItDid, { resolver: name })
  }

  function interpret(reply: Reply, question: Question): Answer {
    if (reply.kind === 'broken') return failure(reply.reason, `: ${reply.detail}`)
    if (reply.status === 429 || reply.status === 503) {
      breaker.rest(retryAfterMs(reply.retryAfter, clock.today))
    }
    if (reply.status !== 200) return failure('http-status', ` answered with HTTP ${reply.status}`)
    if (!isDnsMessage(reply.contentType)) return failure('malformed', ' did not send a DNS message')
    return decodeResponse(reply.body, question, name)
  }

  function probe(): Promise<boolean> {
    return new Promise((resolve) => {
      ask(PROBE, (answer) => resolve(!isResolversFault(answer)))
    })
  }

  return {
    name,
    ask,
    isAvailable: breaker.isClosed,
    recovery: breaker.recovery,
    async isAnswering() {
      if (!breaker.isClosed()) return (await breaker.recovery()) ?? false
      return clock.now() - lastAnswerAt < ANSWERED_RECENTLY_MS || probe()
    },
    close: transport.close,
  }
}

function isDnsMessage(contentType: string | undefined): boolean {
  if (contentType === DNS_MESSAGE) return true
  return contentType?.split(';')[0]?.trim().toLowerCase() === DNS_MESSAGE
}

/** SERVFAIL and the like are answers about the name; they say nothing against the resolver. */
function isResolversFault(answer: Answer): boolean {
  return (
    answer.kind === 'failed' &&
    ['timeout', 'unreachable', 'http-status', 'malformed'].includes(answer.reason)
  )
}
