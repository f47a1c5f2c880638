import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../../test/support/chain-server.js'
import {
  cancelTransaction,
  signTestPayment,
  transferTransaction,
  unsignedPayment,
} from '../../../test/support/payment-fixtures.js'
import { FACILITATOR_WALLET } from '../../sandbox/chain/sandbox-wallets.js'
import type { ReadAuthorizationState } from '../facilitator.js'
import type { Payment } from '../payment.js'
import { createAuthorizationStateReader } from './authorization-state.js'
import { connectChain } from './chain-backend.js'
import { createGasPayer, type GasPayer } from './gas-payer.js'

const NETWORK = 'eip155:84532'
const STRANGER = `0x${'9'.repeat(40)}` as const

let server: ChainServer
let payer: LocalAccount
let trace: ReadAuthorizationState
let send: GasPayer['send']
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
  payer = await server.newWallet()
  const client = connectChain(server.url, NETWORK)
  trace = createAuthorizationStateReader(client, server.token)
  ;({ send } = createGasPayer(client, privateKeyToAccount(FACILITATOR_WALLET.privateKey)))
})
afterAll(() => server.close())

const pay = (payment: Payment) => send(transferTransaction(payment))

test('one that no block has seen is unused', async () => {
  expect(await trace(await signTestPayment(payer, NETWORK))).toEqual({ kind: 'unused' })
})

test('one that waits to be mined is unused until it is', async () => {
  const payment = await signTestPayment(payer, NETWORK)
  await server.holdMining()
  const transaction = await pay(payment)
  expect(await trace(payment)).toEqual({ kind: 'unused' })
  await server.releaseMining()
  expect(await trace(payment)).toEqual({ kind: 'paid', transaction })
})

test('one that was carried out is paid, by its transaction, whoever sent it', async () => {
  const [first, second] = [
    await signTestPayment(payer, NETWORK),
    await signTestPayment(payer, NETWORK),
  ]
  const transaction = await pay(first)
  const another = await pay(second)
  expect(await trace(first)).toEqual({ kind: 'paid', transaction })
  expect(await trace(second)).toEqual({ kind: 'paid', transaction: another })
})

test('its owner may be written in any case', async () => {
  const payment = await signTestPayment(payer, NETWORK)
  const transaction = await pay(payment)
  const { authorization } = payment
  const from = `0x${authorization.from.slice(2).toUpperCase()}` as const
  const shouted = { ...payment, authorization: { ...authorization, from } }
  expect(await trace(shouted)).toEqual({ kind: 'paid', transaction })
})

describe('used up, but not for us, is', () => {
  test('one that its owner has cancelled', async () => {
    const payment = await signTestPayment(payer, NETWORK)
    await send(await cancelTransaction(payer, payment))
    expect(await trace(payment)).toEqual({ kind: 'void' })
  })

  test('one whose nonce has paid somebody else', async () => {
    const payment = await signTestPayment(payer, NETWORK)
    const nonce = payment.authorization.nonce as `0x${string}`
    await pay(await signTestPayment(payer, NETWORK, { nonce, to: STRANGER }))
    expect(await trace(payment)).toEqual({ kind: 'void' })
  })

  test('one whose nonce has paid us less', async () => {
    const payment = await signTestPayment(payer, NETWORK)
    await pay(payment)
    const dearer = { ...payment, authorization: { ...payment.authorization, value: '10001' } }
    expect(await trace(dearer)).toEqual({ kind: 'void' })
  })
})

describe('nobody can tell', () => {
  test.each(['eth_call', 'eth_blockNumber', 'eth_getLogs', 'eth_getTransactionReceipt'])(
    'when %s breaks off',
    async (method) => {
      const payment = await signTestPayment(payer, NETWORK)
      const transaction = await pay(payment)
      onTestFinished(server.dropConnections(method, { times: 1 }))
      expect(await trace(payment)).toMatchObject({ kind: 'unknown' })
      expect(await trace(payment)).toEqual({ kind: 'paid', transaction })
    },
  )

  test('when the endpoint is down', async () => {
    const down = createAuthorizationStateReader(
      connectChain('http://127.0.0.1:9', NETWORK),
      server.token,
    )
    expect(await down(unsignedPayment())).toMatchObject({ kind: 'unknown' })
  })

  test('when there is no token where it should be', async () => {
    const elsewhere = createAuthorizationStateReader(connectChain(server.url, NETWORK), STRANGER)
    expect(await elsewhere(unsignedPayment())).toMatchObject({ kind: 'unknown' })
  })

  test('when the node that has the logs is behind the one that knows the state', async () => {
    const payment = await signTestPayment(payer, NETWORK)
    await pay(payment)
    const behind = connectChain(
      {
        request: async (call) => (call.method === 'eth_getLogs' ? [] : server.chain.request(call)),
      },
      NETWORK,
    )
    expect(await createAuthorizationStateReader(behind, server.token)(payment)).toMatchObject({
      kind: 'unknown',
    })
  })
})

test('half an hour of blocks is looked through, and no more: nodes refuse to look through all', async () => {
  const payment = await signTestPayment(payer, NETWORK)
  await pay(payment)
  const asked: unknown[] = []
  const long = connectChain(
    {
      async request(call) {
        if (call.method === 'eth_blockNumber') return '0x2710'
        if (call.method !== 'eth_getLogs') return server.chain.request(call)
        asked.push(...(call.params as unknown[]))
        return []
      },
    },
    NETWORK,
  )
  await createAuthorizationStateReader(long, server.token)(payment)
  const range = { address: server.token, fromBlock: '0x238c', toBlock: '0x2710' }
  expect(asked).toMatchObject([range, range])
})
