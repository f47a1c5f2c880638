/** The whole service with a till on a chain of its own, and what tests want to know of a sale. */

import { type World, world } from '@mailgrade/testing/world'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, onTestFinished } from 'vitest'
import type { Facilitator } from '../../src/payments/facilitator.js'
import type { Terms } from '../../src/payments/terms.js'
import { openTill } from '../../src/payments/till.js'
import { FACILITATOR } from '../../src/sandbox/chain/wallets.js'
import { type ChainServer, startChainServer } from './chain.js'
import { type FacilitatorServer, startFacilitator } from './facilitator.js'
import { type Answer, readAnswer } from './paid-answers.js'
import { newPayer, type Overrides, type Payer } from './payer.js'
import { type TestApp, type TestAppOptions, testApp } from './test-app.js'
import { transfersTo } from './transfers.js'

export const PRICE = 10_000n
export const ACME = '/v1/score?domain=acme.test'
export const OTHER = '/v1/score?domain=other.test'

const ZONE = `
  acme.test. MX 10 mx.acme.test.
  acme.test. TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject"
  mx.acme.test. A 192.0.2.1
  other.test. MX 0 .
`

/**
 * `in-process` settles over JSON-RPC, `sandbox` on a chain in the same process; `remote` asks a
 * facilitator over HTTP, and the chain only when in doubt; `remote-only` has no chain to ask.
 */
export type TillKind = 'in-process' | 'remote' | 'remote-only'

export interface Shop extends TestApp {
  readonly chain: ChainServer
  readonly facilitator: FacilitatorServer
  readonly payee: Address
  readonly dns: World
  readonly payer: Payer
  ask(path: string, payment?: string, init?: RequestInit): Promise<Answer>
  /** Signs what is asked for this path. */
  sign(overrides?: Overrides, path?: string): Promise<string>
  /** What the payee has got. */
  earned(): Promise<bigint>
  /** The transactions in which the payee was paid, of this amount each. */
  settlements(amount?: bigint): Promise<string[]>
  /** How often a report about acme.test was begun. */
  reports(): number
  /** Does something at the next question to the DNS: when a payment is verified, but not settled. */
  duringWork(act: () => unknown): void
  /** The same shop on the same chain, remembering nothing, or what is to be different. */
  reopened(changes?: ShopOptions): Promise<Shop>
}

export interface ShopOptions extends Omit<TestAppOptions, 'till'> {
  readonly failing?: Parameters<typeof world>[1]
  /** Of the payer: a dollar unless told otherwise. */
  readonly units?: bigint
  /** Comes between the gate and its facilitator. */
  readonly disturb?: (facilitator: Facilitator) => Facilitator
}

export async function openShop(kind: TillKind, options: ShopOptions = {}): Promise<Shop> {
  const chain = await startChainServer({ chainId: 8453 })
  const facilitator = await startFacilitator(chain)
  onTestFinished(async () => {
    facilitator.kill()
    await chain.close()
  })
  const payee = privateKeyToAddress(generatePrivateKey())
  const payer = await newPayer(chain, options.units)
  const dns = world(ZONE, options.failing)
  return assemble(kind, options, { chain, facilitator, payee, payer, dns })
}

type Place = Pick<Shop, 'chain' | 'facilitator' | 'payee' | 'payer' | 'dns'>

async function assemble(kind: TillKind, options: ShopOptions, place: Place): Promise<Shop> {
  const { chain, payee, payer, dns } = place
  const terms: Terms = { network: 'eip155:8453', asset: chain.token, payTo: payee }
  const { failing: _, units: __, disturb = (it) => it, ...appOptions } = options
  const opened = await openTillOf(kind, terms, place)
  const till = { ...opened, facilitator: disturb(opened.facilitator) }
  let act: (() => unknown) | null = null
  async function askDns(...question: Parameters<World['ask']>) {
    const now = act
    act = null
    await now?.()
    return dns.ask(...question)
  }
  const resolvers = [{ name: 'zone', isAnswering: async () => true, isResting: () => false }]
  const app = testApp({ ask: askDns as World['ask'], resolvers }, { ...appOptions, till })

  async function ask(path: string, payment?: string, init: RequestInit = {}): Promise<Answer> {
    const headers = payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }
    return readAnswer(await app.request(path, { headers, ...init }))
  }

  return {
    ...app,
    ...place,
    ask,
    async sign(overrides, path = ACME) {
      const { required } = await ask(path)
      if (!required) throw new Error(`${path} has no price`)
      return payer.sign(required, overrides)
    },
    earned: () => chain.balanceOf(payee),
    async settlements(amount = PRICE) {
      const logs = await transfersTo(chain, payee)
      expect(logs.map(({ args }) => args.value)).toEqual(logs.map(() => amount))
      return logs.map(({ transactionHash }) => transactionHash)
    },
    reports: () => dns.asked.filter((question) => question === 'MX acme.test').length,
    duringWork(next) {
      act = next
    },
    reopened: (changes) => assemble(kind, { ...options, ...changes }, place),
  }
}

async function openTillOf(kind: TillKind, terms: Terms, { chain, facilitator }: Place) {
  const { privateKey } = FACILITATOR
  return openTill({
    terms,
    facilitator:
      kind === 'in-process'
        ? { kind, rpcUrl: chain.url, privateKey }
        : { kind: 'remote', url: facilitator.url, coinbaseKey: null },
    rpcUrl: kind === 'remote' ? chain.url : null,
  })
}

/** A report about acme.test for one payment, no more: the receipt names the transaction on chain. */
export async function expectSold(shop: Shop, answer: Answer): Promise<void> {
  expect([answer.status, answer.body.domain]).toEqual([200, 'acme.test'])
  expect(answer.receipt).toEqual({
    success: true,
    transaction: expect.any(String),
    network: 'eip155:8453',
    payer: shop.payer.address,
  })
  expect(await shop.earned()).toBe(PRICE)
  expect(await shop.settlements()).toHaveLength(1)
}

/** From now on no request to the chain gets through. Returns what ends it. */
export function cutOff(chain: ChainServer): () => void {
  const ends = RPC_METHODS.map((method) => chain.drop(method))
  return () => {
    for (const end of ends) end()
  }
}

const RPC_METHODS = [
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_sendRawTransaction',
]

export async function expectUnpaid(shop: Shop): Promise<void> {
  expect(await shop.earned()).toBe(0n)
  expect(await shop.settlements()).toEqual([])
}
