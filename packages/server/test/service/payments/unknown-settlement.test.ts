/** A settlement that was lost sight of: what becomes of it meanwhile decides, and nobody pays twice. */
import { describe, expect, test, vi } from 'vitest'
import {
  expectFacilitatorUnavailable,
  expectPaymentRequired,
} from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  expectDelivered,
  expectNotCharged,
  OTHER_SCORE_PATH,
  openPaidService,
  type PaidService,
  type PaidServiceOptions,
  type PaymentBackendKind,
} from '../../support/paid-service.js'
import { decodeBase64Json } from '../../support/test-payer.js'

/** Sent to be settled, but the chain never got it. */
async function openInDoubt(kind: PaymentBackendKind, options?: PaidServiceOptions) {
  const shop = await openPaidService(kind, options)
  const payment = await shop.sign()
  if (kind === 'in-process') shop.chain.dropConnections('eth_sendRawTransaction', { times: 1 })
  else shop.facilitator.restartAt('sending')
  expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
  await expectNotCharged(shop)
  return { shop, payment }
}

/** The chain has it, but has not mined it, and nobody here knows. */
async function openOnItsWay(kind: PaymentBackendKind, options?: PaidServiceOptions) {
  const shop = await openPaidService(kind, options)
  const payment = await shop.sign()
  await shop.chain.holdMining()
  loseSightOf(shop, kind)
  expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
  return { shop, payment }
}

/** As soon as the next transaction is sent. */
function loseSightOf({ chain, facilitator }: PaidService, kind: PaymentBackendKind): void {
  if (kind === 'in-process')
    chain.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
  else facilitator.restartAt('sent')
}

async function expectVoid(shop: PaidService, payment: string): Promise<void> {
  const answer = await shop.send(ACME_SCORE_PATH, payment)
  expectPaymentRequired(answer, 'payment_already_used')
  expect(answer.settlement).toMatchObject({ success: false, errorReason: 'payment_already_used' })
  expect(answer.text).not.toContain('acme.test')
  await expectNotCharged(shop)
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, await shop.sign()))
}

describe.each(['in-process', 'remote'] as const)('the chain is asked: %s', (kind) => {
  test('its owner cancels it: it buys nothing', async () => {
    const { shop, payment } = await openInDoubt(kind)
    await shop.payer.cancel(payment)
    await expectVoid(shop, payment)
  })

  test('its owner uses it for somebody else: we were not paid', async () => {
    const { shop, payment } = await openInDoubt(kind)
    await shop.payer.spendNonceElsewhere(payment)
    await expectVoid(shop, payment)
  })

  test('its owner spends the money: the second attempt is refused', async () => {
    const { shop, payment } = await openInDoubt(kind)
    await shop.payer.spendAll()
    const answer = await shop.send(ACME_SCORE_PATH, payment)
    expectPaymentRequired(answer, 'insufficient_funds')
    expect(answer.settlement).toMatchObject({ success: false, errorReason: 'insufficient_funds' })
    await expectNotCharged(shop)
  })

  test('it is not for another report, nor for another signature', async () => {
    const { shop, payment } = await openInDoubt(kind)
    expectPaymentRequired(await shop.send(OTHER_SCORE_PATH, payment), 'payment_already_used')
    const { authorization } = decodeBase64Json(payment).payload
    const forged = await shop.sign({ authorization, signature: `0x${'ab'.repeat(65)}` })
    expectPaymentRequired(await shop.send(ACME_SCORE_PATH, forged), 'payment_already_used')
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  })

  test('mined in time, asked for when it has expired: still delivered', async () => {
    let later = 0
    const shop = await openPaidService(kind, { wallClock: () => Date.now() + later })
    const payment = await shop.sign()
    loseSightOf(shop, kind)
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    later = 300_000
    const answer = await shop.send(ACME_SCORE_PATH, payment)
    await expectDelivered(shop, answer)
    expect(await shop.settlements()).toEqual([answer.settlement?.transaction])
    expect(shop.reportCount()).toBe(1)
  })

  test('never mined, and long expired: a new payment is due', async () => {
    let later = 0
    const { shop, payment } = await openInDoubt(kind, { wallClock: () => Date.now() + later })
    later = 300_000
    expectPaymentRequired(await shop.send(ACME_SCORE_PATH, payment), 'expired')
    await expectNotCharged(shop)
  })

  test('about to expire while it is on its way: no new price, it may still be mined', async () => {
    let clock: number | null = null
    const { shop, payment } = await openOnItsWay(kind, { wallClock: () => clock ?? Date.now() })
    const end = decodeBase64Json(payment).payload.authorization.validBefore * 1_000
    for (const time of [end - 3_000, end + 3_000]) {
      clock = time
      expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    }
    await shop.chain.releaseMining()
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
    expect(shop.reportCount()).toBe(1)
  })

  test('sent again while it is on its way: never a new price, one charge', async () => {
    const { shop, payment } = await openOnItsWay(kind)
    const asked = shop.chain.methods.length
    let isOver = false
    const again = shop.send(ACME_SCORE_PATH, payment).finally(() => {
      isOver = true
    })
    await vi.waitFor(() => {
      const isSent = shop.chain.methods.includes('eth_sendRawTransaction', asked)
      expect(isSent || isOver).toBe(true)
    }, 20_000)
    await shop.chain.releaseMining()
    const answer = await again
    if (answer.status !== 200) expectFacilitatorUnavailable(answer)
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
    expect(shop.reportCount()).toBe(1)
  })

  test('five at once ask what became of it: one finds out', async () => {
    const { shop, payment } = await openInDoubt(kind)
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => shop.send(ACME_SCORE_PATH, payment)),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 409, 409, 409, 409])
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
    expect(shop.reportCount()).toBe(1)
  })
})

test('mined, but the money was gone by then: refused, and the report is withheld', async () => {
  const shop = await openPaidService('in-process')
  const payment = await shop.sign()
  await shop.chain.holdMining()
  const answer = shop.send(ACME_SCORE_PATH, payment)
  await vi.waitFor(() => expect(shop.chain.methods).toContain('eth_sendRawTransaction'), 20_000)
  await shop.payer.spendAll()
  await shop.chain.releaseMining()
  expectPaymentRequired(await answer, 'payment_refused')
  expect((await answer).settlement).toMatchObject({ success: false, transaction: '' })
  await expectNotCharged(shop)
})

test('whatever breaks once the money has moved, the report is not lost', async () => {
  let isBroken = true
  const shop = await openPaidService('in-process', {
    wrapFacilitator: (facilitator) => ({
      ...facilitator,
      async settle(...sale) {
        const settled = await facilitator.settle(...sale)
        if (isBroken) throw new Error('out of memory')
        return settled
      },
    }),
  })
  const payment = await shop.sign()
  const answer = await shop.send(ACME_SCORE_PATH, payment)
  expect([answer.status, answer.paymentRequired, shop.faults.length]).toEqual([500, null, 1])
  expect(answer.body.detail).toBe(
    'The fault is ours. Do not sign a new payment: send the same one again in a moment. If it was charged, you get the report for it.',
  )
  isBroken = false
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  expect(shop.reportCount()).toBe(1)
})
