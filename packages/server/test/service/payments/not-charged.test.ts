/** Answers that nobody pays for; where a payment was sent, it is as good as before. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { expect, test } from 'vitest'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  OTHER_SCORE_PATH,
  openPaidService,
  type PaidService,
} from '../../support/paid-service.js'

async function expectFree(
  shop: PaidService,
  path: string,
  payment: string,
  expected: [number, string],
) {
  const answer = await shop.send(path, payment)
  expect([answer.status, answer.body.code]).toEqual(expected)
  expect([answer.paymentRequired, answer.settlement]).toEqual([null, null])
  await expectNotCharged(shop)
  return answer
}

test.each([
  ['not a domain', '/v1/score?domain=nonsense'],
  ['empty', '/v1/score?domain='],
  ['given twice', `${ACME_SCORE_PATH}&domain=acme.test`],
  ['missing', '/v1/score'],
])('the domain is %s: 400, and nobody looks at the payment', async (_, path) => {
  const shop = await openPaidService('in-process')
  const payment = await shop.sign()
  const { body } = await expectFree(shop, path, payment, [400, 'invalid_input'])
  expect(body.parameter).toBe('domain')
  expect([shop.dns.queries, shop.chain.methods, shop.paymentOutcomes]).toEqual([[], [], []])
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
})

test.each(['nonsense', '', '192.0.2.1'])(
  'domain=%s is a 400 without a payment, too',
  async (domain) => {
    const shop = await openPaidService('in-process')
    const { status, body, paymentRequired } = await shop.send(`/v1/score?domain=${domain}`)
    expect([status, body.code, paymentRequired]).toEqual([400, 'invalid_input', null])
  },
)

test.each(['in-process', 'remote'] as const)(
  'a domain that is not there: 404 (%s)',
  async (kind) => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    await expectFree(shop, '/v1/score?domain=nowhere.test', payment, [404, 'unknown_domain'])
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  },
)

test.each<[number, string, FailureReason]>([
  [502, 'dns_unavailable', 'servfail'],
  [502, 'dns_unavailable', 'unreachable'],
  [504, 'dns_timeout', 'timeout'],
])('a DNS that fails: %i %s for %s', async (status, code, reason) => {
  const failing: Record<string, FailureReason> = { 'TXT acme.test': reason }
  const shop = await openPaidService('in-process', { failing })
  const payment = await shop.sign()
  await expectFree(shop, ACME_SCORE_PATH, payment, [status, code])
  delete failing['TXT acme.test']
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  expect(shop.paymentOutcomes).toEqual([code, 'delivered'])
})

test('a fault of ours: 500, and the payment is not lost', async () => {
  const shop = await openPaidService('in-process')
  const payment = await shop.sign()
  shop.onNextDnsQuery(() => {
    throw new TypeError('x is not a function')
  })
  await expectFree(shop, ACME_SCORE_PATH, payment, [500, 'internal'])
  expect(shop.faults).toHaveLength(1)
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  expect(shop.paymentOutcomes).toEqual(['internal', 'delivered'])
})

test('a payment that is at work elsewhere: 409 until that is done', async () => {
  const shop = await openPaidService('in-process')
  const payment = await shop.sign()
  const waiting: unknown[] = []
  shop.onNextDnsQuery(async () => {
    for (const path of [ACME_SCORE_PATH, OTHER_SCORE_PATH]) {
      const { status, body, headers, paymentRequired } = await shop.send(path, payment)
      waiting.push([status, body.code, body.condition, paymentRequired, headers.get('retry-after')])
    }
    await expectNotCharged(shop)
  })
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  const answer = [409, 'report_not_ready', 'waiting', null, '2']
  expect(waiting).toEqual([answer, answer])
  expect(shop.reportCount()).toBe(1)
})
