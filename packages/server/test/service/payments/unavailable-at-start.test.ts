/** Payments cannot be taken when the service starts: everything else works, and they do once they can. */
import { expect, test } from 'vitest'
import {
  expectFacilitatorUnavailable,
  expectPaymentRequired,
} from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  disconnectChain,
  expectDelivered,
  expectNotCharged,
  openPaidService,
  type PaidService,
} from '../../support/paid-service.js'

/** The till is opened while nobody answers it. */
async function openWhileDown(kind: 'in-process' | 'remote', now: () => number) {
  const first = await openPaidService(kind, { now })
  const heal = disconnectChain(first.chain)
  first.facilitator.kill()
  const shop = await first.reopen()
  return {
    shop,
    async comeUp() {
      heal()
      await first.facilitator.restart()
    },
  }
}

async function paymentsOf(shop: PaidService): Promise<string> {
  const { status, body } = await shop.send('/readyz')
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
  expect((await shop.send('/v1/mx?domain=acme.test')).status).toBe(200)
  expectPaymentRequired(await shop.send(ACME_SCORE_PATH), 'payment_required')
  expectPaymentRequired(await shop.send('/v1/score'), 'payment_required')
  const payment = await shop.sign()
  const asked = shop.dns.queries.length
  expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
  expect([shop.dns.queries.length, shop.faults]).toEqual([asked, []])
  await expectNotCharged(shop)

  await comeUp()
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  later = 60_000
  expect(await paymentsOf(shop)).toBe('ready')
})
