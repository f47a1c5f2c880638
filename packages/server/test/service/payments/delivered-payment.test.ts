/** A sale that goes well, through either facilitator: one report, one payment, one receipt. */
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
  test('a payment signed by hand buys the report', async () => {
    const shop = await openPaidService(kind)
    const answer = await shop.send(ACME_SCORE_PATH, await shop.sign())
    await expectDelivered(shop, answer)
    expect(await shop.settlements()).toEqual([answer.settlement?.transaction])
    expect(await shop.chain.balanceOf(shop.payer.address)).toBe(1_000_000n - SCORE_PRICE_UNITS)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toMatchObject({ score: expect.any(Number), components: expect.any(Object) })
    expect([shop.reportCount(), shop.paymentOutcomes, shop.faults]).toEqual([1, ['sold'], []])
  })

  test('the client of x402 pays by itself', async () => {
    const shop = await openPaidService(kind)
    const asked: Request[] = []
    const paid = shop.payer.wrapFetch(async (request) => {
      asked.push(request as Request)
      return shop.request((request as Request).url, request as Request)
    })
    const answer = await readPaidResponse(await paid(`https://mailgrade.example${ACME_SCORE_PATH}`))
    await expectDelivered(shop, answer)
    expect(await shop.settlements()).toEqual([answer.settlement?.transaction])
    expect(asked.map(({ headers }) => headers.has('payment-signature'))).toEqual([false, true])
    expect(shop.reportCount()).toBe(1)
  })

  test('the same wallet buys again with a new payment', async () => {
    const shop = await openPaidService(kind)
    for (const count of [1n, 2n, 3n]) {
      expect((await shop.send(ACME_SCORE_PATH, await shop.sign())).status).toBe(200)
      expect(await shop.revenue()).toBe(count * SCORE_PRICE_UNITS)
    }
    expect(new Set(await shop.settlements()).size).toBe(3)
  })

  test('what a client adds to the terms, or writes in another case, does no harm', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign({
      accepted: {
        asset: shop.chain.token.toLowerCase(),
        payTo: shop.payee.toLowerCase(),
        extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'eip3009' },
      },
      payload: { resource: undefined, extensions: null },
    })
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  })
})

describe('the challenge', () => {
  const challengeOf = async (shop: PaidService, path: string, init: RequestInit = {}) => {
    const answer = await shop.send(path, undefined, init)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([402, 'no-store'])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    return answer
  }

  test('says what it costs, in the header and in the body', async () => {
    const shop = await openPaidService('remote')
    const { headers, body, paymentRequired, settlement } = await challengeOf(shop, ACME_SCORE_PATH)
    const { type, title, status, code, detail, requestId, ...mirrored } = body
    expect([type, status, code]).toEqual([
      'https://mailgrade.example/problems/payment-required',
      402,
      'payment_required',
    ])
    expect([title, detail, requestId]).toEqual([
      'Payment required',
      'Payment required: 0.01 USDC. Sign one of the offers in accepts and send it in PAYMENT-SIGNATURE.',
      headers.get('x-request-id'),
    ])
    expect(mirrored).toEqual(paymentRequired)
    expect(mirrored).toEqual({
      x402Version: 2,
      error: 'payment_required',
      resource: {
        url: 'https://mailgrade.example/v1/score',
        description: expect.stringMatching(/^.{20,500}$/),
        mimeType: 'application/json',
        serviceName: expect.stringMatching(/^[\x20-\x7e]{1,32}$/),
        tags: expect.any(Array),
      },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          amount: '10000',
          payTo: shop.payee,
          maxTimeoutSeconds: 120,
          extra: { name: 'USD Coin', version: '2' },
        },
      ],
      extensions: { bazaar: expect.any(Object) },
    })
    expect(settlement).toBeNull()
    expect(headers.get('payment-required')?.length).toBeLessThan(4_096)
    expect([shop.reportCount(), shop.facilitator.requests, shop.chain.methods]).toEqual([0, [], []])
    await expectNotCharged(shop)
  })

  test('is given without a domain, too: whoever looks for prices finds one', async () => {
    const shop = await openPaidService('remote')
    const { paymentRequired } = await challengeOf(shop, '/v1/score')
    expect(paymentRequired).toEqual((await challengeOf(shop, ACME_SCORE_PATH)).paymentRequired)
  })

  test('names us as we do, not as the caller does', async () => {
    const shop = await openPaidService('remote')
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const { text, paymentRequired } = await challengeOf(
      shop,
      `http://evil.example${ACME_SCORE_PATH}`,
      { headers },
    )
    expect(paymentRequired?.resource.url).toBe('https://mailgrade.example/v1/score')
    expect(text).not.toContain('evil')
  })

  test('comes back with the payment that answers it, well within what a header may hold', async () => {
    const shop = await openPaidService('remote')
    const payment = await shop.sign()
    expect(decodeBase64Json(payment)).toMatchObject({ x402Version: 2, extensions: { bazaar: {} } })
    expect(payment.length).toBeLessThan(8_192)
  })
})
