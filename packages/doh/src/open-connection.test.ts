import { getEventListeners } from 'node:events'
import { type DohProtocol, startDohServer } from '@mailgrade/testing/doh-server'
import { createTestCertificate } from '@mailgrade/testing/test-certificate'
import { expect, onTestFinished, test } from 'vitest'
import type { DohResult } from './doh-connection.js'
import { openConnection } from './open-connection.js'

const certificate = await createTestCertificate()
const options = {
  timeoutMs: 20_000,
  tls: { ca: certificate.ca },
  http2Client: 'built-in' as const,
}

async function startServer(protocol: DohProtocol) {
  const server = await startDohServer('', protocol, certificate)
  onTestFinished(() => server.close())
  return server
}

test.each<DohProtocol>(['h2', 'http/1.1 over TLS', 'http/1.1'])(
  'a resolver that offers %s is spoken to like that',
  async (protocol) => {
    const server = await startServer(protocol)
    const closing = new AbortController()
    const connection = await openConnection(server.url, options, closing.signal)
    let version = ''
    server.respond = (exchange) => {
      version = exchange.request.httpVersion
      exchange.send()
    }
    // The root's name servers, encoded.
    const path = '/dns-query?dns=AAABIAABAAAAAAABAAACAAEAACkQAAAAAAAAAA'
    const reply = await new Promise<DohResult>((resolve) => connection.get(path, resolve))
    expect(reply).toMatchObject({ kind: 'response', status: 200 })
    expect(version).toBe(protocol === 'h2' ? '2.0' : '1.1')
    // A connection that is made must not be remembered by whoever could have stopped its making.
    expect(getEventListeners(closing.signal, 'abort')).toHaveLength(0)
    connection.close()
    await server.allClosed()
  },
)

test('a connection that is refused leaves nothing behind either', async () => {
  const server = await startDohServer('', 'h2', certificate)
  await server.close()
  const closing = new AbortController()
  await expect(openConnection(server.url, options, closing.signal)).rejects.toThrow('ECONNREFUSED')
  expect(getEventListeners(closing.signal, 'abort')).toHaveLength(0)
})

test('a resolver is known by its name, not only by its authority', async () => {
  const server = await startServer('h2')
  const tls = { ...options.tls, servername: 'elsewhere.test' }
  await expect(
    openConnection(server.url, { ...options, tls }, new AbortController().signal),
  ).rejects.toThrow('elsewhere.test')
})
