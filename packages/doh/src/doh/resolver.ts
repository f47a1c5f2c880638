/** One DoH resolver: asks a question within a time limit and remembers how it has been doing. */
import { type Answer, type Failed, type FailureReason, failed, type Question } from '../dns.js'
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
  /** Whether questions are kept from it; starts no probe. */
  isResting(): boolean
  /** The probe under way, if the resolver has been failing. */
  recovery(): Promise<boolean> | null
  /** Calls `done` exactly once, unless cancelled before. */
  ask(question: EncodedQuestion, done: (answer: Answer) => void): Cancel
  /** What went wrong last, for whoever cannot be answered because it is resting. */
  lastFailure(): Failed | null
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

/** A question was answered, or had its time; `outcome` is the kind of answer, or why it failed. */
export type OnAnswer = (told: {
  readonly resolver: string
  readonly outcome: string
  readonly ms: number
}) => void

export interface ResolverOptions extends ConnectOptions {
  readonly clock: Clock
  readonly onAnswer: OnAnswer
}

/** The root's name servers, which every resolver knows; the root can always be encoded. */
const PROBE = encodeQuestion({ name: '.', type: 'NS' }) as EncodedQuestion
const ANSWERED_RECENTLY_MS = 5_000

/** The name must be in its one spelling: answers are compared with it. */
export function encodeQuestion(question: Question): EncodedQuestion | null {
  const query = encodeQuery(question)
  return query ? { name: question.name, type: question.type, query } : null
}

export function createResolver(url: URL, options: ResolverOptions): Resolver {
  const { timeoutMs, clock, onAnswer } = options
  const name = url.host
  const pathPrefix = `${url.pathname}${url.search}${url.search ? '&' : '?'}dns=`
  const transport = createTransport((signal) => openConnection(url, options, signal))
  const breaker = createBreaker({ probe, now: clock.now })
  let lastAnswerAt = Number.NEGATIVE_INFINITY
  let lastFailure: Failed | null = null
  let probing: Promise<boolean> | null = null

  function ask(question: EncodedQuestion, done: (answer: Answer) => void): Cancel {
    const askedAt = clock.now()
    const finish = (answer: Answer) => {
      const outcome = answer.kind === 'failed' ? answer.reason : answer.kind
      onAnswer({ resolver: name, outcome, ms: clock.now() - askedAt })
      done(judged(answer))
    }
    const timer = setTimeout(() => {
      cancelRequest()
      transport.suspect()
      finish(failure('timeout', ` did not answer within ${timeoutMs} ms`))
    }, timeoutMs)
    const cancelRequest = transport.get(pathPrefix + question.query, (reply) => {
      clearTimeout(timer)
      finish(interpret(reply, question))
    })
    return () => {
      clearTimeout(timer)
      cancelRequest()
    }
  }

  /** Lets the answer count for or against the resolver. */
  function judged(answer: Answer): Answer {
    if (isResolversFault(answer)) {
      lastFailure = answer
      breaker.failed()
    } else {
      if (isSignOfLife(answer)) lastAnswerAt = clock.now()
      breaker.succeeded()
    }
    return answer
  }

  function failure(reason: FailureReason, whatItDid: string): Failed {
    return failed(reason, name + whatItDid, { resolver: name })
  }

  function interpret(reply: Reply, question: Question): Answer {
    if (reply.kind === 'broken') return failure(reply.reason, `: ${reply.detail}`)
    const asksForRest = reply.status === 429 || (reply.status >= 500 && reply.retryAfter)
    if (asksForRest) breaker.rest(retryAfterMs(reply.retryAfter, clock.today))
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
    ask,
    isAvailable: breaker.isClosed,
    isResting: breaker.isOpen,
    recovery: breaker.recovery,
    lastFailure: () => lastFailure,
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
function isResolversFault(answer: Answer): answer is Failed {
  return (
    answer.kind === 'failed' &&
    ['timeout', 'unreachable', 'http-status', 'malformed'].includes(answer.reason)
  )
}

/** A refusal too: a server that knows only some zones refuses the root. But SERVFAIL is no life. */
function isSignOfLife(answer: Answer): boolean {
  return answer.kind !== 'failed' || answer.reason === 'refused'
}
