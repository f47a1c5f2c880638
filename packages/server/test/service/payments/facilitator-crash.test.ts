/**
 * The facilitator is killed at every step. The caller gets 502 and never a new 402. Once it is up
 * again, the same payment gets the report that was prepared for it and is charged once.
 */
import { describe, expect, test } from 'vitest'
import { expectFacilitatorUnavailable } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  disconnectChain,
  expectDelivered,
  expectNotCharged,
  openPaidService,
  type PaidService,
} from '../../support/paid-service.js'

async function expectSoldAtLast(service: PaidService, payment: string, reports = 1): Promise<void> {
  const response = await service.send(ACME_SCORE_PATH, payment)
  await expectDelivered(service, response)
  expect(service.reportCount()).toBe(reports)
  const again = await service.send(ACME_SCORE_PATH, payment)
  expect([again.status, again.text, again.settlement]).toEqual([
    200,
    response.text,
    response.settlement,
  ])
  await expectDelivered(service, again)
}

describe('a remote facilitator', () => {
  const kind = 'remote'

  test('down before verify', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    service.facilitator.kill()
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    expect(service.reportCount()).toBe(0)
    await service.facilitator.restart()
    await expectSoldAtLast(service, payment)
  })

  test.each(['verify', 'verified'] as const)('killed at the step %s', async (step) => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    service.facilitator.killAt(step)
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    expect(service.reportCount()).toBe(0)
    await service.facilitator.restart()
    await expectSoldAtLast(service, payment)
  })

  test('killed during verify and up again at once: verify is retried', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    service.facilitator.restartAt('verify')
    await expectSoldAtLast(service, payment)
  })

  test('killed between verify and settle', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    service.onNextDnsQuery(service.facilitator.kill)
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    await expectNotCharged(service)
    await service.facilitator.restart()
    await expectSoldAtLast(service, payment)
  })

  test.each(['settle', 'sending'] as const)(
    'killed at the step %s: nothing was charged',
    async (step) => {
      const service = await openPaidService(kind)
      const payment = await service.sign()
      service.facilitator.killAt(step)
      expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
      await expectNotCharged(service)
      await service.facilitator.restart()
      await expectSoldAtLast(service, payment)
    },
  )

  test.each(['sent', 'settled'] as const)(
    'killed at the step %s: the chain shows the charge, and the report is delivered',
    async (step) => {
      const service = await openPaidService(kind)
      const payment = await service.sign()
      service.facilitator.killAt(step)
      await expectSoldAtLast(service, payment)
      const [transaction] = await service.settlements()
      const { settlement } = await service.send(ACME_SCORE_PATH, payment)
      expect(settlement?.transaction).toBe(transaction)
    },
  )

  test('killed while the transaction is pending, and it is mined later', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    await service.chain.holdMining()
    service.facilitator.killAt('sent')
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    await expectNotCharged(service)
    await service.chain.releaseMining()
    await service.facilitator.restart()
    await expectSoldAtLast(service, payment)
  })

  test('still down at the retry: 502 again', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    service.facilitator.killAt('settle')
    for (const _ of [1, 2, 3])
      expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    await service.facilitator.restart()
    await expectSoldAtLast(service, payment)
  })

  test('killed again at the second attempt', async () => {
    const service = await openPaidService(kind)
    const payment = await service.sign()
    for (const step of ['settle', 'sending'] as const) {
      service.facilitator.killAt(step)
      expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
      await service.facilitator.restart()
    }
    await expectSoldAtLast(service, payment)
  })
})

describe('the in-process facilitator, disconnected from the chain', () => {
  test('before verify', async () => {
    const service = await openPaidService('in-process')
    const payment = await service.sign()
    const heal = disconnectChain(service.chain)
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    expect([service.reportCount(), service.faults]).toEqual([0, []])
    heal()
    await expectSoldAtLast(service, payment)
  })

  test.each(['eth_getCode', 'eth_call'])('during verify: %s', async (method) => {
    const service = await openPaidService('in-process')
    const payment = await service.sign()
    const heal = service.chain.dropConnections(method)
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    expect([service.reportCount(), service.faults]).toEqual([0, []])
    heal()
    await expectSoldAtLast(service, payment)
  })

  test('between verify and settle', async () => {
    const service = await openPaidService('in-process')
    const payment = await service.sign()
    let heal = () => {}
    service.onNextDnsQuery(() => {
      heal = disconnectChain(service.chain)
    })
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment), 'no')
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment), 'no')
    heal()
    await expectNotCharged(service)
    // Nothing was sent, so the payment was free for any request.
    await expectSoldAtLast(service, payment, 2)
  })

  test.each([
    ['eth_estimateGas', 'before', 0, 'no'],
    ['eth_getTransactionCount', 'before', 0, 'no'],
    ['eth_sendRawTransaction', 'before', 0, 'unknown'],
    ['eth_sendRawTransaction', 'after', 1, 'delivered'],
    ['eth_getTransactionReceipt', 'before', 1, 'unknown'],
  ] as const)('during settle: %s, %s the call', async (method, when, settlements, outcome) => {
    const service = await openPaidService('in-process')
    const payment = await service.sign()
    const heal = service.chain.dropConnections(method, { when })
    const response = await service.send(ACME_SCORE_PATH, payment)
    if (outcome === 'delivered') await expectDelivered(service, response)
    else expectFacilitatorUnavailable(response, outcome)
    expect(await service.settlements()).toHaveLength(settlements)
    heal()
    await expectSoldAtLast(service, payment, outcome === 'no' ? 2 : 1)
    const { settlement } = await service.send(ACME_SCORE_PATH, payment)
    expect(await service.settlements()).toEqual([settlement?.transaction])
  })

  test('while the transaction is pending, and it is mined later', async () => {
    const service = await openPaidService('in-process')
    const payment = await service.sign()
    await service.chain.holdMining()
    const heal = service.chain.dropConnections('eth_getTransactionReceipt')
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    await expectNotCharged(service)
    heal()
    await service.chain.releaseMining()
    await expectSoldAtLast(service, payment)
  })
})
