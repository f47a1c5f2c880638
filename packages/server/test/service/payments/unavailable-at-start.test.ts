/** Payments are unavailable at start: everything else works, and payments recover. */
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

/** Opens the payment backend while its server is down. */
async function openWhileDown(kind: 'in-process' | 'remote', now: () => number) {
  const first = await openPaidService(kind, { now })
  const heal = disconnectChain(first.chain)
  first.facilitator.kill()
  const service = await first.reopen()
  return {
    service,
    async comeUp() {
      heal()
      await first.facilitator.restart()
    },
  }
}

async function paymentsOf(service: PaidService): Promise<string> {
  const { status, body } = await service.send('/readyz')
  expect([status, body.status]).toEqual([200, 'ready'])
  return body.payments
}

test.each([
  ['in-process', 'the RPC endpoint does not answer'],
  ['remote', 'the facilitator does not answer'],
] as const)('%s: %s', async (kind, healthProblem) => {
  let later = 0
  const { service, comeUp } = await openWhileDown(kind, () => performance.now() + later)
  expect(await paymentsOf(service)).toBe(`unavailable: ${healthProblem}`)
  expect((await service.send('/v1/mx?domain=acme.test')).status).toBe(200)
  expectPaymentRequired(await service.send(ACME_SCORE_PATH), 'payment_required')
  expectPaymentRequired(await service.send('/v1/score'), 'payment_required')
  const payment = await service.sign()
  const queryCount = service.dns.queries.length
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
  expect([service.dns.queries.length, service.faults]).toEqual([queryCount, []])
  await expectNotCharged(service)

  await comeUp()
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  later = 60_000
  expect(await paymentsOf(service)).toBe('ready')
})
