import { encodeFunctionData, type Hex, multicall3Abi, numberToHex } from 'viem'
import { type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ChainServer, startChainServer } from '../../../test/support/chain-server.js'
import {
  cancelTransaction,
  signTestPayment,
  TEST_MAX_COST,
  testTerms,
  transferTransaction,
  unsignedPayment,
} from '../../../test/support/payment-fixtures.js'
import { FACILITATOR_WALLET, FAUCET_WALLET } from '../../sandbox/chain/sandbox-wallets.js'
import type { ReadAuthorizationState } from '../facilitator.js'
import type { Payment } from '../payment.js'
import type { HexText, NetworkId } from '../payment-terms.js'
import { createAuthorizationStateReader } from './authorization-state.js'
import { connectAuthorizationStateReader } from './chain-backend.js'
import { type ChainSource, connectChain } from './chain-client.js'
import { createGasPayer } from './gas-payer.js'

const NETWORK = 'eip155:84532'
const TERMS = testTerms(NETWORK)
const STRANGER = `0x${'9'.repeat(40)}` as const
const MULTICALL = '0xcA11bde05977b3631167028862bE2a173976CA11'
const DEAD_URL = 'http://127.0.0.1:9'
const UNUSED = { kind: 'unused', hasReverted: false, isPending: false }
/** Of a transaction that no node has. */
const UNKNOWN_HASH = `0x${'5'.repeat(64)}`

let server: ChainServer
let payer: LocalAccount
let readState: ReadAuthorizationState
let send: (transaction: { to: HexText; data: HexText }) => Promise<HexText>
beforeAll(async () => {
  server = await startChainServer({ chainId: 84532 })
  payer = await server.newWallet()
  readState = read([server.url])
  const client = connectChain([server.url], NETWORK)
  const gasPayer = createGasPayer(client, privateKeyToAccount(FACILITATOR_WALLET.privateKey))
  send = (transaction) =>
    gasPayer.send({
      ...transaction,
      maxGas: 1_000_000n,
      maxCost: TEST_MAX_COST,
      recordTransaction: async () => {},
    })
})
afterAll(() => server.close())

function read(source: ChainSource, network: NetworkId = NETWORK): ReadAuthorizationState {
  return createAuthorizationStateReader(connectChain(source, network), { network })
}

const newPayment = () => signTestPayment(payer, NETWORK)
const pay = (payment: Payment) => send(transferTransaction(payment))

/** The chain with these replies instead of its own. */
function replacing(
  replies: Record<string, (params: unknown[]) => unknown>,
  chain = server.chain,
): ChainSource {
  return {
    request: async (call) =>
      replies[call.method]?.((call.params ?? []) as unknown[]) ?? chain.request(call),
  }
}

/** A chain of its own, whose time a test can change. */
async function startOwnChain() {
  const own = await startChainServer({ chainId: 84532 })
  onTestFinished(() => own.close())
  await own.holdMining()
  const request = (method: string, ...params: unknown[]) => own.chain.request({ method, params })
  return {
    ...own,
    request,
    async latestTime() {
      const { timestamp } = (await request('eth_getBlockByNumber', 'latest', false)) as {
        timestamp: Hex
      }
      return Number(timestamp)
    },
    mineAt: (time: number) => request('evm_mine', numberToHex(time)),
  }
}

/** The hash of a transaction that was mined and failed. */
async function failOnChain(payment: Payment): Promise<string> {
  const transaction = { from: FAUCET_WALLET.address, gas: numberToHex(200_000) }
  return (await server.chain.request({
    method: 'eth_sendTransaction',
    params: [{ ...transaction, ...transferTransaction(payment) }],
  })) as string
}

