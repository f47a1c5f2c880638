/** Settlements with an unknown outcome: the caller never pays twice. */
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

/** Submitted, but the chain never got it. */
async function openUnsent(kind: PaymentBackendKind, options?: PaidServiceOptions) {
  const service = await openPaidService(kind, options)
  const payment = await service.sign()
  if (kind === 'in-process') service.chain.dropConnections('eth_sendRawTransaction', { times: 1 })
  else service.facilitator.restartAt('sending')
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
  await expectNotCharged(service)
  return { service, payment }
}

/** Pending on the chain, without our knowledge. */
async function openPending(kind: PaymentBackendKind, options?: PaidServiceOptions) {
  const service = await openPaidService(kind, options)
  const payment = await service.sign()
  await service.chain.holdMining()
  loseResponse(service, kind)
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
  return { service, payment }
}

/** Breaks the connection once the next transaction is sent. */
function loseResponse({ chain, facilitator }: PaidService, kind: PaymentBackendKind): void {
  if (kind === 'in-process')
    chain.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
  else facilitator.restartAt('sent')
}

async function expectVoid(service: PaidService, payment: string): Promise<void> {
  const response = await service.send(ACME_SCORE_PATH, payment)
  expectPaymentRequired(response, 'payment_already_used')
  expect(response.settlement).toMatchObject({ success: false, errorReason: 'payment_already_used' })
  expect(response.text).not.toContain('acme.test')
  await expectNotCharged(service)
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, await service.sign()))
}

describe.each(['in-process', 'remote'] as const)('reconciled with the chain: %s', (kind) => {
  test('is rejected if the payer cancels it', async () => {
    const { service, payment } = await openUnsent(kind)
    await service.payer.cancel(payment)
    await expectVoid(service, payment)
  })

  test('is rejected if the payer uses the nonce for another payee', async () => {
    const { service, payment } = await openUnsent(kind)
    await service.payer.spendNonceElsewhere(payment)
    await expectVoid(service, payment)
  })

  test('stays unknown if the payer spends the funds first, until it expires on the chain', async () => {
    const { service, payment } = await openUnsent(kind)
    await service.payer.spendAll()
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment), 'unknown')
    await service.chain.advanceTime(200)
    expectPaymentRequired(await service.send(ACME_SCORE_PATH, payment), 'expired')
    await expectNotCharged(service)
  })

  test('is a conflict for another report or signature', async () => {
    const { service, payment } = await openUnsent(kind)
    expectPaymentRequired(await service.send(OTHER_SCORE_PATH, payment), 'payment_already_used')
    const { authorization } = decodeBase64Json(payment).payload
    const forged = await service.sign({ authorization, signature: `0x${'ab'.repeat(65)}` })
    expectPaymentRequired(await service.send(ACME_SCORE_PATH, forged), 'payment_already_used')
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })

  test('is delivered after expiry if it was mined in time', async () => {
    let later = 0
    const service = await openPaidService(kind, { wallClock: () => Date.now() + later })
    const payment = await service.sign()
    await service.chain.holdMining()
    loseResponse(service, kind)
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    await service.chain.releaseMining()
    later = 300_000
    const response = await service.send(ACME_SCORE_PATH, payment)
    await expectDelivered(service, response)
    expect(await service.settlements()).toEqual([response.settlement?.transaction])
    // The stored report is gone with the payment's validity, so it is made again.
    expect(service.reportCount()).toBe(2)
  })

  test('requires a new payment once the chain shows that it expired unmined', async () => {
    let later = 0
    const { service, payment } = await openUnsent(kind, { wallClock: () => Date.now() + later })
    later = 300_000
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment), 'unknown')
    await service.chain.advanceTime(300)
    expectPaymentRequired(await service.send(ACME_SCORE_PATH, payment), 'expired')
    await expectNotCharged(service)
  })

  test('stays unknown near expiry while it may still be mined', async () => {
    let clock: number | null = null
    const { service, payment } = await openPending(kind, { wallClock: () => clock ?? Date.now() })
    const end = decodeBase64Json(payment).payload.authorization.validBefore * 1_000
    for (const time of [end - 3_000, end + 3_000]) {
      clock = time
      expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    }
    await service.chain.releaseMining()
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
    // The stored report is gone with the payment's validity, so it is made again.
    expect(service.reportCount()).toBe(2)
  })

  test('is charged once if it is sent again while pending', async () => {
    const { service, payment } = await openPending(kind)
    const again = service.send(ACME_SCORE_PATH, payment)
    if (kind === 'in-process') expectFacilitatorUnavailable(await again, 'unknown')
    await service.chain.releaseMining()
    await again
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
    expect(service.reportCount()).toBe(1)
    const sent = service.chain.methods.filter((method) => method === 'eth_sendRawTransaction')
    if (kind === 'in-process') expect(sent).toHaveLength(1)
  })

  test('is reconciled by one of five concurrent requests', async () => {
    const { service, payment } = await openUnsent(kind)
    const responses = await Promise.all(
      [1, 2, 3, 4, 5].map(() => service.send(ACME_SCORE_PATH, payment)),
    )
    const statuses = responses.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, 409, 409, 409, 409])
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
    expect(service.reportCount()).toBe(1)
  })
})

test('withholds the report if the transaction was mined but failed', async () => {
  const service = await openPaidService('in-process')
  const payment = await service.sign()
  await service.chain.holdMining()
  const response = service.send(ACME_SCORE_PATH, payment)
  await vi.waitFor(() => expect(service.chain.methods).toContain('eth_sendRawTransaction'), 120_000)
  await service.payer.spendAll()
  await service.chain.releaseMining()
  expectFacilitatorUnavailable(await response, 'unknown')
  const sent = () => service.chain.methods.filter((it) => it === 'eth_sendRawTransaction').length
  const sentOnce = sent()
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment), 'unknown')
  expect(sent()).toBe(sentOnce)
  await service.chain.advanceTime(200)
  expectPaymentRequired(await service.send(ACME_SCORE_PATH, payment), 'expired')
  await expectNotCharged(service)
})

test('keeps the report if an error occurs after the charge', async () => {
  let isBroken = true
  const service = await openPaidService('in-process', {
    wrapFacilitator: (facilitator) => ({
      ...facilitator,
      async settle(...paid) {
        const settled = await facilitator.settle(...paid)
        if (isBroken) throw new Error('out of memory')
        return settled
      },
    }),
  })
  const payment = await service.sign()
  const response = await service.send(ACME_SCORE_PATH, payment)
  expect([response.status, response.paymentRequired, service.faults.length]).toEqual([500, null, 1])
  expect(response.body.detail).toBe(
    'Something went wrong on our side. You may have been charged. Don’t sign a new payment. Send the same one again in a few seconds, and if you were charged, you’ll get your report.',
  )
  isBroken = false
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  expect(service.reportCount()).toBe(1)
})
