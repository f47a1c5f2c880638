/** The live `Dns`: DoH resolvers with failover, and one question asked once at a time. */
import type { ConnectionOptions } from 'node:tls'
import { type AbortableDns, type Answer, failed, type RecordType } from '../dns.js'
import { createSingleFlight } from '../single-flight.js'
import { canonicalName } from '../wire/name.js'
import type { Cancel } from './connection.js'
import { askInOrder } from './failover.js'
import {
  type Clock,
  createResolver,
  encodeQuestion,
  type OnAnswer,
  type Resolver,
} from './resolver.js'

export interface DohOptions {
  /** RFC 8484 endpoints in order of preference. */
  readonly urls: readonly URL[]
  readonly questionTimeoutMs?: number
  readonly hedgeAfterMs?: number
  readonly tls?: ConnectionOptions
  readonly clock?: Clock
  readonly onAnswer?: OnAnswer
}

export interface DohDns extends AbortableDns {
  /** For whoever wants to know how they are. */
  readonly resolvers: readonly Pick<Resolver, 'name' | 'isAnswering' | 'isResting'>[]
  close(): void
}

const BAD_NAME = failed('bad-name', 'no DNS name can be written like this')

const systemClock: Clock = { now: () => performance.now(), today: () => Date.now() }

export function createDohDns({
  urls,
  questionTimeoutMs = 1_500,
  hedgeAfterMs = 300,
  tls = {},
  clock = systemClock,
  onAnswer = () => {},
}: DohOptions): DohDns {
  const resolvers = urls.map((url) =>
    createResolver(url, { timeoutMs: questionTimeoutMs, tls, clock, onAnswer }),
  )
  const join = createSingleFlight()

  function ask(spelling: string, type: RecordType, signal?: AbortSignal): Promise<Answer> {
    const name = canonicalName(spelling)
    if (!name) return Promise.resolve(BAD_NAME)
    return join(`${type} ${name}`, (land) => start(name, type, land), signal)
  }

  /** Whoever joins others needs no question encoded. */
  function start(name: string, type: RecordType, land: (answer: Answer) => void): Cancel {
    const question = encodeQuestion({ name, type })
    if (question) return askInOrder(resolvers, hedgeAfterMs, question, land)
    land(BAD_NAME)
    return () => {}
  }

  return {
    // The decoder yields the type it was asked for; the layers between carry every type alike.
    ask: ask as AbortableDns['ask'],
    resolvers,
    close() {
      for (const resolver of resolvers) resolver.close()
    },
  }
}
