/** Payments cannot be taken when the service starts: everything else works, and they do once they can. */
import { expect, test } from 'vitest'
import { expectChallenge, expectUnavailable } from '../../support/paid-answers.js'
import {
  ACME,
  cutOff,
  expectSold,
  expectUnpaid,
  openShop,
  type Shop,
} from '../../support/paid-service.js'

/** The till is opened while nobody answers it. */
async function openWhileDown(kind: 'in-process' | 'remote', now: () => number) {
  const first = await openShop(kind, { now })
  const heal = cutOff(first.chain)
  first.facilitator.kill()
  const shop = await first.reopened()
  return {
    shop,
    async comeUp() {
      heal()
      await first.facilitator.restart()
    },
  }
}

async function paymentsOf(shop: Shop): Promise<string> {
  const { status, body } = await shop.ask('/readyz')
  expect([status, body.status]).toEqual([200, 'ready'])
  return body.payments
}

test.each([
  ['in-process', 'the RPC endpoint does not answer'],
  ['remote', 'the facilitator does not answer'],
] as const)('%s: %s', async (kind, complaint) => {
  let later = 0
  const { shop, comeUp } = await openWhileDown(kind, () => performance.now() + later)
  expect(await paymentsOf(shop)).toBe(`unavailable: ${complaint}`)
  expect((await shop.ask('/v1/mx?domain=acme.test')).status).toBe(200)
  expectChallenge(await shop.ask(ACME), 'payment_required')
  expectChallenge(await shop.ask('/v1/score'), 'payment_required')
  const payment = await shop.sign()
  const asked = shop.dns.asked.length
  expectUnavailable(await shop.ask(ACME, payment))
  expect([shop.dns.asked.length, shop.faults]).toEqual([asked, []])
  await expectUnpaid(shop)

  await comeUp()
  await expectSold(shop, await shop.ask(ACME, payment))
  later = 60_000
  expect(await paymentsOf(shop)).toBe('ready')
})
