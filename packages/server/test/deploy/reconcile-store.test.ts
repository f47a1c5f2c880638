/** `reconcile` with the ledger that instances share. */
import { privateKeyToAccount } from 'viem/accounts'
import { expect, onTestFinished, test } from 'vitest'
import { connectChain } from '../../src/payments/chain/chain-client.js'
import { createGasPayer } from '../../src/payments/chain/gas-payer.js'
import { FACILITATOR_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { openRedisStore } from '../../src/state/redis-store.js'
import { startChainServer } from '../support/chain-server.js'
import { createRedisLedger } from '../support/ledgers.js'
import {
  signTestPayment,
  TEST_MAX_COST,
  TEST_PAYEE,
  transferTransaction,
} from '../support/payment-fixtures.js'
import { runReconcile } from '../support/reconcile-process.js'
import { startRedisServer } from '../support/redis-server.js'

const NETWORK = 'eip155:8453'

const redis = await startRedisServer()

test('lists a payment that is due, until it is delivered', async () => {
  const chain = await startChainServer({ chainId: 8453 })
  const store = openRedisStore({ url: redis.url, now: () => performance.now() })
  onTestFinished(async () => {
    store.close()
    await chain.close()
  })
  await store.firstAttempt
  const ledger = createRedisLedger({ store })
  const account = privateKeyToAccount(FACILITATOR_WALLET.privateKey)
  const gasPayer = createGasPayer(connectChain([chain.url], NETWORK), account)
  const payment = await signTestPayment(await chain.newWallet(), NETWORK)
  const { id, fingerprint, validBefore, authorization } = payment
  const request = { id, fingerprint, requestKey: 'key', payer: 'digest', validBefore }
  await ledger.reserve({ ...request, amount: authorization.value })
  await ledger.prepare(id, 'sealed')
  const transaction = await gasPayer.send({
    ...transferTransaction(payment),
    maxGas: 1_000_000n,
    maxCost: TEST_MAX_COST,
    recordTransaction: (hash) => ledger.recordTransaction(id, hash),
  })
  await ledger.complete(id, transaction)
  const env = {
    PAY_TO_ADDRESS: TEST_PAYEE,
    RPC_URL: chain.url,
    FACILITATOR_PRIVATE_KEY: FACILITATOR_WALLET.privateKey,
    REDIS_URL: redis.url,
  }

  const due = await runReconcile(env, '--json')
  expect([due.code, due.err]).toEqual([1, ''])
  expect(JSON.parse(due.out).notDelivered).toMatchObject([{ reference: id, transaction }])
  await ledger.markDelivered(id)
  expect(await runReconcile(env)).toMatchObject({
    code: 0,
    firstLine:
      'OK: the ledger and the chain agree for the last 24 hours. Paid and delivered: 1, 0.01 USDC.',
  })
})
