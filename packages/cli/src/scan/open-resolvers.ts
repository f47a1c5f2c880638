/** The resolvers of a scan, with a rate that each of them accepts. */
import type { OpenDns } from '../command-line/command.js'
import { DEFAULT_RESOLVERS } from '../library.js'
import type { ScanResolver } from './scan-dns.js'

export interface OpenResolvers {
  readonly resolvers: readonly ScanResolver[]
  close(): void
}

/** Public resolvers publish no firm limits; about 100 queries per second have long been accepted. */
const PUBLIC_RATE = 100
/** A connection carries about 100 queries at once, so a faster resolver gets several. */
const FAST_CONNECTIONS = 4
const FAST_RATE = 1_000
/** A scan can wait: a slow answer is better than none. */
const QUERY_TIMEOUT_MS = 5_000

export function openResolvers(
  urls: readonly (string | URL)[] = DEFAULT_RESOLVERS,
  givenRate: number | undefined,
  openDns: OpenDns,
): OpenResolvers {
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