describe('reports as unused', () => {
  test('a payment that was never sent', async () => {
    expect(await readState(await newPayment(), [])).toEqual(UNUSED)
  })

  test('a pending payment until it is mined', async () => {
    const payment = await newPayment()
    await server.holdMining()
    onTestFinished(() => server.releaseMining())
    const transaction = await pay(payment)
    expect(await readState(payment, [transaction])).toEqual({ ...UNUSED, isPending: true })
    await server.releaseMining()
    expect(await readState(payment, [transaction])).toEqual({ kind: 'paid', transaction })
  })

  test('a payment whose transaction no node has', async () => {
    expect(await readState(await newPayment(), [UNKNOWN_HASH])).toEqual(UNUSED)
  })

  test('a payment whose transaction failed, and says so', async () => {
    const poor = await signTestPayment(await server.newWallet(9_999n), NETWORK)
    const failed = await failOnChain(poor)
    expect(await readState(poor, [])).toEqual(UNUSED)
    expect(await readState(poor, [UNKNOWN_HASH, failed])).toEqual({
      kind: 'unused',
      hasReverted: true,
      isPending: false,
    })
  })

  test('a payment that was sent with the hash of another one', async () => {
    const transaction = await pay(await newPayment())
    expect(await readState(await newPayment(), [transaction])).toEqual(UNUSED)
  })
})

describe('reports as paid, with its transaction', () => {
  test('a mined payment, whichever account sent it', async () => {
    const [first, second] = [await newPayment(), await newPayment()]
    const transaction = await pay(first)
    const another = await pay(second)
    expect(await readState(first, [])).toEqual({ kind: 'paid', transaction })
    expect(await readState(second, [])).toEqual({ kind: 'paid', transaction: another })
  })

  test('a payment in a known transaction, with one RPC request', async () => {
    const payment = await newPayment()
    const transaction = await pay(payment)
    await readState(payment, [])
    const before = server.methods.length
    expect(await readState(payment, [transaction])).toEqual({ kind: 'paid', transaction })
    expect(server.methods.slice(before)).toEqual(['eth_getTransactionReceipt'])
  })

  test('a payment that another transaction made than the known ones', async () => {
    const payment = await newPayment()
    const [other, transaction] = [await pay(await newPayment()), await pay(payment)]
    const known = [UNKNOWN_HASH, other]
    expect(await readState(payment, known)).toEqual({ kind: 'paid', transaction })
  })

  test('a payer address in any case', async () => {
    const payment = await newPayment()
    const transaction = await pay(payment)
    const { authorization } = payment
    const from = `0x${authorization.from.slice(2).toUpperCase()}` as const
    const upperCased = { ...payment, authorization: { ...authorization, from } }
    expect(await readState(upperCased, [])).toEqual({ kind: 'paid', transaction })
  })

  test('a payment that expired after it was mined', async () => {
    const own = await startOwnChain()
    const wallet = await own.newWallet()
    await own.releaseMining()
    const validBefore = (await own.latestTime()) + 100
    const payment = await signTestPayment(wallet, NETWORK, { validBefore })
    const transaction = await own.request('eth_sendTransaction', {
      from: FAUCET_WALLET.address,
      ...transferTransaction(payment),
    })
    await own.mineAt(validBefore + 1)
    expect(await read([own.url])(payment, [])).toEqual({ kind: 'paid', transaction })
  })
})

