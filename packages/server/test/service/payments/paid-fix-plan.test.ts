/** The fix plan: one dollar for a plan, no charge otherwise. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { expect, test } from 'vitest'
import { expectPaymentRequired } from '../../support/paid-responses.js'
import { expectNotCharged, openPaidService, type PaidService } from '../../support/paid-service.js'

const PATH = '/v1/fix-plan'
const ACME = `${PATH}?domain=acme.test`
const DOLLAR = 1_000_000n

async function expectPlan(service: PaidService, payment: string) {
  const { status, body, settlement } = await service.send(ACME, payment)
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
        value: 'v=DKIM1; k=rsa; p={mail-server-public-key}',
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
  expect(settlement).toMatchObject({ success: true, payer: service.payer.address })
  expect(await service.settlements(DOLLAR)).toEqual([settlement?.transaction])
  expect(await service.revenue()).toBe(DOLLAR)
}

test.each(['in-process', 'remote'] as const)(
  'is delivered with the facilitator %s',
  async (kind) => {
    const service = await openPaidService(kind)
    const payment = await service.sign({}, ACME)
    await expectPlan(service, payment)
    const again = await service.send(ACME, payment)
    expect([again.status, await service.revenue()]).toEqual([200, DOLLAR])
  },
)

test('has a price that fits into a header', async () => {
  const service = await openPaidService('remote')
  const response = await service.send(PATH)
  expectPaymentRequired(response, 'payment_required', '1000000')
  expect(response.headers.get('payment-required')?.length).toBeLessThan(4_096)
})

test('rejects a payment for a score', async () => {
  const service = await openPaidService('in-process')
  const cheap = await service.sign({}, '/v1/score?domain=acme.test')
  expectPaymentRequired(await service.send(ACME, cheap), 'wrong_amount', '1000000')
  await expectNotCharged(service)
})

test.each([
  ['an unknown domain', 'nowhere.test', 404, 'unknown_domain'],
  ['a typo', 'acme..test', 400, 'invalid_input'],
])('%s is not charged', async (_, domain, status, code) => {
  const service = await openPaidService('in-process')
  const payment = await service.sign({}, ACME)
  const response = await service.send(`${PATH}?domain=${domain}`, payment)
  expect([response.status, response.body.code, response.settlement]).toEqual([status, code, null])
  await expectNotCharged(service)
  await expectPlan(service, payment)
})

test.each<[string, FailureReason, number]>([
  ['NS acme.test', 'servfail', 502],
  ['TXT _dmarc.acme.test', 'timeout', 504],
])('a DNS failure at %s with %s returns %i without a charge', async (question, reason, status) => {
  const failing: Record<string, FailureReason> = { [question]: reason }
  const service = await openPaidService('in-process', { failing })
  const payment = await service.sign({}, ACME)
  const response = await service.send(ACME, payment)
  expect([response.status, response.settlement]).toEqual([status, null])
  await expectNotCharged(service)
  delete failing[question]
  await expectPlan(service, payment)
})
