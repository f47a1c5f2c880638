/** Concurrent payments through the in-process facilitator, which sends one transaction at a time. */
import { expect, test } from 'vitest'
import { expectFacilitatorUnavailable, type PaidResponse } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  OTHER_SCORE_PATH,
  openPaidService,
  type PaidService,
  SCORE_PRICE_UNITS,
} from '../../support/paid-service.js'
import { LIVE_ENV } from '../../support/test-app.js'
import { createTestPayer } from '../../support/test-payer.js'

/** Payments by several wallets, with the same number each. */
async function signPayments(
  service: PaidService,
  wallets: number,
  each: number,
): Promise<string[]> {
  const { paymentRequired } = await service.send(ACME_SCORE_PATH)
  const payers = await Promise.all(
    Array.from({ length: wallets }, () => createTestPayer(service.chain)),
  )
  return Promise.all(
    payers.flatMap(({ sign }) => Array.from({ length: each }, () => sign(paymentRequired))),
  )
}

/** A slow machine may refuse some as overloaded; nobody has paid for these, so they come again. */
async function sendUntilTaken(service: PaidService, payment: string): Promise<PaidResponse> {
  const response = await service.send(ACME_SCORE_PATH, payment)
  return response.status === 503 ? sendUntilTaken(service, payment) : response
}

const sendAll = (service: PaidService, payments: readonly string[]) =>
  Promise.all(payments.map((payment) => service.send(ACME_SCORE_PATH, payment)))

async function expectAllDelivered(
  service: PaidService,
  responses: readonly PaidResponse[],
): Promise<void> {
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  const receipts = responses.map(({ settlement }) => settlement?.transaction)
  expect(new Set(receipts).size).toBe(responses.length)
  expect([...receipts].sort()).toEqual([...(await service.settlements())].sort())
  expect(await service.revenue()).toBe(BigInt(responses.length) * SCORE_PRICE_UNITS)
}

test('settles eighty payments by twenty wallets once each, more than it works on at once', async () => {
  const service = await openPaidService('in-process')
  const payments = await signPayments(service, 20, 4)
  const responses = await Promise.all(payments.map((each) => sendUntilTaken(service, each)))
  await expectAllDelivered(service, responses)
  expect([service.reportCount(), service.faults]).toEqual([80, []])
})

test('a payment that would revert does not block the others', async () => {
  const service = await openPaidService('in-process')
  const payment = await service.sign()
  const others = await signPayments(service, 3, 3)
  let sent: Promise<PaidResponse[]> | undefined
  service.onNextDnsQuery(async () => {
    await service.payer.spendAll()
    sent = sendAll(service, others)
  })
  const rejected = await service.send(ACME_SCORE_PATH, payment)
  expect([rejected.status, rejected.body.error]).toEqual([402, 'insufficient_funds'])
  await expectAllDelivered(service, (await sent) ?? [])
})

test('a connection that breaks before the chain has a payment does not block the others', async () => {
  const service = await openPaidService('in-process')
  const payments = await signPayments(service, 3, 3)
  service.chain.dropConnections('eth_sendRawTransaction', { when: 'before', times: 1 })
  const responses = await sendAll(service, payments)
  const lost = responses.findIndex(({ status }) => status !== 200)
  expectFacilitatorUnavailable(responses[lost] as PaidResponse, 'unknown')
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(8)

  responses[lost] = await service.send(ACME_SCORE_PATH, payments[lost])
  await expectAllDelivered(service, responses)
  expect(service.reportCount()).toBe(9)
})

test('a connection that breaks after the chain has a payment blocks nobody', async () => {
  const service = await openPaidService('in-process')
  const payments = await signPayments(service, 3, 3)
  service.chain.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
  await expectAllDelivered(service, await sendAll(service, payments))
  expect(service.reportCount()).toBe(9)
})

test('does not charge a report that gets no permit in time, and the payment stays usable', async () => {
  const service = await openPaidService('in-process', {
    env: { ...LIVE_ENV, MAX_CONCURRENT_REPORTS: '1' },
  })
  const payment = await service.sign()
  let resume = () => {}
  const held = new Promise<void>((resolve) => {
    resume = resolve
  })
  const isRunning = new Promise<void>((resolve) => {
    service.onNextDnsQuery(() => {
      resolve()
      return held
    })
  })
  const slow = service.send('/v1/mx?domain=other.test')
  await isRunning

  const rejected = await service.send(ACME_SCORE_PATH, payment)
  expect(rejected).toMatchObject({
    status: 503,
    body: { code: 'overloaded', retryAfterSeconds: 2 },
  })
  await expectNotCharged(service)

  resume()
  await slow
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  expect((await service.send(OTHER_SCORE_PATH, payment)).status).toBe(402)
})

test('payments at once that share one balance cost no gas beyond what it pays for', async () => {
  const service = await openPaidService('in-process', { units: 20_000n })
  const payments = await Promise.all(Array.from({ length: 8 }, () => service.sign()))
  const responses = await Promise.all(payments.map((it) => service.send(ACME_SCORE_PATH, it)))
  const statuses = responses.map(({ status }) => status).toSorted()
  expect(statuses).toEqual([200, 200, 402, 402, 402, 402, 402, 402])
  const errors = responses.flatMap(({ status, body }) => (status === 402 ? [body.error] : []))
  expect(new Set(errors)).toEqual(new Set(['insufficient_funds']))
  expect(service.chain.methods.filter((it) => it === 'eth_sendRawTransaction')).toHaveLength(2)
})
