/** One payment buys one report, however often it is sent. */
import { describe, expect, test } from 'vitest'
import { expectChallenge } from '../../support/paid-answers.js'
import { ACME, expectSold, OTHER, openShop } from '../../support/paid-service.js'
import { decode, encode } from '../../support/payer.js'

describe.each(['in-process', 'remote'] as const)('sent again: %s', (kind) => {
  test.each([
    ['the same way', ACME],
    ['with another spelling', '/v1/score?domain=ACME.test.'],
    ['as an address on the domain', '/v1/score?x=1&domain=ann@acme.test'],
  ])('for the same report %s: the same answer, the same receipt, one charge', async (_, path) => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    const first = await shop.ask(ACME, payment)
    const methods = shop.chain.methods.length
    const again = await shop.ask(path, payment)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect(again.headers.get('payment-response')).toBe(first.headers.get('payment-response'))
    expect(again.headers.get('cache-control')).toBe('no-store')
    expect([shop.reports(), shop.chain.methods.length - methods]).toEqual([1, 0])
    await expectSold(shop, again)
  })

  test('for another report: it is used', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    await shop.ask(ACME, payment)
    const answer = await shop.ask(OTHER, payment)
    expectChallenge(answer, 'payment_already_used')
    expect([answer.receipt, shop.dns.asked.includes('MX other.test')]).toEqual([null, false])
    await expectSold(shop, await shop.ask(ACME, payment))
  })

  test('the same nonce under another signature gets nothing', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    await shop.ask(ACME, payment)
    const { authorization } = decode(payment).payload
    const signer = await shop.chain.newWallet()
    for (const overrides of [
      { authorization, signer },
      { authorization, signature: `0x${'ab'.repeat(65)}` },
      { authorization: { ...authorization, validBefore: String(authorization.validBefore - 1) } },
    ]) {
      const answer = await shop.ask(ACME, await shop.sign(overrides))
      expectChallenge(answer, 'payment_already_used')
      expect([answer.receipt, answer.text.includes('acme.test')]).toEqual([null, false])
    }
    expect(shop.reports()).toBe(1)
    await expectSold(shop, await shop.ask(ACME, payment))
  })

  test('once it has expired it buys nothing, not even what it bought', async () => {
    let later = 0
    const shop = await openShop(kind, { wallClock: () => Date.now() + later })
    const payment = await shop.sign()
    expect((await shop.ask(ACME, payment)).status).toBe(200)
    later = 121_000
    const answer = await shop.ask(ACME, payment)
    expectChallenge(answer, 'expired')
    expect([answer.receipt, shop.reports()]).toEqual([null, 1])
    expect(await shop.settlements()).toHaveLength(1)
  })

  test('fifty times at once: one is served, the others wait or get the same', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    const answers = await Promise.all(Array.from({ length: 50 }, () => shop.ask(ACME, payment)))
    const served = answers.filter(({ status }) => status === 200)
    const waiting = answers.filter(({ status }) => status === 409)
    expect([served.length > 0, served.length + waiting.length]).toEqual([true, 50])
    expect(new Set(served.map(({ text }) => text)).size).toBe(1)
    for (const { body, headers, required } of waiting) {
      expect([body.condition, headers.get('retry-after'), required]).toEqual(['waiting', '2', null])
    }
    expect(shop.reports()).toBe(1)
    await expectSold(shop, await shop.ask(ACME, payment))
  })
})

test('what is written differently is still the same payment', async () => {
  const shop = await openShop('in-process')
  const payment = await shop.sign()
  const first = await shop.ask(ACME, payment)
  const { payload, ...rest } = decode(payment)
  const { from, nonce } = payload.authorization
  const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`
  const authorization = { ...payload.authorization, from: upper(from), nonce: upper(nonce) }
  const again = await shop.ask(ACME, encode({ ...rest, payload: { ...payload, authorization } }))
  expect([again.status, again.text]).toEqual([200, first.text])
  expect(await shop.settlements()).toHaveLength(1)
})
