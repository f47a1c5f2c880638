/** Other methods, and what comes over a real socket: nobody gets a report for free, nobody pays for none. */
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { HttpEnv } from '../../../src/http/http-env.js'
import { startHttpServer } from '../../../src/http/http-server.js'
import { readPaidResponse } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  openPaidService,
  type PaidService,
} from '../../support/paid-service.js'

describe('HEAD', () => {
  test.each([
    ['without a payment', false],
    ['with one', true],
  ])('%s: the price, and nothing is settled', async (_, isPaying) => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign()
    const answer = await shop.send(ACME_SCORE_PATH, isPaying ? payment : undefined, {
      method: 'HEAD',
    })
    expect([answer.status, answer.text, answer.settlement]).toEqual([402, '', null])
    expect(answer.paymentRequired).toMatchObject({ error: 'payment_required', accepts: [{}] })
    expect([shop.reportCount(), shop.chain.methods, shop.paymentOutcomes]).toEqual([0, [], []])
    await expectNotCharged(shop)
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  })

  test('of a report that was sold shows the price, not the report', async () => {
    const shop = await openPaidService('in-process')
    const headers = { 'PAYMENT-SIGNATURE': await shop.sign() }
    await shop.send(ACME_SCORE_PATH, undefined, { headers })
    const answer = await shop.send(ACME_SCORE_PATH, undefined, { method: 'HEAD', headers })
    expect([answer.status, answer.text, answer.settlement]).toEqual([402, '', null])
  })
})

test('OPTIONS lets browsers pay', async () => {
  const shop = await openPaidService('in-process')
  const { status, headers, text } = await shop.send(ACME_SCORE_PATH, undefined, {
    method: 'OPTIONS',
  })
  expect([status, text]).toEqual([204, ''])
  const listed = (name: string) => headers.get(name)?.toLowerCase().split(', ')
  expect(listed('access-control-allow-methods')).toEqual(['get', 'head', 'options'])
  expect(listed('access-control-allow-headers')).toEqual(
    expect.arrayContaining(['payment-signature', 'access-control-expose-headers']),
  )
  expect(listed('access-control-expose-headers')).toEqual(
    expect.arrayContaining(['payment-required', 'payment-response', 'retry-after']),
  )
  expect(headers.get('access-control-allow-origin')).toBe('*')
})

test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])(
  '%s is a 405, paid or not',
  async (method) => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign()
    for (const headers of [{}, { 'PAYMENT-SIGNATURE': payment }]) {
      const answer = await shop.send(ACME_SCORE_PATH, undefined, { method, headers })
      expect([answer.status, answer.body.code]).toEqual([405, 'method_not_allowed'])
      expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    }
    expect([shop.reportCount(), shop.chain.methods]).toEqual([0, []])
    await expectNotCharged(shop)
  },
)

describe('over a socket', () => {
  async function serve(shop: PaidService): Promise<number> {
    const front = new Hono<HttpEnv>().all('*', (c) => shop.request(c.req.url, c.req.raw))
    const server = await startHttpServer(front, {
      host: '127.0.0.1',
      port: 0,
      baseUrl: 'https://mailgrade.example',
      newRequestId: () => 'id-1',
      onClientError: () => {},
    })
    onTestFinished(() => server.stop(0, 0))
    return server.port
  }

  /** With these very header lines; resolves with what came back. */
  async function ask(port: number, lines: readonly string[], method = 'GET') {
    const headers = ['Host', `127.0.0.1:${port}`, ...lines]
    const request = http
      .request({ port, host: '127.0.0.1', path: ACME_SCORE_PATH, method, headers })
      .end()
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const init = {
      status: response.statusCode ?? 0,
      headers: response.headers as Record<string, string>,
    }
    const body = await text(response)
    return readPaidResponse(new Response(body === '' ? null : body, init))
  }

  test('a payment buys, whatever host it was sent to', async () => {
    const shop = await openPaidService('in-process')
    const port = await serve(shop)
    const { paymentRequired } = await ask(port, ['X-Forwarded-Host', 'evil.example'])
    expect(paymentRequired?.resource.url).toBe('https://mailgrade.example/v1/score')
    const payment = await shop.payer.sign(paymentRequired as never)
    await expectDelivered(shop, await ask(port, ['payment-signature', payment]))
  })

  test('two payments in two headers are none', async () => {
    const shop = await openPaidService('in-process')
    const port = await serve(shop)
    const lines = ['PAYMENT-SIGNATURE', await shop.sign(), 'PAYMENT-SIGNATURE', await shop.sign()]
    const answer = await ask(port, lines)
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_payment'])
    const empty = await ask(port, ['PAYMENT-SIGNATURE', ''])
    expect([empty.status, empty.body.code]).toEqual([400, 'malformed_payment'])
    await expectNotCharged(shop)
  })

  test('HEAD with a payment settles nothing', async () => {
    const shop = await openPaidService('in-process')
    const answer = await ask(await serve(shop), ['PAYMENT-SIGNATURE', await shop.sign()], 'HEAD')
    expect([answer.status, answer.text, answer.settlement]).toEqual([402, '', null])
    await expectNotCharged(shop)
  })

  test('a payment of 100 KB is refused, and the service goes on', async () => {
    const shop = await openPaidService('in-process')
    const port = await serve(shop)
    const socket = net.connect(port, '127.0.0.1')
    socket.write(`GET ${ACME_SCORE_PATH} HTTP/1.1\r\nHost: localhost\r\nPAYMENT-SIGNATURE: `)
    socket.write(`${'QUJD'.repeat(25_600)}\r\n\r\n`)
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(answer).toContain('"code":"headers_too_large"')
    await expectDelivered(shop, await ask(port, ['PAYMENT-SIGNATURE', await shop.sign()]))
  })
})

test('while the service shuts down, no sale is begun, and the payment stays good', async () => {
  let isDraining = false
  const shop = await openPaidService('in-process', { isDraining: () => isDraining })
  const payment = await shop.sign()
  isDraining = true
  const answer = await shop.send(ACME_SCORE_PATH, payment)
  expect([answer.status, answer.body.code]).toEqual([503, 'shutting_down'])
  await expectNotCharged(shop)
  isDraining = false
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
})
