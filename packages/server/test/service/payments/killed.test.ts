/**
 * Whoever settles is killed at every step. The caller hears 502 and never a new price; once all is
 * up again, the same payment buys the report that was made for it, and is charged once.
 */
import { describe, expect, test } from 'vitest'
import { expectUnavailable } from '../../support/paid-answers.js'
import {
  ACME,
  cutOff,
  expectSold,
  expectUnpaid,
  openShop,
  type Shop,
} from '../../support/paid-service.js'

async function expectSoldAtLast(shop: Shop, payment: string): Promise<void> {
  const answer = await shop.ask(ACME, payment)
  await expectSold(shop, answer)
  expect(shop.reports()).toBe(1)
  const again = await shop.ask(ACME, payment)
  expect([again.status, again.text, again.receipt]).toEqual([200, answer.text, answer.receipt])
  await expectSold(shop, again)
}

describe.each(['remote', 'remote-only'] as const)('a facilitator over HTTP (%s)', (kind) => {
  test('down before we ask', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    shop.facilitator.kill()
    expectUnavailable(await shop.ask(ACME, payment))
    expect(shop.reports()).toBe(0)
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test.each(['verify', 'verified'] as const)('killed at the step %s', async (step) => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    shop.facilitator.dieAt(step)
    expectUnavailable(await shop.ask(ACME, payment))
    expect(shop.reports()).toBe(0)
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test('killed once while it verifies, and up again at once: nobody notices', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    shop.facilitator.breakAt('verify')
    await expectSoldAtLast(shop, payment)
  })

  test('killed between verifying and settling', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    shop.duringWork(shop.facilitator.kill)
    expectUnavailable(await shop.ask(ACME, payment))
    await expectUnpaid(shop)
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test.each(['settle', 'sending'] as const)(
    'killed at the step %s: nothing is on chain',
    async (step) => {
      const shop = await openShop(kind)
      const payment = await shop.sign()
      shop.facilitator.dieAt(step)
      expectUnavailable(await shop.ask(ACME, payment))
      await expectUnpaid(shop)
      await shop.facilitator.restart()
      await expectSoldAtLast(shop, payment)
    },
  )

  test.each(['sent', 'settled'] as const)('killed at the step %s: it is paid', async (step) => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    shop.facilitator.dieAt(step)
    expectUnavailable(await shop.ask(ACME, payment))
    const [transaction] = await shop.settlements()
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
    const { receipt } = await shop.ask(ACME, payment)
    // Without a chain to ask nobody can name it.
    expect(receipt?.transaction).toBe(kind === 'remote' ? transaction : '')
  })

  test('killed when it is sent but not yet mined, which happens later', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    await shop.chain.holdMining()
    shop.facilitator.dieAt('sent')
    expectUnavailable(await shop.ask(ACME, payment))
    await expectUnpaid(shop)
    await shop.chain.releaseMining()
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test('asked again while it is still down: still unknown, still 502', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    shop.facilitator.dieAt('settle')
    for (const _ of [1, 2, 3]) expectUnavailable(await shop.ask(ACME, payment))
    await shop.facilitator.restart()
    await expectSoldAtLast(shop, payment)
  })

  test('killed again by the second attempt', async () => {
    const shop = await openShop(kind)
    const payment = await shop.sign()
    for (const step of ['settle', 'sending', 'sent'] as const) {
      shop.facilitator.dieAt(step)
      expectUnavailable(await shop.ask(ACME, payment))
      await shop.facilitator.restart()
    }
    await expectSoldAtLast(shop, payment)
  })
})

describe('our own facilitator, cut off from the chain', () => {
  test('before it verifies', async () => {
    const shop = await openShop('in-process')
    const payment = await shop.sign()
    const heal = cutOff(shop.chain)
    expectUnavailable(await shop.ask(ACME, payment))
    expect([shop.reports(), shop.faults]).toEqual([0, []])
    heal()
    await expectSoldAtLast(shop, payment)
  })

  test.each(['eth_getCode', 'eth_call'])('in the middle of it: %s', async (method) => {
    const shop = await openShop('in-process')
    const payment = await shop.sign()
    const heal = shop.chain.drop(method)
    expectUnavailable(await shop.ask(ACME, payment))
    expect([shop.reports(), shop.faults]).toEqual([0, []])
    heal()
    await expectSoldAtLast(shop, payment)
  })

  test('between verifying and settling', async () => {
    const shop = await openShop('in-process')
    const payment = await shop.sign()
    let heal = () => {}
    shop.duringWork(() => {
      heal = cutOff(shop.chain)
    })
    expectUnavailable(await shop.ask(ACME, payment))
    expectUnavailable(await shop.ask(ACME, payment))
    heal()
    await expectUnpaid(shop)
    await expectSoldAtLast(shop, payment)
  })

  test.each([
    ['eth_estimateGas', 'before', 0],
    ['eth_getTransactionCount', 'before', 0],
    ['eth_sendRawTransaction', 'before', 0],
    ['eth_sendRawTransaction', 'after', 1],
    ['eth_getTransactionReceipt', 'before', 1],
  ] as const)('while it settles: %s, %s it is done', async (method, when, settlements) => {
    const shop = await openShop('in-process')
    const payment = await shop.sign()
    const heal = shop.chain.drop(method, { when })
    expectUnavailable(await shop.ask(ACME, payment))
    expect(await shop.settlements()).toHaveLength(settlements)
    heal()
    await expectSoldAtLast(shop, payment)
    const { receipt } = await shop.ask(ACME, payment)
    expect(await shop.settlements()).toEqual([receipt?.transaction])
  })

  test('when it is sent but not yet mined, which happens later', async () => {
    const shop = await openShop('in-process')
    const payment = await shop.sign()
    await shop.chain.holdMining()
    const heal = shop.chain.drop('eth_getTransactionReceipt')
    expectUnavailable(await shop.ask(ACME, payment))
    await expectUnpaid(shop)
    heal()
    await shop.chain.releaseMining()
    await expectSoldAtLast(shop, payment)
  })
})