describe('reports as void', () => {
  test('a payment that the payer canceled', async () => {
    const payment = await newPayment()
    const transaction = await send(await cancelTransaction(payer, payment))
    expect(await readState(payment, [])).toEqual({ kind: 'void', hasReverted: false })
    expect(await readState(payment, [transaction])).toEqual({ kind: 'void', hasReverted: false })
  })

  test('a payment whose nonce paid another payee', async () => {
    const payment = await newPayment()
    const { nonce } = payment.authorization
    const transaction = await pay(await signTestPayment(payer, NETWORK, { nonce, to: STRANGER }))
    expect(await readState(payment, [])).toEqual({ kind: 'void', hasReverted: false })
    expect(await readState(payment, [transaction])).toEqual({ kind: 'void', hasReverted: false })
  })

  test('a payment whose nonce paid us less', async () => {
    const payment = await newPayment()
    const transaction = await pay(payment)
    const higherPriced = { ...payment, authorization: { ...payment.authorization, value: '10001' } }
    expect(await readState(higherPriced, [])).toEqual({ kind: 'void', hasReverted: false })
    expect(await readState(higherPriced, [transaction])).toEqual({
      kind: 'void',
      hasReverted: false,
    })
  })

  test('a payment that went elsewhere in a transaction with another payment for us', async () => {
    const [payment, other] = [await newPayment(), await newPayment()]
    const { nonce } = payment.authorization
    const elsewhere = await signTestPayment(payer, NETWORK, { nonce, to: STRANGER })
    const calls = [elsewhere, other].map((one) => {
      const { to, data } = transferTransaction(one)
      return { target: to, allowFailure: false, callData: data }
    })
    const data = encodeFunctionData({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      args: [calls],
    })
    const transaction = await send({ to: MULTICALL, data })
    expect(await readState(payment, [transaction])).toEqual({ kind: 'void', hasReverted: false })
    expect(await readState(other, [transaction])).toEqual({ kind: 'paid', transaction })
  })

  test('a payment that was canceled before our transaction, which failed', async () => {
    const wallet = await server.newWallet()
    const payment = await signTestPayment(wallet, NETWORK)
    await send(await cancelTransaction(wallet, payment))
    const failed = await failOnChain(payment)
    expect(await readState(payment, [failed])).toEqual({ kind: 'void', hasReverted: true })
    expect(await readState(payment, [UNKNOWN_HASH])).toEqual({ kind: 'void', hasReverted: false })
  })

  test('a canceled payment, also after it expired', async () => {
    const own = await startOwnChain()
    const wallet = await own.newWallet()
    await own.releaseMining()
    const validBefore = (await own.latestTime()) + 100
    const payment = await signTestPayment(wallet, NETWORK, { validBefore })
    const cancel = await cancelTransaction(wallet, payment)
    await own.request('eth_sendTransaction', { from: FAUCET_WALLET.address, ...cancel })
    await own.mineAt(validBefore)
    expect(await read([own.url])(payment, [])).toEqual({ kind: 'void', hasReverted: false })
  })
})

