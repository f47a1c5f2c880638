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
let readState: ReadAuthorizationState
let send: GasPayer['send']
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
  payer = await server.newWallet()
  const client = connectChain(server.url, NETWORK)
  readState = createAuthorizationStateReader(client, server.token)
  ;({ send } = createGasPayer(client, privateKeyToAccount(FACILITATOR_WALLET.privateKey)))
})
afterAll(() => server.close())

const pay = (payment: Payment) => send(transferTransaction(payment))

test('reports a payment that was never sent as unused', async () => {
  expect(await readState(await signTestPayment(payer, NETWORK))).toEqual({ kind: 'unused' })
})

test('reports a pending payment as unused until it is mined', async () => {
  const payment = await signTestPayment(payer, NETWORK)
  await server.holdMining()
  const transaction = await pay(payment)
  expect(await readState(payment)).toEqual({ kind: 'unused' })
  await server.releaseMining()
  expect(await readState(payment)).toEqual({ kind: 'paid', transaction })
})

test('reports a mined payment as paid with its transaction, whichever account sent it', async () => {
  const [first, second] = [
    await signTestPayment(payer, NETWORK),
    await signTestPayment(payer, NETWORK),
  ]
  const transaction = await pay(first)
  const another = await pay(second)
  expect(await readState(first)).toEqual({ kind: 'paid', transaction })
  expect(await readState(second)).toEqual({ kind: 'paid', transaction: another })
})

test('accepts the payer address in any case', async () => {
  const payment = await signTestPayment(payer, NETWORK)
  const transaction = await pay(payment)
  const { authorization } = payment
  const from = `0x${authorization.from.slice(2).toUpperCase()}` as const
  const upperCased = { ...payment, authorization: { ...authorization, from } }
  expect(await readState(upperCased)).toEqual({ kind: 'paid', transaction })
})

describe('reports as void', () => {
  test('a payment that the payer canceled', async () => {
    const payment = await signTestPayment(payer, NETWORK)
    await send(await cancelTransaction(payer, payment))
    expect(await readState(payment)).toEqual({ kind: 'void' })
  })

  test('a payment whose nonce paid another payee', async () => {
    const payment = await signTestPayment(payer, NETWORK)
    const nonce = payment.authorization.nonce as `0x${string}`
    await pay(await signTestPayment(payer, NETWORK, { nonce, to: STRANGER }))
    expect(await readState(payment)).toEqual({ kind: 'void' })
  })

  test('a payment whose nonce paid us less', async () => {
    const payment = await signTestPayment(payer, NETWORK)
    await pay(payment)
    const higherPriced = { ...payment, authorization: { ...payment.authorization, value: '10001' } }
    expect(await readState(higherPriced)).toEqual({ kind: 'void' })
  })
})

describe('reports the state as unknown', () => {
  test.each(['eth_call', 'eth_blockNumber', 'eth_getLogs', 'eth_getTransactionReceipt'])(
    'when the connection breaks at %s',
    async (method) => {
      const payment = await signTestPayment(payer, NETWORK)
      const transaction = await pay(payment)
      onTestFinished(server.dropConnections(method, { times: 1 }))
      expect(await readState(payment)).toMatchObject({ kind: 'unknown' })
      expect(await readState(payment)).toEqual({ kind: 'paid', transaction })
    },
  )

  test('when the RPC endpoint is down', async () => {
    const down = createAuthorizationStateReader(
      connectChain('http://127.0.0.1:9', NETWORK),
      server.token,
    )
    expect(await down(unsignedPayment())).toMatchObject({ kind: 'unknown' })
  })

  test('when there is no token contract at the address', async () => {
    const elsewhere = createAuthorizationStateReader(connectChain(server.url, NETWORK), STRANGER)
    expect(await elsewhere(unsignedPayment())).toMatchObject({ kind: 'unknown' })
  })

  test('when the node with the logs is behind the node with the state', async () => {
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

test('searches half an hour of blocks, because nodes reject longer ranges', async () => {
  const payment = await signTestPayment(payer, NETWORK)
  await pay(payment)
  const ranges: unknown[] = []
  const long = connectChain(
    {
      async request(call) {
        if (call.method === 'eth_blockNumber') return '0x2710'
        if (call.method !== 'eth_getLogs') return server.chain.request(call)
        ranges.push(...(call.params as unknown[]))
        return []
      },
    },
    NETWORK,
  )
  await createAuthorizationStateReader(long, server.token)(payment)
  const range = { address: server.token, fromBlock: '0x238c', toBlock: '0x2710' }
  expect(ranges).toMatchObject([range, range])
})
