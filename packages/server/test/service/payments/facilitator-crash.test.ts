/**
 * Whoever settles is killed at every step. The caller hears 502 and never a new price; once all is
 * up again, the same payment buys the report that was made for it, and is charged once.
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

async function expectSoldAtLast(shop: PaidService, payment: string): Promise<void> {
  const answer = await shop.send(ACME_SCORE_PATH, payment)
  await expectDelivered(shop, answer)
  expect(shop.reportCount()).toBe(1)
  const again = await shop.send(ACME_SCORE_PATH, payment)
  expect([again.status, again.text, again.settlement]).toEqual([
    200,
    answer.text,
    answer.settlement,
  ])
  await expectDelivered(shop, again)
}

describe.each(['remote', 'remote-only'] as const)('a facilitator over HTTP (%s)', (kind) => {
  test('down before we ask', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    shop.facilitator.kill()
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    expect(shop.reportCount()).toBe(0)
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test.each(['verify', 'verified'] as const)('killed at the step %s', async (step) => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    shop.facilitator.killAt(step)
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    expect(shop.reportCount()).toBe(0)
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test('killed once while it verifies, and up again at once: nobody notices', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    shop.facilitator.restartAt('verify')
    await expectSoldAtLast(shop, payment)
  })

  test('killed between verifying and settling', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    shop.onNextDnsQuery(shop.facilitator.kill)
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    await expectNotCharged(shop)
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test.each(['settle', 'sending'] as const)(
    'killed at the step %s: nothing is on chain',
    async (step) => {
      const shop = await openPaidService(kind)
      const payment = await shop.sign()
      shop.facilitator.killAt(step)
      expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
      await expectNotCharged(shop)
      await shop.facilitator.restart()
      await expectSoldAtLast(shop, payment)
    },
  )

  test.each(['sent', 'settled'] as const)('killed at the step %s: it is paid', async (step) => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    shop.facilitator.killAt(step)
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    const [transaction] = await shop.settlements()
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
    const { settlement } = await shop.send(ACME_SCORE_PATH, payment)
    // Without a chain to ask nobody can name it.
    expect(settlement?.transaction).toBe(kind === 'remote' ? transaction : '')
  })

  test('killed when it is sent but not yet mined, which happens later', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    await shop.chain.holdMining()
    shop.facilitator.killAt('sent')
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    await expectNotCharged(shop)
    await shop.chain.releaseMining()
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test('asked again while it is still down: still unknown, still 502', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    shop.facilitator.killAt('settle')
    for (const _ of [1, 2, 3])
      expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test('killed again by the second attempt', async () => {
    const shop = await openPaidService(kind)
    const payment = await shop.sign()
    for (const step of ['settle', 'sending', 'sent'] as const) {
      shop.facilitator.killAt(step)
      expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
      await shop.facilitator.restart()
    }
    await expectSoldAtLast(shop, payment)
  })
})

describe('our own facilitator, cut off from the chain', () => {
  test('before it verifies', async () => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign()
    const heal = disconnectChain(shop.chain)
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    expect([shop.reportCount(), shop.faults]).toEqual([0, []])
    heal()
    await expectSoldAtLast(shop, payment)
  })

  test.each(['eth_getCode', 'eth_call'])('in the middle of it: %s', async (method) => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign()
    const heal = shop.chain.dropConnections(method)
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    expect([shop.reportCount(), shop.faults]).toEqual([0, []])
    heal()
    await expectSoldAtLast(shop, payment)
  })

  test('between verifying and settling', async () => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign()
    let heal = () => {}
    shop.onNextDnsQuery(() => {
      heal = disconnectChain(shop.chain)
    })
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    heal()
    await expectNotCharged(shop)
    await expectSoldAtLast(shop, payment)
  })

  test.each([
    ['eth_estimateGas', 'before', 0],
    ['eth_getTransactionCount', 'before', 0],
    ['eth_sendRawTransaction', 'before', 0],
    ['eth_sendRawTransaction', 'after', 1],
    ['eth_getTransactionReceipt', 'before', 1],
  ] as const)('while it settles: %s, %s it is done', async (method, when, settlements) => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign()
    const heal = shop.chain.dropConnections(method, { when })
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    expect(await shop.settlements()).toHaveLength(settlements)
    heal()
    await expectSoldAtLast(shop, payment)
    const { settlement } = await shop.send(ACME_SCORE_PATH, payment)
    expect(await shop.settlements()).toEqual([settlement?.transaction])
  })

  test('when it is sent but not yet mined, which happens later', async () => {
    const shop = await openPaidService('in-process')
    const payment = await shop.sign()
    await shop.chain.holdMining()
    const heal = shop.chain.dropConnections('eth_getTransactionReceipt')
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    await expectNotCharged(shop)
    heal()
    await shop.chain.releaseMining()
    await expectSoldAtLast(shop, payment)
  })
})