describe('reports as expired', () => {
  test('an unused payment from the block on whose time is past its validity', async () => {
    const own = await startOwnChain()
    const wallet = await own.newWallet()
    const readOwn = read([own.url])
    const validBefore = (await own.latestTime()) + 1_000
    const payment = await signTestPayment(wallet, NETWORK, { validBefore })
    await own.mineAt(validBefore - 1)
    expect(await readOwn(payment, [])).toEqual(UNUSED)
    await own.mineAt(validBefore)
    expect(await readOwn(payment, [])).toEqual({ kind: 'expired' })
  })

  test('nothing by our own clock, because the node may be behind', async () => {
    const own = await startOwnChain()
    const wallet = await own.newWallet()
    const readOwn = read([own.url])
    const validBefore = (await own.latestTime()) + 1_000
    const payment = await signTestPayment(wallet, NETWORK, { validBefore })
    vi.useFakeTimers({ toFake: ['Date'], now: (validBefore + 3_600) * 1_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(await readOwn(payment, [])).toEqual(UNUSED)
    await own.mineAt(validBefore)
    expect(await readOwn(payment, [])).toEqual({ kind: 'expired' })
  })

  test('nothing by the state of another block than the one with the time', async () => {
    const payment = await newPayment()
    await server.holdMining()
    onTestFinished(() => server.releaseMining())
    const calls: unknown[][] = []
    const watched = replacing({ eth_call: (params) => void calls.push(params) })
    await read(watched)(payment, [])
    const number = await server.chain.request({ method: 'eth_blockNumber' })
    expect(calls).toEqual([[expect.anything(), number]])
  })
})

describe('reports the state as unknown', () => {
  test.each(['eth_call', 'eth_getBlockByNumber', 'eth_getLogs', 'eth_getTransactionReceipt'])(
    'when the connection breaks at %s',
    async (method) => {
      const payment = await newPayment()
      const transaction = await pay(payment)
      onTestFinished(server.dropConnections(method, { times: 1 }))
      expect(await readState(payment, [])).toMatchObject({ kind: 'unknown' })
      expect(await readState(payment, [])).toEqual({ kind: 'paid', transaction })
    },
  )

  test('when the receipt of a known transaction cannot be read', async () => {
    const payment = await newPayment()
    onTestFinished(server.dropConnections('eth_getTransactionReceipt', { times: 1 }))
    expect(await readState(payment, [UNKNOWN_HASH])).toMatchObject({ kind: 'unknown' })
    expect(await readState(payment, [UNKNOWN_HASH])).toEqual(UNUSED)
  })

  test('when the RPC endpoint is down', async () => {
    expect(await read([DEAD_URL])(unsignedPayment(), [])).toEqual({
      kind: 'unknown',
      cause: 'HttpRequestError',
    })
  })

  test('when there is no token contract at the address', async () => {
    const payment = await newPayment()
    const accepted = { ...payment.payload.accepted, asset: STRANGER }
    const elsewhere = { ...payment, payload: { ...payment.payload, accepted } }
    expect(await readState(elsewhere, [])).toEqual({
      kind: 'unknown',
      cause: 'ContractFunctionExecutionError',
    })
  })

  test('when it was sold on another network, which the operator has left since', async () => {
    const base = await startChainServer({ chainId: 8453 })
    onTestFinished(() => base.close())
    const state = await read([base.url], 'eip155:8453')(await newPayment(), [UNKNOWN_HASH])
    expect(state).toEqual({ kind: 'unknown', cause: 'WrongChain' })
  })

  test('when the RPC endpoint serves another chain, on every read', async () => {
    const base = await startChainServer({ chainId: 8453 })
    onTestFinished(() => base.close())
    const readBase = read([base.url])
    const payment = await newPayment()
    for (const transactions of [[], [UNKNOWN_HASH]]) {
      const state = await readBase(payment, transactions)
      expect(state).toEqual({ kind: 'unknown', cause: 'WrongChain' })
    }
    expect(base.methods).toEqual(['eth_chainId', 'eth_chainId'])
  })

  test('until an RPC endpoint that served another chain serves ours', async () => {
    const ids = ['0x2105']
    const readMoved = read(replacing({ eth_chainId: () => ids.pop() }))
    const payment = await newPayment()
    expect(await readMoved(payment, [])).toEqual({ kind: 'unknown', cause: 'WrongChain' })
    expect(await readMoved(payment, [])).toEqual(UNUSED)
  })

  test('when the node with the logs is behind the node with the state', async () => {
    const payment = await newPayment()
    await pay(payment)
    const behind = read(replacing({ eth_getLogs: () => [] }))
    expect(await behind(payment, [])).toEqual({
      kind: 'unknown',
      cause: 'the AuthorizationUsed event is missing',
    })
  })
})

describe('the search for the event', () => {
  interface Range {
    readonly fromBlock: Hex
    readonly toBlock: Hex
  }

  /**
   * A mined payment with this many empty blocks after it, and the ranges of blocks that are
   * searched for it. EDR cannot mine many blocks at once, so the node only claims to have them.
   */
  async function searchAfter(blocks: number) {
    const payment = await newPayment()
    const transaction = await pay(payment)
    const mined = Number(await server.chain.request({ method: 'eth_blockNumber' }))
    const latest = numberToHex(mined + blocks)
    const ranges: number[][] = []
    const source: ChainSource = {
      async request(call) {
        const [first, ...others] = (call.params ?? []) as unknown[]
        const forward = (...params: unknown[]) => server.chain.request({ ...call, params })
        switch (call.method) {
          case 'eth_getBlockByNumber':
            return { ...((await forward(first, ...others)) as object), number: latest }
          case 'eth_call':
            expect(others).toEqual([latest])
            return forward(first)
          case 'eth_getLogs': {
            const filter = first as Range
            const [start, end] = [Number(filter.fromBlock), Number(filter.toBlock)]
            ranges.push([mined + blocks - end, mined + blocks - start])
            const toBlock = numberToHex(Math.min(end, mined))
            return start > mined ? [] : forward({ ...filter, toBlock })
          }
          default:
            return server.chain.request(call)
        }
      },
    }
    return { state: await read(source)(payment, []), transaction, ranges }
  }

  test('needs one request for a payment of the last half an hour', async () => {
    const { state, transaction, ranges } = await searchAfter(900)
    expect(state).toEqual({ kind: 'paid', transaction })
    expect(ranges).toEqual([[0, 900]])
  })

  test('goes back in ranges that nodes accept, without a gap', async () => {
    const { state, transaction, ranges } = await searchAfter(2_500)
    expect(state).toEqual({ kind: 'paid', transaction })
    expect(ranges.slice(0, 2)).toEqual([
      [0, 900],
      [901, 1_801],
    ])
    expect(ranges).toHaveLength(3)
  })

  test('finds a payment of a day ago', async () => {
    const { state, transaction } = await searchAfter(43_200)
    expect(state).toEqual({ kind: 'paid', transaction })
  })

  test('ends after 60 requests', async () => {
    const { state, ranges } = await searchAfter(60 * 901)
    expect(state).toMatchObject({ kind: 'unknown' })
    expect(ranges).toHaveLength(60)
  })
})

describe('several RPC endpoints', () => {
  const readFrom = (...urls: [string, ...string[]]) => connectAuthorizationStateReader(TERMS, urls)

  /** An endpoint that has none of our transactions. */
  async function startBehind() {
    const behind = await startChainServer({ chainId: 84532 })
    onTestFinished(() => behind.close())
    return behind
  }

  test('ask the next one if the first is down', async () => {
    const payment = await newPayment()
    expect(await readFrom(DEAD_URL, server.url)(payment, [])).toEqual(UNUSED)
    const transaction = await pay(payment)
    const paid = { kind: 'paid', transaction }
    expect(await readFrom(DEAD_URL, server.url)(payment, [])).toEqual(paid)
  })

  test('ask the next one if the first serves another chain', async () => {
    const base = await startChainServer({ chainId: 8453 })
    onTestFinished(() => base.close())
    const payment = await newPayment()
    const transaction = await pay(payment)
    const state = await readFrom(base.url, server.url)(payment, [transaction])
    expect(state).toEqual({ kind: 'paid', transaction })
  })

  test('ask the next one if the first is behind', async () => {
    const behind = await startBehind()
    const [paid, canceled] = [await newPayment(), await newPayment()]
    const transaction = await pay(paid)
    await send(await cancelTransaction(payer, canceled))
    expect(await read([behind.url])(paid, [transaction])).toEqual(UNUSED)
    const readBoth = readFrom(behind.url, server.url)
    expect(await readBoth(paid, [transaction])).toEqual({ kind: 'paid', transaction })
    expect(await readBoth(canceled, [])).toEqual({ kind: 'void', hasReverted: false })
  })

  test('ask no other one if the first shows the outcome', async () => {
    const behind = await startBehind()
    const payment = await newPayment()
    const transaction = await pay(payment)
    const state = await readFrom(server.url, behind.url)(payment, [])
    expect(state).toEqual({ kind: 'paid', transaction })
    expect(behind.methods).toEqual([])
  })

  test('keep what one shows if the others are down', async () => {
    const payment = await newPayment()
    expect(await readFrom(server.url, DEAD_URL)(payment, [])).toEqual(UNUSED)
  })

  test('keep that a transaction failed if the next one is behind', async () => {
    const behind = await startBehind()
    const poor = await signTestPayment(await server.newWallet(9_999n), NETWORK)
    const failed = await failOnChain(poor)
    const hasReverted = { kind: 'unused', hasReverted: true, isPending: false }
    expect(await readFrom(server.url, behind.url)(poor, [failed])).toEqual(hasReverted)
    expect(await readFrom(behind.url, server.url)(poor, [failed])).toEqual(hasReverted)
    expect(await readFrom(server.url, DEAD_URL)(poor, [failed])).toEqual(hasReverted)
  })

  test('show that it has expired only if all that answer do', async () => {
    const ahead = await startBehind()
    await ahead.advanceTime(24 * 60 * 60)
    const payment = await newPayment()
    expect(await read([ahead.url])(payment, [])).toEqual({ kind: 'expired' })
    expect(await readFrom(server.url, ahead.url)(payment, [])).toEqual(UNUSED)
    expect(await readFrom(ahead.url, server.url)(payment, [])).toEqual(UNUSED)
    expect(await readFrom(ahead.url, DEAD_URL)(payment, [])).toEqual({ kind: 'expired' })
  })

  test('know nothing if all are down', async () => {
    const state = await readFrom(DEAD_URL, DEAD_URL)(unsignedPayment(), [])
    expect(state).toEqual({ kind: 'unknown', cause: 'HttpRequestError' })
  })
})
