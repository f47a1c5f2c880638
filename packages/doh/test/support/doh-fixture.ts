/** Shared by the tests with faulty resolvers: a small zone, servers for it, and a client. */
import { type DohProtocol, type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import { createTestCertificate } from '@mailgrade/testing/server-directory'
import { onTestFinished, vi } from 'vitest'
import type { AbortableDns, DnsAnswer, RecordType } from '../../src/dns.js'
import { createDohDns, type DohDns, type DohDnsOptions } from '../../src/doh-dns.js'

export const DOH_PROTOCOLS: DohProtocol[] = ['h2', 'http/1.1 over TLS', 'http/1.1']

/** Every name under `acme.test` has this address, so each query can have its own name. */
const ZONE = `
$ORIGIN acme.test.
@ 60 A 192.0.2.7
* 60 A 192.0.2.7
`
export const FIXTURE_RECORDS = ['192.0.2.7']

const certificate = await createTestCertificate()

export async function startFixtureResolver(protocol: DohProtocol = 'h2'): Promise<DohServer> {
  const server = await startDohServer(ZONE, protocol, certificate)
  onTestFinished(() => server.close())
  return server
}

/** A client for these servers, in order; no hedge and long timeouts unless the test sets them. */
export function createFixtureDns(
  servers: readonly { readonly url: URL }[],
  options: Partial<DohDnsOptions> = {},
): DohDns {
  const dns = createDohDns({
    urls: servers.map(({ url }) => url),
    queryTimeoutMs: 20_000,
    hedgeAfterMs: 20_000,
    tls: { ca: certificate.ca },
    ...options,
  })
  onTestFinished(() => dns.close())
  return dns
}

/** Sends a query such as `A acme.test`. */
export function queryDns(
  dns: AbortableDns,
  query: string,
  signal?: AbortSignal,
): Promise<DnsAnswer> {
  const [type, name] = query.split(' ') as [RecordType, string]
  return dns.query(name, type, signal)
}

/** `count` queries, each for another name. */
export function distinctQueries(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `A host-${index}.acme.test`)
}

/** Timeouts fire only when the test advances the timers; the network is not affected. */
export function freezeTimeouts(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

/** Resolves when no timeout is left: that of a closed connection ends when its socket closes. */
export async function allTimeoutsStopped(): Promise<void> {
  while (vi.getTimerCount() > 0) await new Promise((resolve) => setImmediate(resolve))
}

/** A URL without a server. */
export async function createClosedServer(): Promise<{ url: URL }> {
  const server = await startDohServer('', 'http/1.1')
  await server.close()
  return { url: new URL(server.url.href.replace('http:', 'https:')) }
}

/** A clock that the test advances. */
export function createManualClock() {
  const clock = { ms: 1_000_000 }
  return {
    now: () => clock.ms,
    wallClock: () => Date.parse('2026-11-15T12:00:00Z') + clock.ms,
    advance(ms: number) {
      clock.ms += ms
    },
  }
}

/** Waits for every probe and returns whether each resolver answers. */
export function readResolverHealth({
  resolvers,
}: DohDns): Promise<{ name: string; isAnswering: boolean }[]> {
  return Promise.all(
    resolvers.map(async ({ name, isAnswering }) => ({ name, isAnswering: await isAnswering() })),
  )
}
