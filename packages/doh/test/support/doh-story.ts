/** What the stories about faulty resolvers share: a small zone, servers, and our DNS over them. */

import { createCertificate } from '@mailgrade/testing/certificate'
import { type DohServer, type Protocol, startDohServer } from '@mailgrade/testing/doh-server'
import { onTestFinished, vi } from 'vitest'
import type { AbortableDns, Answer, RecordType } from '../../src/dns.js'
import { createDohDns, type DohDns, type DohOptions } from '../../src/doh/doh-dns.js'

export const PROTOCOLS: Protocol[] = ['h2', 'http/1.1 over TLS', 'http/1.1']

/** Every name under `acme.test` has this address, so that each question may have its own name. */
const ZONE = `
$ORIGIN acme.test.
@ 60 A 192.0.2.7
* 60 A 192.0.2.7
`
export const ADDRESS = ['192.0.2.7']

const certificate = await createCertificate()

export async function startServer(protocol: Protocol = 'h2'): Promise<DohServer> {
  const server = await startDohServer(ZONE, protocol, certificate)
  onTestFinished(() => server.close())
  return server
}

/** Our DNS over these servers, in order; no hedge and ample time unless the story is about them. */
export function createDns(
  servers: readonly { readonly url: URL }[],
  options: Partial<DohOptions> = {},
): DohDns {
  const dns = createDohDns({
    urls: servers.map(({ url }) => url),
    questionTimeoutMs: 20_000,
    hedgeAfterMs: 20_000,
    tls: { ca: certificate.ca },
    ...options,
  })
  onTestFinished(() => dns.close())
  return dns
}

/** Asks something like `A acme.test`. */
export function ask(dns: AbortableDns, question: string, signal?: AbortSignal): Promise<Answer> {
  const [type, name] = question.split(' ') as [RecordType, string]
  return dns.ask(name, type, signal)
}

/** So many questions, each about another name. */
export function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `A host-${index}.acme.test`)
}

/** Our time-outs pass only when the test says so; the network keeps its own time. */
export function holdTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

/** An address where nobody listens any more. */
export async function startNobody(): Promise<{ url: URL }> {
  const server = await startDohServer('', 'http/1.1')
  await server.close()
  return { url: new URL(server.url.href.replace('http:', 'https:')) }
}

/** A clock that moves only when told. */
export function createClock() {
  const clock = { ms: 1_000_000 }
  return {
    now: () => clock.ms,
    today: () => Date.parse('2026-11-15T12:00:00Z') + clock.ms,
    advance(ms: number) {
      clock.ms += ms
    },
  }
}

/** Whether each resolver answers, known when every probe is over. */
export function health({ resolvers }: DohDns): Promise<{ name: string; isAnswering: boolean }[]> {
  return Promise.all(
    resolvers.map(async ({ name, isAnswering }) => ({ name, isAnswering: await isAnswering() })),
  )
}
