/** Facilitators with ambiguous or wrong results: the chain decides. */
import { describe, expect, test } from 'vitest'
import { startLaggingNode } from '../../support/lagging-node.js'
import { expectFacilitatorUnavailable } from '../../support/paid-responses.js'
import {
  ACME_SCORE_PATH,
  disconnectChain,
  expectDelivered,
  expectNotCharged,
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

  test('because its node disconnected after the transaction was sent', async () => {
    const service = await openPaidService('remote')
    const payment = await service.sign()
    service.chain.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })
})

describe('a facilitator that settles and then says no', () => {
  const HASH = `0x${'12'.repeat(32)}`
  test.each<[string, number, object]>([
    ['error', 200, { errorReason: 'error' }],
    ['a deadline', 200, { errorReason: 'context deadline exceeded' }],
    ['a nonce of its own account', 200, { errorReason: 'nonce too low' }],
    ['a used authorization', 200, { errorReason: 'invalid_exact_evm_nonce_already_used' }],
    ['insufficient funds', 200, { errorReason: 'insufficient_funds' }],
    ['an invalid signature', 200, { errorReason: 'invalid_exact_evm_payload_signature' }],
    ['expiry', 200, { errorReason: 'invalid_exact_evm_payload_authorization_valid_before' }],
    ['refusal', 200, { errorReason: 'payment_refused' }],
    ['a failed transaction', 200, { errorReason: 'settle_exact_failed_onchain' }],
    ['another transaction', 200, { errorReason: 'error', transaction: HASH }],
    ['no reason', 200, {}],
    ['an empty reason', 200, { errorReason: '' }],
    ['a reason of another type', 200, { errorReason: { code: 7 } }],
    ['400', 400, { errorReason: 'error' }],
    ['402', 402, { errorReason: 'payment_required' }],
    ['409', 409, { errorReason: 'conflict' }],
    ['429', 429, { errorReason: 'rate limited' }],
    ['500', 500, { errorReason: 'internal' }],
    ['another shape', 200, { success: undefined, error: 'no' }],
  ])('%s: the buyer gets the report', async (_, status, failure) => {
    const service = await openPaidService('remote')
    const payment = await service.sign()
    const body = { success: false, transaction: '', network: 'eip155:8453', ...failure }
    service.facilitator.onStep('settled', () => service.facilitator.replyInstead(status, body))
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })
})

describe('a facilitator that says yes and settles nothing', () => {
  test.each([
    ['with a made-up transaction', `0x${'12'.repeat(32)}`],
    ['without a transaction', ''],
    ['with 20 KB for a transaction', `0x${'1'.repeat(20_000)}`],
  ])('%s: no report, and the same payment can still pay', async (_, transaction) => {
    const service = await openPaidService('remote')
    const payment = await service.sign()
    const success = { success: true, transaction, network: 'eip155:8453' }
    service.facilitator.replyOnce('settle', 200, success)
    expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment), 'unknown')
    await expectNotCharged(service)
    await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  })
})

describe('a node that is behind', () => {
  test('never turns a paid payment into a new one, however late it is', async () => {
    let later = 0
    const service = await openPaidService('remote', { wallClock: () => Date.now() + later })
    const node = await startLaggingNode(service.chain)
    const behind = await service.reopen({
      rpcUrls: [node.url],
      wallClock: () => Date.now() + later,
    })
    const payment = await service.sign()
    await node.stop()
    expectFacilitatorUnavailable(await behind.send(ACME_SCORE_PATH, payment), 'unknown')
    expect(await service.settlements()).toHaveLength(1)
    later = 400_000
    expectFacilitatorUnavailable(await behind.send(ACME_SCORE_PATH, payment), 'unknown')
    node.catchUp()
    await expectDelivered(service, await behind.send(ACME_SCORE_PATH, payment))
  })

  test('is overruled by one that is not', async () => {
    const service = await openPaidService('remote')
    const node = await startLaggingNode(service.chain)
    const both = await service.reopen({ rpcUrls: [node.url, service.chain.url] })
    const payment = await service.sign()
    await node.stop()
    await expectDelivered(service, await both.send(ACME_SCORE_PATH, payment))
  })
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

test('stays unknown while the chain cannot be reached', async () => {
  const service = await openPaidService('remote')
  const payment = await service.sign()
  let heal = () => {}
  service.facilitator.onStep('settled', () => {
    heal = disconnectChain(service.chain)
  })
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment), 'unknown')
  expectFacilitatorUnavailable(await service.send(ACME_SCORE_PATH, payment), 'unknown')
  heal()
  await expectDelivered(service, await service.send(ACME_SCORE_PATH, payment))
  expect(service.reportCount()).toBe(1)
})
