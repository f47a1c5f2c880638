/**
 * The sandbox chain behind a JSON-RPC endpoint on loopback, with faults that a test injects.
 *
 * viem's `http()` retries three times when a connection breaks. A fault must last longer, or
 * `retryCount` must be 0.
 */
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { listenOnLoopback } from '@mailgrade/testing/listen-on-loopback'
import { type Address, createPublicClient, custom, type Hex, numberToHex } from 'viem'
import {
  generatePrivateKey,
  type PrivateKeyAccount,
  privateKeyToAccount,
  privateKeyToAddress,
} from 'viem/accounts'
import { NETWORKS } from '../../src/payments/payment-terms.js'
import type { SandboxChain } from '../../src/sandbox/chain/sandbox-chain.js'
import { mintTestUsdc, startSandboxChain } from '../../src/sandbox/chain/sandbox-chain.js'
import { TEST_USDC_ABI } from '../../src/sandbox/token/generated/contracts.js'
import { createHold, type Hold } from './hold.js'

type ChainId = 8453 | 84532

interface Fault {
  /** Whether the connection breaks before or after the chain handles the request. */
  readonly when?: 'before' | 'after'
  /** How many requests fail; all by default. */
  readonly times?: number
}

export interface ChainServer {
  readonly url: string
  readonly chain: SandboxChain
  readonly token: Address
  /** The method of every request that arrived, in order. */
  readonly methods: string[]
  /** Mints test dollars, in units of 1/1,000,000. */
  fund(address: Address, units: bigint): Promise<void>
  balanceOf(address: Address): Promise<bigint>
  /** A new wallet with one ether and, by default, one test dollar. */
  newWallet(units?: bigint): Promise<PrivateKeyAccount>
  /** Accepts transactions without mining them. */
  holdMining(): Promise<void>
  /** Mines one block; later transactions are still held. */
  mine(): Promise<void>
  /** Mines the held transactions, and later ones at once. */
  releaseMining(): Promise<void>
  /** Mines a block that is this much later than the one before. */
  advanceTime(seconds: number): Promise<void>
  /** Mines a block with this base fee in wei; later transactions are priced by it. */
  setBaseFee(wei: bigint): Promise<void>
  /** Breaks connections of requests with this method. Returns a function that stops it. */
  dropConnections(method: string, fault?: Fault): () => void
  /** Holds the next request with this method, before or after the chain handles it. */
  hold(method: string, when: 'before' | 'after'): Hold
  /** Delays responses to this method. Returns a function that stops it. */
  delayResponses(method: string, delayMs: number): () => void
  close(): Promise<void>
}

interface ActiveFault {
  readonly method: string
  readonly apply: (response: http.ServerResponse) => Promise<void> | void
  readonly when: 'before' | 'after'
  left: number
}

export async function startChainServer({ chainId }: { chainId: ChainId }): Promise<ChainServer> {
  const token = NETWORKS[`eip155:${chainId}`].usdc
  const chain = await startSandboxChain({ chainId, token })
  const client = createPublicClient({ transport: custom(chain) })
  const methods: string[] = []
  const faults = new Set<ActiveFault>()

  async function applyFaults(
    when: Fault['when'],
    called: readonly string[],
    response: http.ServerResponse,
  ) {
    for (const fault of faults) {
      if (fault.when !== when || !called.includes(fault.method)) continue
      if (--fault.left <= 0) faults.delete(fault)
      await fault.apply(response)
    }
  }

  function inject(fault: ActiveFault): () => void {
    faults.add(fault)
    return () => faults.delete(fault)
  }

  const server = http.createServer(async (request, response) => {
    const body = await text(request)
    const called = parseMethods(body)
    methods.push(...called)
    await applyFaults('before', called, response)
    if (response.destroyed) return
    const result = await chain.handleJsonRpc(body)
    await applyFaults('after', called, response)
    response.setHeader('content-type', 'application/json').end(result)
  })
  const port = await listenOnLoopback(server)

  const setAutomine = async (isAutomatic: boolean) => {
    await chain.request({ method: 'evm_setAutomine', params: [isAutomatic] })
  }
  return {
    url: `http://127.0.0.1:${port}`,
    chain,
    token,
    methods,
    fund: (address, units) => mintTestUsdc(chain, address, units),
    balanceOf: (address) =>
      client.readContract({
        address: token,
        abi: TEST_USDC_ABI,
        functionName: 'balanceOf',
        args: [address],
      }),
    async newWallet(units = 1_000_000n) {
      const account = privateKeyToAccount(generatePrivateKey())
      const params = [account.address, numberToHex(10n ** 18n)]
      await chain.request({ method: 'hardhat_setBalance', params })
      if (units > 0n) await mintTestUsdc(chain, account.address, units)
      return account
    },
    holdMining: () => setAutomine(false),
    async mine() {
      await chain.request({ method: 'evm_mine' })
    },
    releaseMining: () => setAutomine(true),
    async advanceTime(seconds) {
      await chain.request({ method: 'evm_increaseTime', params: [numberToHex(seconds)] })
      await chain.request({ method: 'evm_mine' })
    },
    async setBaseFee(wei) {
      const params = [numberToHex(wei)]
      await chain.request({ method: 'hardhat_setNextBlockBaseFeePerGas', params })
      await chain.request({ method: 'evm_mine' })
    },
    dropConnections: (method, { when = 'before', times = Number.POSITIVE_INFINITY } = {}) =>
      inject({ method, when, left: times, apply: (response) => void response.destroy() }),
    hold(method, when) {
      const hold = createHold()
      inject({ method, when, left: 1, apply: hold.wait })
      return hold
    },
    delayResponses: (method, delayMs) =>
      inject({
        method,
        when: 'before',
        left: Number.POSITIVE_INFINITY,
        apply: () => setTimeout(delayMs),
      }),
    async close() {
      server.close()
      server.closeAllConnections()
      chain.close()
    },
  }
}

function parseMethods(body: string): string[] {
  const requests = [JSON.parse(body)].flat() as { method: string }[]
  return requests.map(({ method }) => method)
}

/** All transfers of the token to this wallet address. */
export function transfersTo({ chain, token }: ChainServer, to: Address) {
  return createPublicClient({ transport: custom(chain) }).getContractEvents({
    address: token,
    abi: TEST_USDC_ABI,
    eventName: 'Transfer',
    args: { to },
    fromBlock: 0n,
  })
}

/** The key of a new account with ether. */
export async function createGasAccount({ chain }: ChainServer): Promise<Hex> {
  const key = generatePrivateKey()
  const params = [privateKeyToAddress(key), numberToHex(10n ** 18n)]
  await chain.request({ method: 'hardhat_setBalance', params })
  return key
}
