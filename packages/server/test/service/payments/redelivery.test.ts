/** One payment buys one report, however often it is sent. */
import { describe, expect, test } from 'vitest'
import { expectPaymentRequired } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  OTHER_SCORE_PATH,
  openPaidService,
} from '../../support/paid-service.js'
import { decodeBase64Json, encodeBase64Json } from '../../support/test-payer.js'

describe.each(['in-process', 'remote'] as const)('sent again: %s', (kind) => {
  test.each([
    ['the same way', ACME_SCORE_PATH],
    ['with another spelling', '/v1/score?domain=ACME.test.'],
    ['as an address on the domain', '/v1/score?x=1&domain=ann@acme.test'],
  ])('for the same report %s: the same answer, the same receipt, one charge', async (_, path) => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    const first = await shop.send(ACME_SCORE_PATH, payment)
    const methods = shop.chain.methods.length
    const again = await shop.send(path, payment)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'))
    expect(again.headers.get('cache-control')).toBe('no-store')
    expect([shop.reportCount(), shop.chain.methods.length - methods]).toEqual([1, 0])
    await expectDelivered(shop, again)
  })

  test('for another report: it is used', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    await shop.send(ACME_SCORE_PATH, payment)
    const answer = await shop.send(OTHER_SCORE_PATH, payment)
    expectPaymentRequired(answer, 'payment_already_used')
    expect([answer.settlement, shop.dns.queries.includes('MX other.test')]).toEqual([null, false])
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  })

  test('the same nonce under another signature gets nothing', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    await shop.send(ACME_SCORE_PATH, payment)
    const { authorization } = decodeBase64Json(payment).payload
    const signer = await shop.chain.newWallet()
    for (const overrides of [
      { authorization, signer },
      { authorization, signature: `0x${'ab'.repeat(65)}` },
      { authorization: { ...authorization, validBefore: String(authorization.validBefore - 1) } },
    ]) {
      const answer = await shop.send(ACME_SCORE_PATH, await shop.sign(overrides))
      expectPaymentRequired(answer, 'payment_already_used')
      expect([answer.settlement, answer.text.includes('acme.test')]).toEqual([null, false])
    }
    expect(shop.reportCount()).toBe(1)
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  })

  test('once it has expired it buys nothing, not even what it bought', async () => {
    let later = 0
    const shop = await openPaidService(kind, { wallClock: () => Date.now() + later })
    const payment = await shop.sign()
    expect((await shop.send(ACME_SCORE_PATH, payment)).status).toBe(200)
    later = 121_000
    const answer = await shop.send(ACME_SCORE_PATH, payment)
    expectPaymentRequired(answer, 'expired')
    expect([answer.settlement, shop.reportCount()]).toEqual([null, 1])
    expect(await shop.settlements()).toHaveLength(1)
  })

  test('fifty times at once: one is served, the others wait or get the same', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => shop.send(ACME_SCORE_PATH, payment)),
    )
    const served = answers.filter(({ status }) => status === 200)
    const waiting = answers.filter(({ status }) => status === 409)
    expect([served.length > 0, served.length + waiting.length]).toEqual([true, 50])
    expect(new Set(served.map(({ text }) => text)).size).toBe(1)
    for (const { body, headers, paymentRequired } of waiting) {
      expect([body.condition, headers.get('retry-after'), paymentRequired]).toEqual([
        'waiting',
        '2',
        null,
      ])
    }
    expect(shop.reportCount()).toBe(1)
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  })
})

test('what is written differently is still the same payment', async () => {
  const shop = await openPaidService('in-process')
  const payment = await shop.sign()
  const first = await shop.send(ACME_SCORE_PATH, payment)
  const { payload, ...rest } = decodeBase64Json(payment)
  const { from, nonce } = payload.authorization
  const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`
  const authorization = { ...payload.authorization, from: upper(from), nonce: upper(nonce) }
  const again = await shop.send(
    ACME_SCORE_PATH,
    encodeBase64Json({ ...rest, payload: { ...payload, authorization } }),
  )
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(await shop.settlements()).toHaveLength(1)
})
