/** One payment gets one report, however often it is sent. */
import { describe, expect, test } from 'vitest'
import { expectPaymentRequired } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  OTHER_SCORE_PATH,
  openPaidService,
} from '../../support/paid-service.js'
import { decodeBase64Json, encodeBase64Json } from '../../support/test-payer.js'

describe.each(['in-process', 'remote'] as const)('a payment sent again: %s', (kind) => {
  test.each([
    ['the same way', ACME_SCORE_PATH],
    ['with another spelling', '/v1/score?domain=ACME.test.'],
    ['as an address on the domain', '/v1/score?x=1&domain=ann@acme.test'],
  ])('for the same report %s: the same response and settlement, one charge', async (_, path) => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    const first = await service.send(ACME_SCORE_PATH, payment)
    const methods = service.chain.methods.length
    const again = await service.send(path, payment)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'))
    expect(again.headers.get('cache-control')).toBe('no-store')
    expect([service.reportCount(), service.chain.methods.length - methods]).toEqual([1, 0])
    await expectDelivered(service, again)
  })

  test('for another report is rejected as used', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    await service.send(ACME_SCORE_PATH, payment)
    const response = await service.send(OTHER_SCORE_PATH, payment)
    expectPaymentRequired(response, 'payment_already_used')
    expect([response.settlement, service.dns.queries.includes('MX other.test')]).toEqual([
      null,
      false,
    ])
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })

  test('with the same nonce and another signature is rejected', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    await service.send(ACME_SCORE_PATH, payment)
    const { authorization } = decodeBase64Json(payment).payload
    const signer = await service.chain.newWallet()
    for (const overrides of [
      { authorization, signer },
      { authorization, signature: `0x${'ab'.repeat(65)}` },
      { authorization: { ...authorization, validBefore: String(authorization.validBefore - 1) } },
    ]) {
      const response = await service.send(ACME_SCORE_PATH, await service.sign(overrides))
      expectPaymentRequired(response, 'payment_already_used')
      expect([response.settlement, response.text.includes('acme.test')]).toEqual([null, false])
    }
    expect(service.reportCount()).toBe(1)
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })

  test('after it has expired gets its report for a day, made again', async () => {
    let later = 0
    const service = await openPaidService(kind, { wallClock: () => Date.now() + later })
    const payment = await service.sign()
    expect((await service.send(ACME_SCORE_PATH, payment)).status).toBe(200)
    later = 86_400_000
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
    expectPaymentRequired(await service.send(OTHER_SCORE_PATH, payment), 'expired')
    expect(service.reportCount()).toBe(2)
    expect(await service.settlements()).toHaveLength(1)
  })

  test('fifty times at once gets one report; the others get 409 or the same report', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => service.send(ACME_SCORE_PATH, payment)),
    )
    const served = responses.filter(({ status }) => status === 200)
    const waiting = responses.filter(({ status }) => status === 409)
    expect([served.length > 0, served.length + waiting.length]).toEqual([true, 50])
    expect(new Set(served.map(({ text }) => text)).size).toBe(1)
    for (const { body, headers, paymentRequired } of waiting) {
      expect([body.condition, headers.get('retry-after'), paymentRequired]).toEqual([
        'waiting',
        '2',
        null,
      ])
    }
    expect(service.reportCount()).toBe(1)
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })
})

test('recognizes the same payment in another notation', async () => {
  const service = await openPaidService('in-process')
  const payment = await service.sign()
  const first = await service.send(ACME_SCORE_PATH, payment)
  const { payload, ...rest } = decodeBase64Json(payment)
  const { from, nonce } = payload.authorization
  const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`
  const value = `0${payload.authorization.value}`
  const authorization = { ...payload.authorization, from: upper(from), nonce: upper(nonce), value }
  const again = await service.send(
    ACME_SCORE_PATH,
    encodeBase64Json({ ...rest, payload: { ...payload, authorization } }),
  )
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(await service.settlements()).toHaveLength(1)
})
