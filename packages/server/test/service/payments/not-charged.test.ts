/** Responses without a charge; a payment that was sent stays usable. */

import type { FailureReason } from '@mailgrade/doh/dns'
import { expect, test } from 'vitest'
import { createMemoryState } from '../../../src/state/open-state.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  OTHER_SCORE_PATH,
  openPaidService,
  type PaidService,
} from '../../support/paid-service.js'

async function expectFree(
  service: PaidService,
  path: string,
  payment: string,
  expected: [number, string],
) {
  const response = await service.send(path, payment)
  expect([response.status, response.body.code]).toEqual(expected)
  expect([response.paymentRequired, response.settlement]).toEqual([null, null])
  await expectNotCharged(service)
  return response
}

test.each([
  ['not a domain', '/v1/score?domain=nonsense'],
  ['empty', '/v1/score?domain='],
  ['given twice', `${ACME_SCORE_PATH}&domain=acme.test`],
  ['missing', '/v1/score'],
])('returns 400 if the domain is %s, without reading the payment', async (_, path) => {
  const service = await openPaidService('in-process')
  const payment = await service.sign()
  const { body } = await expectFree(service, path, payment, [400, 'invalid_input'])
  expect(body.parameter).toBe('domain')
  expect([service.dns.queries, service.chain.methods, service.paymentOutcomes]).toEqual([
    [],
    [],
    [],
  ])
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
})

test.each(['nonsense', '', '192.0.2.1'])(
  'returns 400 for domain=%s without a payment too',
  async (domain) => {
    const service = await openPaidService('in-process')
    const { status, body, paymentRequired } = await service.send(`/v1/score?domain=${domain}`)
    expect([status, body.code, paymentRequired]).toEqual([400, 'invalid_input', null])
  },
)

test.each(['in-process', 'remote'] as const)(
  'returns 404 for a domain that does not exist (%s)',
  async (kind) => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    await expectFree(service, '/v1/score?domain=nowhere.test', payment, [404, 'unknown_domain'])
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  },
)

test.each<[number, string, FailureReason]>([
  [502, 'dns_unavailable', 'servfail'],
  [502, 'dns_unavailable', 'unreachable'],
  [504, 'dns_timeout', 'timeout'],
])('a DNS failure returns %i %s for %s', async (status, code, reason) => {
  const failing: Record<string, FailureReason> = { 'TXT acme.test': reason }
  const service = await openPaidService('in-process', { failing })
  const payment = await service.sign()
  await expectFree(service, ACME_SCORE_PATH, payment, [status, code])
  delete failing['TXT acme.test']
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  expect(service.paymentOutcomes).toEqual([code, 'delivered'])
})

test('returns 500 for an unexpected error, and the payment stays usable', async () => {
  const service = await openPaidService('in-process')
  const payment = await service.sign()
  service.onNextDnsQuery(() => {
    throw new TypeError('x is not a function')
  })
  await expectFree(service, ACME_SCORE_PATH, payment, [500, 'internal'])
  expect(service.faults).toHaveLength(1)
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  expect(service.paymentOutcomes).toEqual(['internal', 'delivered'])
})

test('returns 502 while gas costs more than the report, and the payment stays usable', async () => {
  const [now, wallClock] = [() => performance.now(), () => Date.now()]
  const state = createMemoryState({ config: { rateLimitPerMinute: 1_000 }, now, wallClock })
  const service = await openPaidService('in-process', { state })
  const payment = await service.sign()
  await service.chain.setBaseFee(10n ** 12n)
  const expected: [number, string] = [502, 'facilitator_unavailable']
  const { body } = await expectFree(service, ACME_SCORE_PATH, payment, expected)
  expect(body.charged).toBe('no')
  expect(service.chain.methods).not.toContain('eth_sendRawTransaction')
  await service.chain.setBaseFee(10n ** 9n)
  // An instance remembers for a second what gas costs.
  const later = await service.reopen()
  await expectDelivered(later, await later.send(ACME_SCORE_PATH, payment))
})

test('returns 409 while another request processes the payment', async () => {
  const service = await openPaidService('in-process')
  const payment = await service.sign()
  const waiting: unknown[] = []
  service.onNextDnsQuery(async () => {
    for (const path of [ACME_SCORE_PATH, OTHER_SCORE_PATH]) {
      const { status, body, headers, paymentRequired } = await service.send(path, payment)
      waiting.push([status, body.code, body.condition, paymentRequired, headers.get('retry-after')])
    }
    await expectNotCharged(service)
  })
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  const response = [409, 'report_not_ready', 'waiting', null, '2']
  expect(waiting).toEqual([response, response])
  expect(service.reportCount()).toBe(1)
})
