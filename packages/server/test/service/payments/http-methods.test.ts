/** Other HTTP methods and raw sockets: no free reports, no charges without one. */
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startHttpServer } from '../../../src/http/http-server.js'
import type { HttpEnv } from '../../../src/http/respond.js'
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
    ['with a payment', true],
  ])('%s returns the price and settles nothing', async (_, isPaying) => {
    const service = await openPaidService('in-process')
    const payment = await service.sign()
    const response = await service.send(ACME_SCORE_PATH, isPaying ? payment : undefined, {
      method: 'HEAD',
    })
    expect([response.status, response.text, response.settlement]).toEqual([402, '', null])
    expect(response.paymentRequired).toMatchObject({ error: 'payment_required', accepts: [{}] })
    expect([service.reportCount(), service.chain.methods, service.paymentOutcomes]).toEqual([
      0,
      [],
      [],
    ])
    await expectNotCharged(service)
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })

  test('for a delivered report returns the price, not the report', async () => {
    const service = await openPaidService('in-process')
    const headers = { 'PAYMENT-SIGNATURE': await service.sign() }
    await service.send(ACME_SCORE_PATH, undefined, { headers })
    const response = await service.send(ACME_SCORE_PATH, undefined, { method: 'HEAD', headers })
    expect([response.status, response.text, response.settlement]).toEqual([402, '', null])
  })
})

test('OPTIONS allows browsers to pay', async () => {
  const service = await openPaidService('in-process')
  const { status, headers, text } = await service.send(ACME_SCORE_PATH, undefined, {
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
  '%s returns 405, with or without a payment',
  async (method) => {
    const service = await openPaidService('in-process')
    const payment = await service.sign()
    for (const headers of [{}, { 'PAYMENT-SIGNATURE': payment }]) {
      const response = await service.send(ACME_SCORE_PATH, undefined, { method, headers })
      expect([response.status, response.body.code]).toEqual([405, 'method_not_allowed'])
      expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    }
    expect([service.reportCount(), service.chain.methods]).toEqual([0, []])
    await expectNotCharged(service)
  },
)

describe('over a socket', () => {
  async function serve(service: PaidService): Promise<number> {
    const front = new Hono<HttpEnv>().all('*', (c) => service.request(c.req.url, c.req.raw))
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

  /** Sends exactly these header lines and returns the response. */
  async function sendRaw(port: number, lines: readonly string[], method = 'GET') {
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

  test('accepts a payment sent to any host name', async () => {
    const service = await openPaidService('in-process')
    const port = await serve(service)
    const { paymentRequired } = await sendRaw(port, ['X-Forwarded-Host', 'evil.example'])
    expect(paymentRequired?.resource.url).toBe('https://mailgrade.example/v1/score')
    const payment = await service.payer.sign(paymentRequired)
    await expectDelivered(service, await sendRaw(port, ['payment-signature', payment]))
  })

  test('rejects two payments in two headers', async () => {
    const service = await openPaidService('in-process')
    const port = await serve(service)
    const lines = [
      'PAYMENT-SIGNATURE',
      await service.sign(),
      'PAYMENT-SIGNATURE',
      await service.sign(),
    ]
    const response = await sendRaw(port, lines)
    expect([response.status, response.body.code]).toEqual([400, 'malformed_payment'])
    const empty = await sendRaw(port, ['PAYMENT-SIGNATURE', ''])
    expect([empty.status, empty.body.code]).toEqual([400, 'malformed_payment'])
    await expectNotCharged(service)
  })

  test('HEAD with a payment settles nothing', async () => {
    const service = await openPaidService('in-process')
    const response = await sendRaw(
      await serve(service),
      ['PAYMENT-SIGNATURE', await service.sign()],
      'HEAD',
    )
    expect([response.status, response.text, response.settlement]).toEqual([402, '', null])
    await expectNotCharged(service)
  })

  test('rejects a payment of 100 KB and keeps running', async () => {
    const service = await openPaidService('in-process')
    const port = await serve(service)
    const socket = net.connect(port, '127.0.0.1')
    socket.write(`GET ${ACME_SCORE_PATH} HTTP/1.1\r\nHost: localhost\r\nPAYMENT-SIGNATURE: `)
    socket.write(`${'QUJD'.repeat(25_600)}\r\n\r\n`)
    const response = await text(socket)
    expect(response).toMatch(/^HTTP\/1\.1 431 /)
    expect(response).toContain('"code":"headers_too_large"')
    await expectDelivered(service, await sendRaw(port, ['PAYMENT-SIGNATURE', await service.sign()]))
  })
})

test('rejects payments during shutdown, and they stay usable', async () => {
  let isDraining = false
  const service = await openPaidService('in-process', { isDraining: () => isDraining })
  const payment = await service.sign()
  isDraining = true
  const response = await service.send(ACME_SCORE_PATH, payment)
  expect([response.status, response.body.code]).toEqual([503, 'shutting_down'])
  await expectNotCharged(service)
  isDraining = false
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
})
