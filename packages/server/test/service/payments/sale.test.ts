/** A sale that goes well, through either facilitator: one report, one payment, one receipt. */
import { describe, expect, test } from 'vitest'
import { readAnswer } from '../../support/paid-answers.js'
import {
  ACME,
  expectSold,
  expectUnpaid,
  openShop,
  PRICE,
  type Shop,
} from '../../support/paid-service.js'
import { decode } from '../../support/payer.js'

describe.each(['in-process', 'remote'] as const)('with the facilitator %s', (kind) => {
  test('a payment signed by hand buys the report', async () => {
    const shop = await openShop(kind)
    const answer = await shop.ask(ACME, await shop.sign())
    await expectSold(shop, answer)
    expect(await shop.settlements()).toEqual([answer.receipt?.transaction])
    expect(await shop.chain.balanceOf(shop.payer.address)).toBe(1_000_000n - PRICE)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.body).toMatchObject({ score: expect.any(Number), components: expect.any(Object) })
    expect([shop.reports(), shop.sales, shop.faults]).toEqual([1, ['sold'], []])
  })

  test('the client of x402 pays by itself', async () => {
    const shop = await openShop(kind)
    const asked: Request[] = []
    const paid = shop.payer.fetchWith(async (request) => {
      asked.push(request as Request)
      return shop.request((request as Request).url, request as Request)
    })
    const answer = await readAnswer(await paid(`https://mailgrade.example${ACME}`))
    await expectSold(shop, answer)
    expect(await shop.settlements()).toEqual([answer.receipt?.transaction])
    expect(asked.map(({ headers }) => headers.has('payment-signature'))).toEqual([false, true])
    expect(shop.reports()).toBe(1)
  })

  test('the same wallet buys again with a new payment', async () => {
    const shop = await openShop(kind)
    for (const count of [1n, 2n, 3n]) {
      expect((await shop.ask(ACME, await shop.sign())).status).toBe(200)
      expect(await shop.earned()).toBe(count * PRICE)
    }
    expect(new Set(await shop.settlements()).size).toBe(3)
  })

  test('what a client adds to the terms, or writes in another case, does no harm', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign({
      accepted: {
        asset: shop.chain.token.toLowerCase(),
        payTo: shop.payee.toLowerCase(),
        extra: { name: 'USD Coin', version: '2', assetTransferMethod: 'eip3009' },
      },
      payload: { resource: undefined, extensions: null },
    })
    await expectSold(shop, await shop.ask(ACME, payment))
  })
})

describe('the challenge', () => {
  const challengeOf = async (shop: Shop, path: string, init: RequestInit = {}) => {
    const answer = await shop.ask(path, undefined, init)
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([402, 'no-store'])
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    return answer
  }

  test('says what it costs, in the header and in the body', async () => {
    const shop = await openShop('remote')
    const { headers, body, required, receipt } = await challengeOf(shop, ACME)
    const { type, title, status, code, detail, requestId, ...mirrored } = body
    expect([type, status, code]).toEqual([
      'https://mailgrade.example/problems/payment-required',
      402,
      'payment_required',
    ])
    expect([title, detail, requestId]).toEqual([
      'This report has a price',
      'Sign one of the offers in accepts and send it in PAYMENT-SIGNATURE.',
      headers.get('x-request-id'),
    ])
    expect(mirrored).toEqual(required)
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
    expect(receipt).toBeNull()
    expect(headers.get('payment-required')?.length).toBeLessThan(4_096)
    expect([shop.reports(), shop.facilitator.asked, shop.chain.methods]).toEqual([0, [], []])
    await expectUnpaid(shop)
  })

  test('is given without a domain, too: whoever looks for prices finds one', async () => {
    const shop = await openShop('remote')
    const { required } = await challengeOf(shop, '/v1/score')
    expect(required).toEqual((await challengeOf(shop, ACME)).required)
  })

  test('names us as we do, not as the caller does', async () => {
    const shop = await openShop('remote')
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    const { text, required } = await challengeOf(shop, `http://evil.example${ACME}`, { headers })
    expect(required?.resource.url).toBe('https://mailgrade.example/v1/score')
    expect(text).not.toContain('evil')
  })

  test('comes back with the payment that answers it, well within what a header may hold', async () => {
    const shop = await openShop('remote')
    const payment = await shop.sign()
    expect(decode(payment)).toMatchObject({ x402Version: 2, extensions: { bazaar: {} } })
    expect(payment.length).toBeLessThan(8_192)
  })
})
