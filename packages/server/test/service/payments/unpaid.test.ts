/** Answers that nobody pays for; where a payment was sent, it is as good as before. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { expect, test } from 'vitest'
import {
  ACME,
  expectSold,
  expectUnpaid,
  OTHER,
  openShop,
  type Shop,
} from '../../support/paid-service.js'

async function expectFree(shop: Shop, path: string, payment: string, expected: [number, string]) {
  const answer = await shop.ask(path, payment)
  expect([answer.status, answer.body.code]).toEqual(expected)
  expect([answer.required, answer.receipt]).toEqual([null, null])
  await expectUnpaid(shop)
  return answer
}

test.each([
  ['not a domain', '/v1/score?domain=nonsense'],
  ['empty', '/v1/score?domain='],
  ['given twice', `${ACME}&domain=acme.test`],
  ['missing', '/v1/score'],
])('the domain is %s: 400, and nobody looks at the payment', async (_, path) => {
  const shop = await openShop('in-process')
  const payment = await shop.sign()
  const { body } = await expectFree(shop, path, payment, [400, 'invalid_input'])
  expect(body.parameter).toBe('domain')
  expect([shop.dns.asked, shop.chain.methods, shop.sales]).toEqual([[], [], []])
  await expectSold(shop, await shop.ask(ACME, payment))
})

test.each(['nonsense', '', '192.0.2.1'])(
  'domain=%s is a 400 without a payment, too',
  async (domain) => {
    const shop = await openShop('in-process')
    const { status, body, required } = await shop.ask(`/v1/score?domain=${domain}`)
    expect([status, body.code, required]).toEqual([400, 'invalid_input', null])
  },
)

test.each(['in-process', 'remote'] as const)(
  'a domain that is not there: 404 (%s)',
  async (kind) => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    await expectFree(shop, '/v1/score?domain=nowhere.test', payment, [404, 'unknown_domain'])
    await expectSold(shop, await shop.ask(ACME, payment))
  },
)

test.each<[number, string, FailureReason]>([
  [502, 'dns_unavailable', 'servfail'],
  [502, 'dns_unavailable', 'unreachable'],
  [504, 'dns_timeout', 'timeout'],
])('a DNS that fails: %i %s for %s', async (status, code, reason) => {
  const failing: Record<string, FailureReason> = { 'TXT acme.test': reason }
  const shop = await openShop('in-process', { failing })
  const payment = await shop.sign()
  await expectFree(shop, ACME, payment, [status, code])
  delete failing['TXT acme.test']
  await expectSold(shop, await shop.ask(ACME, payment))
  expect(shop.sales).toEqual([code, 'sold'])
})

test('a fault of ours: 500, and the payment is not lost', async () => {
  const shop = await openShop('in-process')
  const payment = await shop.sign()
  shop.duringWork(() => {
    throw new TypeError('x is not a function')
  })
  await expectFree(shop, ACME, payment, [500, 'internal'])
  expect(shop.faults).toHaveLength(1)
  await expectSold(shop, await shop.ask(ACME, payment))
  expect(shop.sales).toEqual(['internal', 'sold'])
})

test('a payment that is at work elsewhere: 409 until that is done', async () => {
  const shop = await openShop('in-process')
  const payment = await shop.sign()
  const waiting: unknown[] = []
  shop.duringWork(async () => {
    for (const path of [ACME, OTHER]) {
      const { status, body, headers, required } = await shop.ask(path, payment)
      waiting.push([status, body.code, body.condition, required, headers.get('retry-after')])
    }
    await expectUnpaid(shop)
  })
  await expectSold(shop, await shop.ask(ACME, payment))
  const answer = [409, 'report_not_ready', 'waiting', null, '2']
  expect(waiting).toEqual([answer, answer])
  expect(shop.reports()).toBe(1)
})
