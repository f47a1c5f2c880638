/** The fix plan: a dollar for a plan, and nothing for anything else. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { expect, test } from 'vitest'
import { expectChallenge } from '../../support/paid-answers.js'
import { expectUnpaid, openShop, type Shop } from '../../support/paid-service.js'

const PATH = '/v1/fix-plan'
const ACME = `${PATH}?domain=acme.test`
const DOLLAR = 1_000_000n

async function expectPlan(shop: Shop, payment: string) {
  const { status, body, receipt } = await shop.ask(ACME, payment)
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
  expect(receipt).toMatchObject({ success: true, payer: shop.payer.address })
  expect(await shop.settlements(DOLLAR)).toEqual([receipt?.transaction])
  expect(await shop.earned()).toBe(DOLLAR)
}

test.each(['in-process', 'remote'] as const)('sold with the facilitator %s', async (kind) => {
  const shop = await openShop(kind)
  const payment = await shop.sign({}, ACME)
  await expectPlan(shop, payment)
  const again = await shop.ask(ACME, payment)
  expect([again.status, await shop.earned()]).toEqual([200, DOLLAR])
})

test('has a price, which a header can carry', async () => {
  const shop = await openShop('remote')
  const answer = await shop.ask(PATH)
  expectChallenge(answer, 'payment_required', '1000000')
  expect(answer.headers.get('payment-required')?.length).toBeLessThan(4_096)
})

test('a payment for a score does not buy it', async () => {
  const shop = await openShop('in-process')
  const cheap = await shop.sign({}, '/v1/score?domain=acme.test')
  expectChallenge(await shop.ask(ACME, cheap), 'wrong_amount', '1000000')
  await expectUnpaid(shop)
})

test.each([
  ['an unknown domain', 'nowhere.test', 404, 'unknown_domain'],
  ['a typo', 'acme..test', 400, 'invalid_input'],
])('%s costs nothing', async (_, domain, status, code) => {
  const shop = await openShop('in-process')
  const payment = await shop.sign({}, ACME)
  const answer = await shop.ask(`${PATH}?domain=${domain}`, payment)
  expect([answer.status, answer.body.code, answer.receipt]).toEqual([status, code, null])
  await expectUnpaid(shop)
  await expectPlan(shop, payment)
})

test.each<[string, FailureReason, number]>([
  ['NS acme.test', 'servfail', 502],
  ['TXT _dmarc.acme.test', 'timeout', 504],
])('a DNS that fails at %s with %s: %i, uncharged', async (question, reason, status) => {
  const failing: Record<string, FailureReason> = { [question]: reason }
  const shop = await openShop('in-process', { failing })
  const payment = await shop.sign({}, ACME)
  const answer = await shop.ask(ACME, payment)
  expect([answer.status, answer.receipt]).toEqual([status, null])
  await expectUnpaid(shop)
  delete failing[question]
  await expectPlan(shop, payment)
})
