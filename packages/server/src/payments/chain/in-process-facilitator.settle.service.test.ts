import { encodeFunctionData, numberToHex, parseGwei } from 'viem'
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ChainServer, startChainServer } from '../../../test/support/chain-server.js'
import { signTestPayment, TEST_PAYEE, testOffer } from '../../../test/support/payment-fixtures.js'
import { FACILITATOR_WALLET } from '../../sandbox/chain/sandbox-wallets.js'
import { TEST_USDC_ABI } from '../../sandbox/token/test-usdc.js'
import type { Payment } from '../payment.js'
import { connectChain } from './chain-backend.js'
import { createInProcessFacilitator } from './in-process-facilitator.js'

const NETWORK = 'eip155:84532'
const GAS_PAYER = privateKeyToAccount(FACILITATOR_WALLET.privateKey)
const UNKNOWN = { kind: 'unknown', cause: expect.any(String) }

let server: ChainServer
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
})
afterAll(() => server.close())

function open(url = server.url, account: LocalAccount = GAS_PAYER, options = {}) {
  const facilitator = createInProcessFacilitator(connectChain(url, NETWORK), account, options)
  const { requirements } = testOffer(NETWORK)
  return {
    settle: (payment: Payment) => facilitator.settle(payment, requirements),
    healthProblem: () => facilitator.healthProblem(),
  }
}
const revenue = () => server.balanceOf(TEST_PAYEE)
const countSent = () => server.methods.filter((name) => name === 'eth_sendRawTransaction').length
const newPayment = async () => signTestPayment(await server.newWallet(), NETWORK)

describe('a settlement is unknown', () => {
  test.each(['eth_getCode', 'eth_estimateGas', 'eth_getTransactionCount'])(
    'when the connection breaks at %s, and can be repeated',
    async (method) => {
      const [{ settle }, payment, before, sent] = [
        open(),
        await newPayment(),
        await revenue(),
        countSent(),
      ]
      const end = server.dropConnections(method)
      onTestFinished(end)
      expect(await settle(payment)).toEqual(UNKNOWN)
      expect([await revenue(), countSent()]).toEqual([before, sent])
      end()
      expect(await settle(payment)).toMatchObject({ kind: 'settled' })
    },
  )

  test('when the node drops the transaction, which blocks no later ones', async () => {
    const { settle } = open(server.url, GAS_PAYER, { confirmationTimeoutMs: 700 })
    const [payment, other, before] = [await newPayment(), await newPayment(), await revenue()]
    await server.holdMining()
    onTestFinished(() => server.releaseMining())
    expect(await settle(payment)).toEqual(UNKNOWN)
    const { transactions } = (await server.chain.request({
      method: 'eth_getBlockByNumber',
      params: ['pending', false],
    })) as { transactions: string[] }
    for (const hash of transactions) {
      await server.chain.request({ method: 'hardhat_dropTransaction', params: [hash] })
    }
    await server.releaseMining()
    expect(await settle(other)).toMatchObject({ kind: 'settled' })
    expect(await settle(payment)).toMatchObject({ kind: 'settled' })
    expect(await revenue()).toBe(before + 20_000n)
  })

  test('when the transaction does not arrive, and nothing is charged', async () => {
    const [{ settle }, payment, before] = [open(), await newPayment(), await revenue()]
    server.dropConnections('eth_sendRawTransaction', { times: 1 })
    expect(await settle(payment)).toEqual(UNKNOWN)
    expect(await revenue()).toBe(before)
    expect(await settle(payment)).toMatchObject({ kind: 'settled' })
    expect(await revenue()).toBe(before + 10_000n)
  })

  test('when only the response to the transaction is lost, and it is charged', async () => {
    const [{ settle }, payment, before] = [open(), await newPayment(), await revenue()]
    server.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
    expect(await settle(payment)).toEqual(UNKNOWN)
    expect(await revenue()).toBe(before + 10_000n)
    expect(await settle(payment)).toEqual({ kind: 'rejected', reason: 'payment_already_used' })
    expect(await revenue()).toBe(before + 10_000n)
  })

  test('when the receipt cannot be read, and a second attempt charges nothing', async () => {
    const [{ settle }, payment, before, sent] = [
      open(),
      await newPayment(),
      await revenue(),
      countSent(),
    ]
    const end = server.dropConnections('eth_getTransactionReceipt')
    onTestFinished(end)
    expect(await settle(payment)).toEqual(UNKNOWN)
    end()
    expect(await settle(payment)).toEqual({ kind: 'rejected', reason: 'payment_already_used' })
    expect([await revenue(), countSent()]).toEqual([before + 10_000n, sent + 1])
  })

  test('when the account cannot pay gas', async () => {
    const poor = open(server.url, privateKeyToAccount(generatePrivateKey()))
    expect(await poor.settle(await newPayment())).toEqual(UNKNOWN)
  })
})

test('rejects a transaction that was mined and failed because the payer spent the funds first', async () => {
  const payer = await server.newWallet()
  const payment = await signTestPayment(payer, NETWORK)
  const before = await revenue()
  await server.holdMining()
  onTestFinished(() => server.releaseMining())
  const spendAll = await payer.signTransaction({
    type: 'eip1559',
    chainId: 84_532,
    nonce: 0,
    gas: 200_000n,
    maxFeePerGas: parseGwei('500'),
    maxPriorityFeePerGas: parseGwei('500'),
    to: server.token,
    data: encodeFunctionData({
      abi: TEST_USDC_ABI,
      functionName: 'transfer',
      args: [numberToHex(1, { size: 20 }), 1_000_000n],
    }),
  })
  const sent = countSent()
  const settling = open().settle(payment)
  await vi.waitFor(() => expect(countSent()).toBe(sent + 1))
  await server.chain.request({ method: 'eth_sendRawTransaction', params: [spendAll] })
  await server.mine()
  expect(await settling).toEqual({ kind: 'rejected', reason: 'payment_refused' })
  expect(await revenue()).toBe(before)
})

describe('healthProblem', () => {
  test('is null when the chain id matches and the account can pay gas', async () => {
    expect(await open().healthProblem()).toBeNull()
  })

  test('names a wrong chain', async () => {
    const base = await startChainServer({ chainId: 8453 })
    onTestFinished(() => base.close())
    expect(await open(base.url).healthProblem()).toBe('the RPC endpoint serves chain 8453')
  })

  test('says when the account cannot pay gas', async () => {
    const poor = privateKeyToAccount(generatePrivateKey())
    expect(await open(server.url, poor).healthProblem()).toBe(
      'the facilitator account has no funds to pay gas',
    )
  })

  test('says when the RPC endpoint does not answer', async () => {
    expect(await open('http://127.0.0.1:9').healthProblem()).toBe(
      'the RPC endpoint does not answer',
    )
  })
})
