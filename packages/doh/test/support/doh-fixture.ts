/** What the stories about faulty resolvers share: a small zone, servers, and our DNS over them. */

import { type DohProtocol, type DohServer, startDohServer } from '@mailgrade/testing/doh-server'
import { createTestCertificate } from '@mailgrade/testing/test-certificate'
import { onTestFinished, vi } from 'vitest'
import type { AbortableDns, DnsAnswer, RecordType } from '../../src/dns.js'
import { createDohDns, type DohDns, type DohDnsOptions } from '../../src/doh-dns.js'

export const DOH_PROTOCOLS: DohProtocol[] = ['h2', 'http/1.1 over TLS', 'http/1.1']

/** Every name under `acme.test` has this address, so that each question may have its own name. */
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

/** Our DNS over these servers, in order; no hedge and ample time unless the story is about them. */
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

/** Asks something like `A acme.test`. */
export function queryDns(
  dns: AbortableDns,
  question: string,
  signal?: AbortSignal,
): Promise<DnsAnswer> {
  const [type, name] = question.split(' ') as [RecordType, string]
  return dns.query(name, type, signal)
}

/** So many questions, each about another name. */
export function distinctQueries(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `A host-${index}.acme.test`)
}

/** Our time-outs pass only when the test says so; the network keeps its own time. */
export function freezeTimeouts(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

/** An address where nobody listens any more. */
export async function createClosedServer(): Promise<{ url: URL }> {
  const server = await startDohServer('', 'http/1.1')
  await server.close()
  return { url: new URL(server.url.href.replace('http:', 'https:')) }
}

/** A clock that moves only when told. */
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

/** Whether each resolver answers, known when every probe is over. */
export function readResolverHealth({
  resolvers,
}: DohDns): Promise<{ name: string; isAnswering: boolean }[]> {
  return Promise.all(
    resolvers.map(async ({ name, isAnswering }) => ({ name, isAnswering: await isAnswering() })),
  )
}
