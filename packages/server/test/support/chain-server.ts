/**
 * The sandbox's chain behind a JSON-RPC endpoint on loopback, whose faults a test decides.
 *
 * viem's `http()` asks again, three times, when a connection breaks: a fault that is to be seen by
 * the code under test must last longer, or `retryCount` must be 0.
 */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { type Address, createPublicClient, custom, numberToHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { SandboxChain } from '../../src/sandbox/chain/chain.js'
import { mintTestUsdc } from '../../src/sandbox/chain/mint.js'
import { startSandboxChain } from '../../src/sandbox/chain/sandbox-chain.js'
import { TEST_USDC_ABI } from '../../src/sandbox/token/test-usdc.js'

/** Where the real USDC is. */
const USDC = {
  8453: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  84532: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
} as const

type ChainId = keyof typeof USDC

interface Fault {
  /** Whether the chain still does what it was asked before the connection breaks. */
  readonly when?: 'before' | 'after'
  /** How many requests it hits; all of them unless told otherwise. */
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
  /** Somebody new, with a test dollar unless told otherwise, and an ether. */
  newWallet(units?: bigint): Promise<PrivateKeyAccount>
  /** From now on transactions are accepted but not mined. */
  holdMining(): Promise<void>
  /** Mines a block of what was held; more are held nevertheless. */
  mine(): Promise<void>
  /** Mines what was held, and from now on whatever comes, at once. */
  releaseMining(): Promise<void>
  /** Breaks the connection at requests with this method. Returns what ends it. */
  dropConnections(method: string, fault?: Fault): () => void
  /** Lets requests with this method wait before they are answered. Returns what ends it. */
  delayResponses(method: string, milliseconds: number): () => void
  close(): Promise<void>
}

interface ActiveFault {
  readonly method: string
  readonly apply: (response: http.ServerResponse) => Promise<void> | void
  readonly when: 'before' | 'after'
  left: number
}

export async function startChainServer({ chainId }: { chainId: ChainId }): Promise<ChainServer> {
  const token = USDC[chainId]
  const chain = await startSandboxChain({ chainId, token })
  const client = createPublicClient({ transport: custom(chain) })
  const methods: string[] = []
  const faults = new Set<ActiveFault>()

  async function suffer(
    when: Fault['when'],
    asked: readonly string[],
    response: http.ServerResponse,
  ) {
    for (const fault of faults) {
      if (fault.when !== when || !asked.includes(fault.method)) continue
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
    const asked = methodsOf(body)
    methods.push(...asked)
    await suffer('before', asked, response)
    if (response.destroyed) return
    const answer = await chain.handleJsonRpc(body)
    await suffer('after', asked, response)
    response.setHeader('content-type', 'application/json').end(answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const setAutomine = async (isAutomatic: boolean) => {
    await chain.request({ method: 'evm_setAutomine', params: [isAutomatic] })
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
    dropConnections: (method, { when = 'before', times = Number.POSITIVE_INFINITY } = {}) =>
      inject({ method, when, left: times, apply: (response) => void response.destroy() }),
    delayResponses: (method, milliseconds) =>
      inject({
        method,
        when: 'before',
        left: Number.POSITIVE_INFINITY,
        apply: () => setTimeout(milliseconds),
      }),
    async close() {
      server.close()
      server.closeAllConnections()
      chain.close()
    },
  }
}

function methodsOf(body: string): string[] {
  const requests = [JSON.parse(body)].flat() as { method: string }[]
  return requests.map(({ method }) => method)
}
