/** The live `Dns`: DoH resolvers with failover, and one question asked once at a time. */
import type { ConnectionOptions } from 'node:tls'
import { type AbortableDns, type DnsAnswer, failed, type RecordType } from './dns.js'
import type { Cancel } from './doh-connection.js'
import {
  createDohResolver,
  type DohResolver,
  type OnAnswer,
  type ResolverClock,
  toEncodedQuery,
} from './doh-resolver.js'
import { queryWithFailover } from './failover.js'
import { createSingleFlight } from './single-flight.js'
import { canonicalName } from './wire/wire-name.js'

export interface DohDnsOptions {
  /** RFC 8484 endpoints in order of preference. */
  readonly urls: readonly URL[]
  readonly queryTimeoutMs?: number
  readonly hedgeAfterMs?: number
  readonly tls?: ConnectionOptions
  readonly clock?: ResolverClock
  readonly onAnswer?: OnAnswer
}

export interface DohDns extends AbortableDns {
  /** For whoever wants to know how they are. */
  readonly resolvers: readonly Pick<DohResolver, 'name' | 'isAnswering' | 'isPaused'>[]
  close(): void
}

const BAD_NAME = failed('bad-name', 'no DNS name can be written like this')

const systemClock: ResolverClock = { now: () => performance.now(), wallClock: () => Date.now() }

export function createDohDns({
  urls,
  queryTimeoutMs = 1_500,
  hedgeAfterMs = 300,
  tls = {},
  clock = systemClock,
  onAnswer = () => {},
}: DohDnsOptions): DohDns {
  const resolvers = urls.map((url) =>
    createDohResolver(url, { timeoutMs: queryTimeoutMs, tls, clock, onAnswer }),
  )
  const join = createSingleFlight()

  function ask(spelling: string, type: RecordType, signal?: AbortSignal): Promise<DnsAnswer> {
    const name = canonicalName(spelling)
    if (!name) return Promise.resolve(BAD_NAME)
    return join(`${type} ${name}`, (land) => start(name, type, land), signal)
  }

  /** Whoever joins others needs no question encoded. */
  function start(name: string, type: RecordType, land: (answer: DnsAnswer) => void): Cancel {
    const question = toEncodedQuery({ name, type })
    if (question) return queryWithFailover(resolvers, hedgeAfterMs, question, land)
    land(BAD_NAME)
    return () => {}
  }

  return {
    // The decoder yields the type it was asked for; the layers between carry every type alike.
    query: ask as AbortableDns['query'],
    resolvers,
    close() {
      for (const resolver of resolvers) resolver.close()
    },
  }
}
