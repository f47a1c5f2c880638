/** The live `Dns`: DoH resolvers with failover, and one question asked once at a time. */
import type { ConnectionOptions } from 'node:tls'
import { type AbortableDns, type Answer, failed, type RecordType } from '../dns.js'
import { createSingleFlight } from '../single-flight.js'
import { askInOrder } from './failover.js'
import { type Clock, createResolver, encodeQuestion, type Resolver } from './resolver.js'

export interface DohOptions {
  /** RFC 8484 endpoints in order of preference. */
  readonly urls: readonly URL[]
  readonly questionTimeoutMs?: number
  readonly hedgeAfterMs?: number
  readonly tls?: ConnectionOptions
  readonly clock?: Clock
}

export interface DohDns extends AbortableDns {
  /** For whoever wants to know whether there is one that answers. */
  readonly resolvers: readonly Pick<Resolver, 'name' | 'isAnswering'>[]
  close(): void
}

const systemClock: Clock = { now: () => performance.now(), today: () => Date.now() }

export function createDohDns({
  urls,
  questionTimeoutMs = 1_500,
  hedgeAfterMs = 300,
  tls = {},
  clock = systemClock,
}: DohOptions): DohDns {
  const resolvers = urls.map((url) =>
    createResolver(url, { timeoutMs: questionTimeoutMs, tls, clock }),
  )
  const join = createSingleFlight()

  function ask(name: string, type: RecordType, signal?: AbortSignal): Promise<Answer> {
    const question = encodeQuestion({ name, type })
    if (!question)
      return Promise.resolve(failed('bad-name', 'no DNS name can be written like this'))
    return join(
      question.query,
      (done) => askInOrder(resolvers, hedgeAfterMs, question, done),
      signal,
    )
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
