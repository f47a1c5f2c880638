import { encodeFunctionData, numberToHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ChainServer, startChainServer } from '../../../test/support/chain-server.js'
import { TEST_MAX_COST } from '../../../test/support/payment-fixtures.js'
import { FACILITATOR_WALLET } from '../../sandbox/chain/sandbox-wallets.js'
import { TEST_USDC_ABI } from '../../sandbox/token/generated/contracts.js'
import type { HexText } from '../payment-terms.js'
import { connectChain } from './chain-client.js'
import {
  createGasPayer,
  type GasPayer,
  type GasPayerRequest,
  GasTooExpensive,
  TooMuchGas,
} from './gas-payer.js'

let server: ChainServer
let recorded: HexText[]
let { send, resetNonce }: GasPayer = {} as GasPayer
beforeEach(async () => {
  server = await startChainServer({ chainId: 84532 })
  recorded = []
  ;({ send, resetNonce } = open())
})
afterEach(() => server.close())

function open(): GasPayer {
  const account = privateKeyToAccount(FACILITATOR_WALLET.privateKey)
  return createGasPayer(connectChain([server.url], 'eip155:84532'), account)
}

/** Allows enough gas for anything, and records the hash. */
const recording = (transaction: Pick<GasPayerRequest, 'to' | 'data'>): GasPayerRequest => ({
  ...transaction,
  maxGas: 1_000_000n,
  maxCost: TEST_MAX_COST,
  recordTransaction: async (hash) => void recorded.push(hash),
})

/** Mints this many units to an address that depends on the amount. */
const mint = (units: number) =>
  recording({
    to: server.token,
    data: encodeFunctionData({
      abi: TEST_USDC_ABI,
      functionName: 'mint',
      args: [numberToHex(0xabc000 + units, { size: 20 }), BigInt(units)],
    }),
  })
/** A transfer without funds; its gas estimate reverts. */
const overdraw = () =>
  recording({
    to: server.token,
    data: encodeFunctionData({
      abi: TEST_USDC_ABI,
      functionName: 'transfer',
      args: [numberToHex(1, { size: 20 }), 1n],
    }),
  })
const received = (units: number) => server.balanceOf(numberToHex(0xabc000 + units, { size: 20 }))
const request = (method: string, ...params: unknown[]) => server.chain.request({ method, params })
const countSent = () =>
  server.methods.filter((method) => method === 'eth_sendRawTransaction').length
const nextNonce = async () =>
  Number(await request('eth_getTransactionCount', FACILITATOR_WALLET.address, 'pending'))

async function nonceOf(hash: HexText): Promise<number> {
  return Number(((await request('eth_getTransactionByHash', hash)) as { nonce: HexText }).nonce)
}

/** The nonce of each transaction that was sent, otherwise null. */
async function outcomes(sends: Promise<HexText>[]): Promise<(number | null)[]> {
  const settled = await Promise.allSettled(sends)
  return Promise.all(settled.map((one) => (one.status === 'fulfilled' ? nonceOf(one.value) : null)))
}

test('gives concurrent transactions consecutive nonces, and all are mined', async () => {
  const units = Array.from({ length: 20 }, (_, index) => index + 1)
  const nonces = await outcomes(units.map((unit) => send(mint(unit))))
  expect(nonces.toSorted((a, b) => Number(a) - Number(b))).toEqual(units.map((unit) => unit - 1))
  expect(await Promise.all(units.map(received))).toEqual(units.map(BigInt))
})

test('continues from the nonces that the account has used', async () => {
  expect(await nonceOf(await send(mint(1)))).toBe(0)
  expect(await nonceOf(await send(mint(2)))).toBe(1)
  expect(await nonceOf(await open().send(mint(3)))).toBe(2)
})

async function gasOf(hash: HexText): Promise<bigint> {
  return BigInt(((await request('eth_getTransactionByHash', hash)) as { gas: HexText }).gas)
}

test('adds 20% to the gas estimate, and what an emptied balance costs', async () => {
  const gas = await estimateMint()
  expect(await gasOf(await send(mint(1)))).toBe((gas * 6n) / 5n + 20_000n)
})

