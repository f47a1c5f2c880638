import http from 'node:http'
import { text } from 'node:stream/consumers'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { encodeFunctionData, type Hex, type LocalAccount, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../../test/support/chain-server.js'
import { startLaggingNode } from '../../../test/support/lagging-node.js'
import {
  signTestPayment,
  TEST_MAX_COST,
  TEST_PAYEE,
  testTerms,
  transferTransaction,
} from '../../../test/support/payment-fixtures.js'
import { FACILITATOR_WALLET } from '../../sandbox/chain/sandbox-wallets.js'
import { TEST_USDC_ABI } from '../../sandbox/token/generated/contracts.js'
import type { ReadPayeeTransfers } from '../facilitator.js'
import type { Payment } from '../payment.js'
import type { HexText } from '../payment-terms.js'
import { connectPayeeTransferReader } from './chain-backend.js'
import { connectChain } from './chain-client.js'
import { createGasPayer, type GasPayer } from './gas-payer.js'
import { createPayeeTransferReader, SearchTooLong } from './payee-transfers.js'

const NETWORK = 'eip155:84532'
const TERMS = testTerms(NETWORK)
const STRANGER = `0x${'9'.repeat(40)}` as const

let server: ChainServer
let payer: LocalAccount
let payers: GasPayer
let gasPayer: GasPayer
let readTransfers: ReadPayeeTransfers
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
  payer = await server.newWallet()
  const client = connectChain([server.url], NETWORK)
  payers = createGasPayer(client, payer)
  gasPayer = createGasPayer(client, privateKeyToAccount(FACILITATOR_WALLET.privateKey))
  readTransfers = connectPayeeTransferReader(TERMS, [server.url])
})
afterAll(() => server.close())

const send = (from: GasPayer, transaction: { to: HexText; data: Hex }) =>
  from.send({
    ...transaction,
    maxGas: 1_000_000n,
    maxCost: TEST_MAX_COST,
    recordTransaction: async () => {},
  })
const settle = (payment: Payment) => send(gasPayer, transferTransaction(payment))
const signPayment = (to?: HexText) => signTestPayment(payer, NETWORK, to ? { to } : {})
const transferDirectly = (units: bigint) =>
  send(payers, {
    to: server.token,
    data: encodeFunctionData({
      abi: TEST_USDC_ABI,
      functionName: 'transfer',
      args: [TEST_PAYEE, units],
    }),
  })

async function blockTimeOf(hash: string): Promise<number> {
  const request = (method: string, params: unknown[]) => server.chain.request({ method, params })
  const receipt = (await request('eth_getTransactionReceipt', [hash])) as { blockNumber: string }
  const block = await request('eth_getBlockByNumber', [receipt.blockNumber, false])
  return Number((block as { timestamp: string }).timestamp)
}

/** A second later than every block so far. */
async function startPeriod(): Promise<number> {
  await server.advanceTime(1)
  const { upTo } = await readTransfers(0)
  await server.advanceTime(1)
  return upTo + 1
}

test('lists payments by the id that the ledger has, with transaction, payer, units and time', async () => {
  const since = await startPeriod()
  const payments = [await signPayment(), await signPayment()]
  const hashes = [await settle(payments[0] as Payment), await settle(payments[1] as Payment)]
  const { transfers, upTo } = await readTransfers(since)
  const times = await Promise.all(hashes.map(blockTimeOf))
  expect(transfers).toEqual(
    payments.map(({ id }, index) => ({
      paymentId: id,
      transaction: hashes[index],
      payer: payer.address,
      units: 10_000n,
      blockTime: times[index],
    })),
  )
  expect(upTo).toBe(times[1])
})

test('lists a transfer without an authorization without a payment id', async () => {
  const since = await startPeriod()
  const transaction = await transferDirectly(1_000n)
  expect((await readTransfers(since)).transfers).toEqual([
    {
      paymentId: null,
      transaction,
      payer: payer.address,
      units: 1_000n,
      blockTime: await blockTimeOf(transaction),
    },
  ])
})

test('leaves out payments to others and what is older', async () => {
  await settle(await signPayment())
  const since = await startPeriod()
  await settle(await signPayment(STRANGER))
  expect((await readTransfers(since)).transfers).toEqual([])
})

test('only counts transfers too small to pay for anything, and reads none of them', async () => {
  const since = await startPeriod()
  const hashes: string[] = []
  for (const units of [0n, 0n, 1n, 999n]) hashes.push(await transferDirectly(units))
  const asked = new Set<unknown>()
  const client = connectChain(
    {
      request({ method, params }) {
        if (method === 'eth_getTransactionReceipt') asked.add((params as string[])[0])
        return server.chain.request({ method, params })
      },
    },
    NETWORK,
  )
  const { transfers, dust } = await createPayeeTransferReader(client, TERMS)(since)
  expect([transfers, dust]).toEqual([[], { count: 4, units: 1_000n }])
  expect(hashes.filter((hash) => asked.has(hash))).toEqual([])
})

