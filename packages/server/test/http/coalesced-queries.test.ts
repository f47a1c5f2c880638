import { setImmediate } from 'node:timers/promises'
import { createDohDns } from '@mailgrade/doh'
import { type DohExchange, startDohServer } from '@mailgrade/testing/doh-server'
import { afterEach, expect, test } from 'vitest'
import { createTestApp } from '../support/test-app.js'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

test('50 concurrent requests for one domain send its DNS queries once', async () => {
  const resolver = await startDohServer(
    'acme.example. MX 10 mx.acme.example.\nmx.acme.example. A 192.0.2.1',
    'http/1.1',
  )
  const dns = createDohDns({ urls: [resolver.url] })
  closing.push(resolver.close, dns.close)
  // The resolver holds its first answer until every request has arrived.
  const held = new Promise<DohExchange>((resolve) => {
    resolver.respond = resolve
  })
  const app = createTestApp(dns)

  const callers = Array.from({ length: 50 }, (_, index) =>
    app.from(`198.51.100.${index}`).get('/v1/mx?domain=acme.example'),
  )
  const exchange = await held
  await setImmediate()
  resolver.respond = (next) => next.send()
  exchange.send()

  const reports = await Promise.all(callers.map(async (caller) => (await caller).json()))
  expect(resolver.queries).toEqual(['MX acme.example', 'A mx.acme.example', 'AAAA mx.acme.example'])
  expect(reports).toHaveLength(50)
  for (const report of reports) {
    expect(report).toMatchObject({ status: 'pass', meta: { dnsQueries: 3 } })
  }

  // Nothing is cached: the next request queries again.
  await app.get('/v1/mx?domain=acme.example')
  expect(resolver.queries).toHaveLength(6)
})