test('has enough gas when the receiver moves its whole balance in the same block', async () => {
  const receiver = await server.newWallet(7n)
  await server.holdMining()
  const data = encodeFunctionData({
    abi: TEST_USDC_ABI,
    functionName: 'mint',
    args: [receiver.address, 5n],
  })
  const hash = await send(recording({ to: server.token, data }))
  const sweep = await receiver.signTransaction({
    chainId: 84532,
    nonce: 0,
    to: server.token,
    gas: 100_000n,
    maxFeePerGas: 10n ** 12n,
    // More than ours, so it is mined first.
    maxPriorityFeePerGas: 10n ** 11n,
    data: encodeFunctionData({
      abi: TEST_USDC_ABI,
      functionName: 'transfer',
      args: [numberToHex(1, { size: 20 }), 7n],
    }),
  })
  await request('eth_sendRawTransaction', sweep)
  await server.mine()
  const receipt = await request('eth_getTransactionReceipt', hash)
  expect(receipt).toMatchObject({ transactionIndex: '0x1', status: '0x1' })
  expect(await server.balanceOf(receiver.address)).toBe(5n)
})

async function estimateMint(): Promise<bigint> {
  const { to, data } = mint(1)
  const call = { from: FACILITATOR_WALLET.address, to, data }
  return BigInt((await request('eth_estimateGas', call)) as HexText)
}

describe('a limit of gas', () => {
  test('lets a transaction pass that just reaches it with the margin', async () => {
    const maxGas = ((await estimateMint()) * 6n) / 5n
    expect(await gasOf(await send({ ...mint(1), maxGas }))).toBe(maxGas)
    expect(await received(1)).toBe(1n)
  })

  test('holds back a transaction that may need more, without a nonce or a record', async () => {
    const maxGas = ((await estimateMint()) * 6n) / 5n - 1n
    await expect(send({ ...mint(1), maxGas })).rejects.toThrow(TooMuchGas)
    expect([recorded, countSent(), await received(1)]).toEqual([[], 0, 0n])
    expect(await outcomes([send(mint(2))])).toEqual([0])
  })
})

describe('a limit of costs', () => {
  const BASE_FEE = 10n ** 11n
  /** The base fee of the latest block, which a transaction is priced by. */
  async function setBaseFee() {
    await request('hardhat_setNextBlockBaseFeePerGas', numberToHex(BASE_FEE))
    await server.mine()
    const block = (await request('eth_getBlockByNumber', 'latest', false)) as {
      baseFeePerGas: HexText
    }
    return BigInt(block.baseFeePerGas)
  }
  const limitOf = async () => ((await estimateMint()) * 6n) / 5n + 20_000n

  test('holds back a transaction while gas is expensive, without a nonce or a record', async () => {
    const limit = await limitOf()
    const baseFee = await setBaseFee()
    const tooLittle = { ...mint(1), maxCost: (limit * baseFee * 19n) / 10n }
    await expect(send(tooLittle)).rejects.toThrow(GasTooExpensive)
    expect([recorded, countSent(), await received(1)]).toEqual([[], 0, 0n])
    expect(await outcomes([send(mint(2))])).toEqual([0])
  })

  test('is kept by a smaller tip, with room for a base fee that doubles', async () => {
    const limit = await limitOf()
    const baseFee = await setBaseFee()
    const maxCost = (limit * baseFee * 2_001n) / 1_000n
    let announced = 0n
    const recordTransaction = async (_: string, cost: bigint) => {
      announced = cost
    }
    const hash = await send({ ...mint(1), maxCost, recordTransaction })
    const sent = (await request('eth_getTransactionByHash', hash)) as Record<string, HexText>
    const of = (name: string) => BigInt(sent[name] ?? 0)
    const [gas, maxFee, tip] = ['gas', 'maxFeePerGas', 'maxPriorityFeePerGas'].map(of) as bigint[]
    expect((gas ?? 0n) * (maxFee ?? 0n)).toBeLessThanOrEqual(maxCost)
    expect(((maxFee ?? 0n) - (tip ?? 0n)) / 2n).toBe(baseFee)
    expect(announced).toBe((gas ?? 0n) * (baseFee + (tip ?? 0n)))
    expect(await received(1)).toBe(1n)
  })
})

