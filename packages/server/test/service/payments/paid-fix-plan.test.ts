/** The fix plan: a dollar for a plan, and nothing for anything else. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { expect, test } from 'vitest'
import { expectPaymentRequired } from '../../support/paid-responses.js'
import { expectNotCharged, openPaidService, type PaidService } from '../../support/paid-service.js'

const PATH = '/v1/fix-plan'
const ACME = `${PATH}?domain=acme.test`
const DOLLAR = 1_000_000n

async function expectPlan(shop: PaidService, payment: string) {
  const { status, body, settlement } = await shop.send(ACME, payment)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    domain: 'acme.test',
    sendsMail: true,
    current: { score: 68, grade: 'D' },
    projected: { score: 100, grade: 'A' },
    records: [
      {
        order: 1,
        action: 'create',
        name: 'mail._domainkey.acme.test',
        host: 'mail._domainkey',
        value: 'v=DKIM1; k=rsa; p={public-key}',
      },
      {
        order: 2,
        action: 'replace',
        name: '_dmarc.acme.test',
        value: 'v=DMARC1; p=reject; rua=mailto:dmarc@acme.test',
        replaces: ['v=DMARC1; p=reject'],
      },
      { order: 3, action: 'keep', type: 'MX', value: '10 mx.acme.test' },
      { order: 4, action: 'keep', type: 'TXT', value: 'v=spf1 mx -all' },
    ],
    rollout: [],
  })
  expect(settlement).toMatchObject({ success: true, payer: shop.payer.address })
  expect(await shop.settlements(DOLLAR)).toEqual([settlement?.transaction])
  expect(await shop.revenue()).toBe(DOLLAR)
}

test.each(['in-process', 'remote'] as const)('sold with the facilitator %s', async (kind) => {
  const shop = await openPaidService(kind)
  const payment = await shop.sign({}, ACME)
  await expectPlan(shop, payment)
  const again = await shop.send(ACME, payment)
  expect([again.status, await shop.revenue()]).toEqual([200, DOLLAR])
})

test('has a price, which a header can carry', async () => {
  const shop = await openPaidService('remote')
  const answer = await shop.send(PATH)
  expectPaymentRequired(answer, 'payment_required', '1000000')
  expect(answer.headers.get('payment-required')?.length).toBeLessThan(4_096)
})

test('a payment for a score does not buy it', async () => {
  const shop = await openPaidService('in-process')
  const cheap = await shop.sign({}, '/v1/score?domain=acme.test')
  expectPaymentRequired(await shop.send(ACME, cheap), 'wrong_amount', '1000000')
  await expectNotCharged(shop)
})

test.each([
  ['an unknown domain', 'nowhere.test', 404, 'unknown_domain'],
  ['a typo', 'acme..test', 400, 'invalid_input'],
])('%s costs nothing', async (_, domain, status, code) => {
  const shop = await openPaidService('in-process')
  const payment = await shop.sign({}, ACME)
  const answer = await shop.send(`${PATH}?domain=${domain}`, payment)
  expect([answer.status, answer.body.code, answer.settlement]).toEqual([status, code, null])
  await expectNotCharged(shop)
  await expectPlan(shop, payment)
})

test.each<[string, FailureReason, number]>([
  ['NS acme.test', 'servfail', 502],
  ['TXT _dmarc.acme.test', 'timeout', 504],
])('a DNS that fails at %s with %s: %i, uncharged', async (question, reason, status) => {
  const failing: Record<string, FailureReason> = { [question]: reason }
  const shop = await openPaidService('in-process', { failing })
  const payment = await shop.sign({}, ACME)
  const answer = await shop.send(ACME, payment)
  expect([answer.status, answer.settlement]).toEqual([status, null])
  await expectNotCharged(shop)
  delete failing[question]
  await expectPlan(shop, payment)
})
