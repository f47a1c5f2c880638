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
    complaint: () => facilitator.healthProblem(),
  }
}
const earned = () => server.balanceOf(TEST_PAYEE)
const countSent = () => server.methods.filter((name) => name === 'eth_sendRawTransaction').length
const newPayment = async () => signTestPayment(await server.newWallet(), NETWORK)

describe('a settlement stays open', () => {
  test.each(['eth_getCode', 'eth_estimateGas', 'eth_getTransactionCount'])(
    'when %s breaks off, and can be made again',
    async (method) => {
      const [{ settle }, payment, before, sent] = [
        open(),
        await newPayment(),
        await earned(),
        countSent(),
      ]
      const end = server.dropConnections(method)
      onTestFinished(end)
      expect(await settle(payment)).toEqual(UNKNOWN)
      expect([await earned(), countSent()]).toEqual([before, sent])
      end()
      expect(await settle(payment)).toMatchObject({ kind: 'settled' })
    },
  )

  test('when the node loses the transaction, which holds up neither it nor those behind it', async () => {
    const { settle } = open(server.url, GAS_PAYER, { confirmationTimeoutMs: 700 })
    const [payment, other, before] = [await newPayment(), await newPayment(), await earned()]
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
    expect(await earned()).toBe(before + 20_000n)
  })

  test('when the transaction does not arrive: nothing has moved', async () => {
    const [{ settle }, payment, before] = [open(), await newPayment(), await earned()]
    server.dropConnections('eth_sendRawTransaction', { times: 1 })
    expect(await settle(payment)).toEqual(UNKNOWN)
    expect(await earned()).toBe(before)
    expect(await settle(payment)).toMatchObject({ kind: 'settled' })
    expect(await earned()).toBe(before + 10_000n)
  })

  test('when the transaction arrives and its answer does not: the money has moved', async () => {
    const [{ settle }, payment, before] = [open(), await newPayment(), await earned()]
    server.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
    expect(await settle(payment)).toEqual(UNKNOWN)
    expect(await earned()).toBe(before + 10_000n)
    expect(await settle(payment)).toEqual({ kind: 'rejected', reason: 'payment_already_used' })
    expect(await earned()).toBe(before + 10_000n)
  })

  test('when the receipt cannot be had, and a second attempt moves nothing', async () => {
    const [{ settle }, payment, before, sent] = [
      open(),
      await newPayment(),
      await earned(),
      countSent(),
    ]
    const end = server.dropConnections('eth_getTransactionReceipt')
    onTestFinished(end)
    expect(await settle(payment)).toEqual(UNKNOWN)
    end()
    expect(await settle(payment)).toEqual({ kind: 'rejected', reason: 'payment_already_used' })
    expect([await earned(), countSent()]).toEqual([before + 10_000n, sent + 1])
  })

  test('when there is no gas to send it with', async () => {
    const poor = open(server.url, privateKeyToAccount(generatePrivateKey()))
    expect(await poor.settle(await newPayment())).toEqual(UNKNOWN)
  })
})

test('what is mined and fails is refused: the payer was faster', async () => {
  const payer = await server.newWallet()
  const payment = await signTestPayment(payer, NETWORK)
  const before = await earned()
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
  expect(await earned()).toBe(before)
})

describe('its complaint', () => {
  test('none when the chain is the right one and gas can be paid', async () => {
    expect(await open().complaint()).toBeNull()
  })

  test('another chain', async () => {
    const base = await startChainServer({ chainId: 8453 })
    onTestFinished(() => base.close())
    expect(await open(base.url).complaint()).toBe('the RPC endpoint serves chain 8453')
  })

  test('nothing to pay gas with', async () => {
    const poor = privateKeyToAccount(generatePrivateKey())
    expect(await open(server.url, poor).complaint()).toBe(
      'the facilitator account has nothing to pay gas with',
    )
  })

  test('an endpoint that is down', async () => {
    expect(await open('http://127.0.0.1:9').complaint()).toBe('the RPC endpoint does not answer')
  })
})