describe('the hash', () => {
  test('is recorded before the transaction is sent', async () => {
    const sentBefore: number[] = []
    const hash = await send({
      ...mint(1),
      async recordTransaction(early) {
        recorded.push(early)
        sentBefore.push(countSent())
      },
    })
    expect([recorded, sentBefore]).toEqual([[hash], [0]])
  })

  test('is that of the mined transaction, also if the response is lost', async () => {
    server.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
    expect(await outcomes([send(mint(1))])).toEqual([null])
    const [hash = '0x'] = recorded
    expect(await request('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })
  })

  test('that cannot be recorded keeps the transaction from being sent', async () => {
    const recordTransaction = () => Promise.reject(new Error('the ledger is down'))
    const failed = send({ ...mint(1), recordTransaction })
    await expect(failed).rejects.toThrow('the ledger is down')
    expect([countSent(), await received(1)]).toEqual([0, 0n])
    expect(await outcomes([send(mint(2))])).toEqual([0])
  })

  test('of each concurrent transaction is its own', async () => {
    const hashes = await Promise.all([send(mint(1)), send(mint(2)), send(mint(3))])
    expect(recorded.toSorted()).toEqual(hashes.toSorted())
  })
})

describe('takes no nonce for', () => {
  test('a transaction that reverts at the estimate, which is not sent', async () => {
    const sends = [send(mint(1)), send(overdraw()), send(mint(2))]
    const nonces = await outcomes(sends)
    expect(nonces[1]).toBeNull()
    expect(nonces.toSorted()).toEqual([0, 1, null])
    expect(countSent()).toBe(2)
    expect(await nextNonce()).toBe(2)
  })

  test('a transaction that cannot be estimated', async () => {
    const end = server.dropConnections('eth_estimateGas')
    expect(await outcomes([send(mint(1))])).toEqual([null])
    end()
    expect(await outcomes([send(mint(2))])).toEqual([0])
  })
})

describe('a broken connection', () => {
  test('before a transaction arrives does not block later ones', async () => {
    server.dropConnections('eth_sendRawTransaction', { times: 1 })
    expect(await outcomes([send(mint(1))])).toEqual([null])
    expect(await received(1)).toBe(0n)
    const nonces = await outcomes([send(mint(2)), send(mint(3))])
    expect(nonces.toSorted()).toEqual([0, 1])
  })

  test('after a transaction arrived does not reuse its nonce', async () => {
    server.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
    expect(await outcomes([send(mint(1))])).toEqual([null])
    expect(await received(1)).toBe(1n)
    expect(await outcomes([send(mint(2))])).toEqual([1])
    expect(await received(2)).toBe(2n)
  })

  test('after a transaction arrived but before it is mined does not reuse its nonce', async () => {
    await server.holdMining()
    server.dropConnections('eth_sendRawTransaction', { when: 'after', times: 1 })
    expect(await outcomes([send(mint(1))])).toEqual([null])
    expect(await outcomes([send(mint(2))])).toEqual([1])
    await server.releaseMining()
    expect(await Promise.all([received(1), received(2)])).toEqual([1n, 2n])
  })

  test.each(['before', 'after'] as const)(
    '%s arrival loses only its own transactions among many',
    async (when) => {
      server.dropConnections('eth_sendRawTransaction', { when, times: 2 })
      const units = [1, 2, 3, 4, 5, 6]
      const nonces = await outcomes(units.map((unit) => send(mint(unit))))
      expect(nonces.filter((nonce) => nonce === null)).toHaveLength(2)
      const arrived = when === 'before' ? 4 : 6
      expect(await nextNonce()).toBe(arrived)
      expect((await Promise.all(units.map(received))).filter((value) => value > 0n)).toHaveLength(
        arrived,
      )
    },
  )

  test('while the nonce is read leaves the nonce to the next transaction', async () => {
    server.dropConnections('eth_getTransactionCount', { times: 1 })
    expect(await outcomes([send(mint(1))])).toEqual([null])
    expect(await outcomes([send(mint(2))])).toEqual([0])
  })
})

test('fails once if another process used the nonce, then recovers', async () => {
  expect(await outcomes([send(mint(1))])).toEqual([0])
  expect(await outcomes([open().send(mint(2))])).toEqual([1])
  expect(await outcomes([send(mint(3))])).toEqual([null])
  expect(await outcomes([send(mint(4))])).toEqual([2])
})

test('a transaction that the node dropped blocks no others after resetNonce', async () => {
  await server.holdMining()
  const lost = await send(mint(1))
  expect(await request('hardhat_dropTransaction', lost)).toBe(true)
  await server.releaseMining()
  resetNonce()
  const nonces = await outcomes([send(mint(2)), send(mint(3))])
  // Which of two concurrent sends comes first is not defined.
  expect(nonces.toSorted()).toEqual([0, 1])
  expect(await Promise.all([received(2), received(3)])).toEqual([2n, 3n])
  expect(await nextNonce()).toBe(2)
})
