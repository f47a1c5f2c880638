/** Facilitators that do not know either, or say no when they ought to say so: the chain has the last word. */
import { describe, expect, test } from 'vitest'
import { expectFacilitatorUnavailable } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  disconnectChain,
  expectDelivered,
  openPaidService,
} from '../../support/paid-service.js'

describe('a facilitator that says it does not know either', () => {
  test.each([
    [200, 'settlement_pending'],
    [500, 'settlement_pending'],
    [200, 'settle_exact_node_failure'],
    [200, 'settle_exact_evm_transaction_confirmation_timed_out'],
    [200, 'unexpected_settle_error'],
    [200, 'unknown_error'],
    [200, 'invalid_exact_evm_transaction_failed'],
    [503, 'insufficient_funds'],
    [200, undefined],
  ])('%i %s', async (status, errorReason) => {
    const shop = await openPaidService('remote')
    const payment = await shop.sign()
    const network = 'eip155:8453'
    shop.facilitator.replyOnce('settle', status, {
      success: false,
      errorReason,
      transaction: '',
      network,
    })
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  })

  test.each(['remote', 'remote-only'] as const)(
    'because its own node broke off after the transaction was sent (%s)',
    async (kind) => {
      const shop = await openPaidService(kind)
      const payment = await shop.sign()
      shop.chain.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
      expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
      await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
    },
  )
})

test.each([
  ['looks ahead of the blocks', 'invalid_exact_evm_nonce_already_used'],
  ['has seen its second transaction fail', 'settle_exact_failed_onchain'],
])(
  'a facilitator that %s: refused is not unpaid while the first is on its way',
  async (_, errorReason) => {
    const shop = await openPaidService('remote')
    const payment = await shop.sign()
    await shop.chain.holdMining()
    shop.facilitator.restartAt('sent')
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))

    const network = 'eip155:8453'
    shop.facilitator.replyOnce('settle', 200, {
      success: false,
      errorReason,
      transaction: '',
      network,
    })
    expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
    await shop.chain.releaseMining()
    await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
    expect(shop.reportCount()).toBe(1)
  },
)

test('a facilitator that is back, but cannot see the chain: its refusals say nothing', async () => {
  const shop = await openPaidService('remote-only')
  const payment = await shop.sign()
  shop.facilitator.restartAt('settled')
  expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
  const heal = disconnectChain(shop.chain)
  expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
  heal()
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
  expect(shop.reportCount()).toBe(1)
})

test('a facilitator that looks at the funds first: they may be gone because we have them', async () => {
  const shop = await openPaidService('remote-only', { units: 10_000n })
  const payment = await shop.sign()
  shop.facilitator.restartAt('settled')
  expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
  const invalidReason = 'insufficient_funds'
  shop.facilitator.replyOnce('verify', 200, { isValid: false, invalidReason })
  expectFacilitatorUnavailable(await shop.send(ACME_SCORE_PATH, payment))
  await expectDelivered(shop, await shop.send(ACME_SCORE_PATH, payment))
})
