/** Facilitators with ambiguous or wrong results: the chain decides. */
import { describe, expect, test } from 'vitest'
import { expectFacilitatorUnavailable } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  disconnectChain,
  expectDelivered,
  openPaidService,
} from '../../support/paid-service.js'

describe('a facilitator that does not know the outcome', () => {
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
    const service = await openPaidService('remote')
    const payment = await service.sign()
    const network = 'eip155:8453'
    service.facilitator.replyOnce('settle', status, {
      success: false,
      errorReason,
      transaction: '',
      network,
    })
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })

  test.each(['remote', 'remote-only'] as const)(
    'because its node disconnected after the transaction was sent (%s)',
    async (kind) => {
      const service = await openPaidService(kind)
      const payment = await service.sign()
      service.chain.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
      expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
      await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
    },
  )
})

test.each([
  ['sees pending transactions', 'invalid_exact_evm_nonce_already_used'],
  ['saw its second transaction fail', 'settle_exact_failed_onchain'],
])(
  'a facilitator that %s: a rejection does not mean unpaid while the first transaction is pending',
  async (_, errorReason) => {
    const service = await openPaidService('remote')
    const payment = await service.sign()
    await service.chain.holdMining()
    service.facilitator.restartAt('sent')
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))

    const network = 'eip155:8453'
    service.facilitator.replyOnce('settle', 200, {
      success: false,
      errorReason,
      transaction: '',
      network,
    })
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
    await service.chain.releaseMining()
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
    expect(service.reportCount()).toBe(1)
  },
)

test('ignores rejections of a facilitator that cannot reach the chain', async () => {
  const service = await openPaidService('remote-only')
  const payment = await service.sign()
  service.facilitator.restartAt('settled')
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
  const heal = disconnectChain(service.chain)
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
  heal()
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  expect(service.reportCount()).toBe(1)
})

test('does not take insufficient funds for unpaid: we may have been paid', async () => {
  const service = await openPaidService('remote-only', { units: 10_000n })
  const payment = await service.sign()
  service.facilitator.restartAt('settled')
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
  const invalidReason = 'insufficient_funds'
  service.facilitator.replyOnce('verify', 200, { isValid: false, invalidReason })
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment))
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
})