test('asks for fewer blocks when a node has too many transfers for one answer', async () => {
  const since = await startPeriod()
  const payments = [await signPayment(), await signPayment(), await signPayment()]
  for (const payment of payments) await settle(payment)
  const client = connectChain(
    {
      async request({ method, params }) {
        const reply = await server.chain.request({ method, params })
        if (method !== 'eth_getLogs' || (reply as unknown[]).length < 2) return reply
        throw Object.assign(new Error('query returned more than 1 results'), { code: -32_005 })
      },
    },
    NETWORK,
  )
  const { transfers } = await createPayeeTransferReader(client, TERMS)(since)
  expect(transfers.map(({ paymentId }) => paymentId)).toEqual(payments.map(({ id }) => id))
})

/** A node with so many logs that only those of a single block fit in an answer that is read whole. */
async function startVerboseNode() {
  const node = http.createServer(async (request, response) => {
    const body = await text(request)
    const { method, params } = JSON.parse(body)
    const isLong = method === 'eth_getLogs' && params[0].fromBlock !== params[0].toBlock
    const answer = await server.chain.handleJsonRpc(body)
    response.setHeader('content-type', 'application/json')
    if (isLong) response.setHeader('content-length', 11 * 1024 * 1024).write(answer)
    else response.end(answer)
  })
  const port = await listenOnLoopback(node)
  onTestFinished(() => {
    node.close()
    node.closeAllConnections()
  })
  return `http://127.0.0.1:${port}`
}

test('asks for fewer blocks when an answer is too long to be read', async () => {
  const since = await startPeriod()
  const payments = [await signPayment(), await signPayment()]
  for (const payment of payments) await settle(payment)
  await transferDirectly(1n)
  const read = connectPayeeTransferReader(TERMS, [await startVerboseNode()])
  const { transfers, dust } = await read(since)
  expect(transfers.map(({ paymentId }) => paymentId)).toEqual(payments.map(({ id }) => id))
  expect(dust).toEqual((await readTransfers(since)).dust)
})

test('counts 150,000 transfers of nothing in one answer', async () => {
  const since = await startPeriod()
  await transferDirectly(0n)
  const client = connectChain(
    {
      async request({ method, params }) {
        const reply = await server.chain.request({ method, params })
        if (method !== 'eth_getLogs') return reply
        const { data, ...log } = (reply as { data: Hex }[]).at(-1) as { data: Hex }
        return Array.from({ length: 150_000 }, () => ({
          ...log,
          data: numberToHex(2, { size: 32 }),
        }))
      },
    },
    NETWORK,
  )
  const { transfers, dust } = await createPayeeTransferReader(client, TERMS)(since)
  expect([transfers, dust]).toEqual([[], { count: 150_000, units: 300_000n }])
})

test.each(['eth_chainId', 'eth_getBlockByNumber', 'eth_getLogs', 'eth_getTransactionReceipt'])(
  'rejects if the connection breaks at %s',
  async (method) => {
    const since = await startPeriod()
    await settle(await signPayment())
    const read = connectPayeeTransferReader(TERMS, [server.url])
    onTestFinished(server.dropConnections(method, { times: 1 }))
    await expect(read(since)).rejects.toThrow()
    expect((await read(since)).transfers).toHaveLength(1)
  },
)

test('rejects on another chain', async () => {
  const other = connectPayeeTransferReader(testTerms('eip155:8453'), [server.url])
  await expect(other(0)).rejects.toMatchObject({ name: 'WrongChain' })
})

test('searches half an hour of blocks at a time, and rejects if it does not reach the start', async () => {
  const ranges: { fromBlock: string; toBlock: string }[] = []
  const client = connectChain(
    {
      async request({ method, params }) {
        if (method === 'eth_getLogs') {
          ranges.push((params as typeof ranges)[0] as (typeof ranges)[number])
          return []
        }
        if (method !== 'eth_getBlockByNumber') return server.chain.request({ method, params })
        const [tag] = params as [string]
        const number = tag === 'latest' ? 100_000 : Number(tag)
        return { number: `0x${number.toString(16)}`, timestamp: `0x${(number * 2).toString(16)}` }
      },
    },
    NETWORK,
  )
  const read = createPayeeTransferReader(client, TERMS)
  expect(await read(196_400)).toMatchObject({ transfers: [], upTo: 200_000 })
  expect(ranges.map(({ fromBlock, toBlock }) => [Number(fromBlock), Number(toBlock)])).toEqual([
    [99_100, 100_000],
    [98_199, 99_099],
  ])
  ranges.length = 0
  await expect(read(0)).rejects.toBeInstanceOf(SearchTooLong)
  expect(ranges).toHaveLength(60)
})

test('shows what any endpoint shows, up to the time of the one that is furthest behind', async () => {
  const since = await startPeriod()
  const behind = await startLaggingNode(server)
  await behind.stop()
  const [before] = [await readTransfers(since)]
  await server.advanceTime(60)
  const payment = await signPayment()
  await settle(payment)
  const urls = ['http://127.0.0.1:9', server.url, behind.url] as const
  const { transfers, upTo } = await connectPayeeTransferReader(TERMS, urls)(since)
  expect(transfers.map(({ paymentId }) => paymentId)).toEqual([payment.id])
  expect(upTo).toBe(before.upTo)
})
