/** A successful payment with either facilitator: one report, one charge, one settlement. */
import { describe, expect, test } from 'vitest'
import { readPaidResponse } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  openPaidService,
  type PaidService,
  SCORE_PRICE_UNITS,
} from '../../support/paid-service.js'
import { decodeBase64Json } from '../../support/test-payer.js'

describe.each(['in-process', 'remote'] as const)('with the facilitator %s', (kind) => {
  test('delivers the report for a payment signed by hand', async () => {
    const service = await openPaidService(kind)
    const response = await service.send(ACME_SCORE_PATH, await service.sign())
    await expectDelivered(service, response)
    expect(await service.settlements()).toEqual([response.settlement?.transaction])
    expect(await service.chain.balanceOf(service.payer.address)).toBe(
      1_000_000n - SCORE_PRICE_UNITS,
    )
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.body).toMatchObject({
      score: expect.any(Number),
      components: expect.any(Object),
    })
    expect([service.reportCount(), service.paymentOutcomes, service.faults]).toEqual([
      1,
      ['delivered'],
      [],
    ])
  })

  test('works with the official x402 client', async () => {
    const service = await openPaidService(kind)
    const requests: Request[] = []
    const paid = service.payer.wrapFetch(async (request) => {
      requests.push(request as Request)
      return service.request((request as Request).url, request as Request)
    })
    const response = await readPaidResponse(
      await paid(`https://mailgrade.example${ACME_SCORE_PATH}`),
    )
    await expectDelivered(service, response)
    expect(await service.settlements()).toEqual([response.settlement?.transaction])
    expect(requests.map(({ headers }) => headers.has('payment-signature'))).toEqual([false, true])
    expect(service.reportCount()).toBe(1)
  })

  test('accepts another payment from the same wallet', async () => {
    const service = await openPaidService(kind)
    for (const count of [1n, 2n, 3n]) {
      expect((await service.send(ACME_SCORE_PATH, await service.sign())).status).toBe(200)
      expect(await service.revenue()).toBe(count * SCORE_PRICE_UNITS)
    }
    expect(new Set(await service.settlements()).size).toBe(3)
  })

  test('accepts additions to the terms and other letter case', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign({
      accepted: {
        asset: service.chain.token.toLowerCase(),
        payTo: service.payee.toLowerCase(),
        extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'eip3009' },
      },
      payload: { resource: undefined, extensions: null },
    })
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })
})

describe('PAYMENT-REQUIRED', () => {
  const challengeOf = async (service: PaidService, path: string, init: RequestInit = {}) => {
    const response = await service.send(path, undefined, init)
    expect([response.status, response.headers.get('cache-control')]).toEqual([402, 'no-store'])
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    return response
  }

  test('states the price in the header and the body', async () => {
    const service = await openPaidService('remote')
    const { headers, body, paymentRequired, settlement } = await challengeOf(
      service,
      ACME_SCORE_PATH,
    )
    const { type, title, status, code, detail, requestId, ...mirrored } = body
    expect([type, status, code]).toEqual([
      'https://mailgrade.example/problems/payment-required',
      402,
      'payment_required',
    ])
    expect([title, detail, requestId]).toEqual([
      'Payment required',
      'This report costs one US cent (0.01 USDC). Sign one of the offers in accepts and send it in PAYMENT-SIGNATURE.',
      headers.get('x-request-id'),
    ])
    expect(mirrored).toEqual(paymentRequired)
    expect(mirrored).toEqual({
      x402Version: 2,
      error: 'payment_required',
      resource: {
        url: 'https://mailgrade.example/v1/score',
        description: expect.stringMatching(/^.{20,400}$/),
        mimeType: 'application/json',
        serviceName: expect.stringMatching(/^[\x20-\x7e]{1,32}$/),
        tags: expect.any(Array),
        iconUrl: 'https://mailgrade.example/favicon.svg',
      },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          amount: '10000',
          payTo: service.payee,
          maxTimeoutSeconds: 120,
          extra: { name: 'USD Coin', version: '2' },
        },
      ],
      extensions: {
        bazaar: expect.any(Object),
        'payment-identifier': expect.objectContaining({ info: { required: false } }),
      },
    })
    expect(settlement).toBeNull()
    expect(headers.get('payment-required')?.length).toBeLessThan(4_096)
    expect([service.reportCount(), service.facilitator.requests, service.chain.methods]).toEqual([
      0,
      [],
      [],
    ])
    await expectNotCharged(service)
  })

  test('is returned without a domain too, for price discovery', async () => {
    const service = await openPaidService('remote')
    const { paymentRequired } = await challengeOf(service, '/v1/score')
    expect(paymentRequired).toEqual((await challengeOf(service, ACME_SCORE_PATH)).paymentRequired)
  })

  test('uses our own URL, not the host of the request', async () => {
    const service = await openPaidService('remote')
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const { text, paymentRequired } = await challengeOf(
      service,
      `http://evil.example${ACME_SCORE_PATH}`,
      { headers },
    )
    expect(paymentRequired?.resource.url).toBe('https://mailgrade.example/v1/score')
    expect(text).not.toContain('evil')
  })

  test('and the payment that echoes it fit into headers', async () => {
    const service = await openPaidService('remote')
    const payment = await service.sign()
    expect(decodeBase64Json(payment)).toMatchObject({ x402Version: 2, extensions: { bazaar: {} } })
    expect(payment.length).toBeLessThan(8_192)
  })
})
