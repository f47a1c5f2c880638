/** `createDohDns`: DoH resolvers with failover; identical queries in flight share one request. */
import type { ConnectionOptions } from 'node:tls'
import { type AbortableDns, type DnsAnswer, failed, type RecordType, toQueryMethod } from './dns.js'
import type { Cancel } from './doh-connection.js'
import {
  createDohResolver,
  type DohResolver,
  type OnAnswer,
  type ResolverClock,
} from './doh-resolver.js'
import { queryWithFailover } from './failover.js'
import type { Http2Client } from './open-connection.js'
import { createSingleFlight } from './single-flight.js'
import { encodeQuery } from './wire/encode-query.js'
import { canonicalName } from './wire/wire-name.js'

export interface DohDnsOptions {
  /** RFC 8484 endpoints in order of preference. Plain `http:` is for resolvers on the same host. */
  readonly urls: readonly URL[]
  /** How long one resolver may take for one query, in milliseconds. Default 1500. */
  readonly queryTimeoutMs?: number
  /** After this many milliseconds without an answer, the next resolver is queried too. Default 300. */
  readonly hedgeAfterMs?: number
  /** TLS options for every connection, such as `ca`. */
  readonly tls?: ConnectionOptions
  /**
   * Which HTTP/2 client carries the queries: `built-in` is this package's own, which needs less
   * CPU time; `node:http2` is Node's. Default `built-in`.
   */
  readonly http2Client?: Http2Client
  /** Replaces the system's clocks, for tests. */
  readonly clock?: ResolverClock
  /** Called after every query to a resolver, for metrics. */
  readonly onAnswer?: OnAnswer
}

/** The health of one resolver. */
export type ResolverStatus = Pick<DohResolver, 'name' | 'isAnswering' | 'isPaused'>

/** A `Dns` over DoH resolvers. */
export interface DohDns extends AbortableDns {
  /** In the order of `urls`. */
  readonly resolvers: readonly ResolverStatus[]
  /** Closes every connection. Queries in flight fail as `unreachable`. */
  close(): void
}

const BAD_NAME = failed('bad-name', 'not a valid DNS name')

const systemClock: ResolverClock = { now: () => performance.now(), wallClock: () => Date.now() }

/** Creates a `Dns` that queries DoH resolvers. Connections open with the first query. */
export function createDohDns({
  urls,
  queryTimeoutMs = 1_500,
  hedgeAfterMs = 300,
  tls = {},
  http2Client = 'built-in',
  clock = systemClock,
  onAnswer = () => {},
}: DohDnsOptions): DohDns {
  const resolvers = urls.map((url) =>
    createDohResolver(url, { timeoutMs: queryTimeoutMs, tls, http2Client, clock, onAnswer }),
  )
  const joinFlight = createSingleFlight()

  function query(text: string, type: RecordType, signal?: AbortSignal): Promise<DnsAnswer> {
    const name = canonicalName(text)
    if (!name) return Promise.resolve(BAD_NAME)
    return joinFlight(`${type} ${name}`, (done) => start(name, type, done), signal)
  }

  function start(name: string, type: RecordType, done: (answer: DnsAnswer) => void): Cancel {
    const encoded = encodeQuery({ name, type })
    if (encoded) return queryWithFailover(resolvers, hedgeAfterMs, encoded, done)
    done(BAD_NAME)
    return () => {}
  }

  return {
    query: toQueryMethod(query),
    resolvers,
    close() {
      for (const resolver of resolvers) resolver.close()
    },
  }
}
