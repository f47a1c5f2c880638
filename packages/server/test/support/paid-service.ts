/** The whole service with payments on its own chain, and checks of their outcome. */

import { type TestZoneDns, zoneDns } from '@mailgrade/testing/test-zone-dns'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, onTestFinished } from 'vitest'
import type { Facilitator } from '../../src/payments/facilitator.js'
import { openPaymentBackend } from '../../src/payments/payment-backend.js'
import type { HexText, PaymentTerms, RpcUrls } from '../../src/payments/payment-terms.js'
import { FACILITATOR_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { type ChainServer, startChainServer, transfersTo } from './chain-server.js'
import { type FacilitatorServer, startFacilitatorServer } from './facilitator-server.js'
import { type PaidResponse, readPaidResponse } from './paid-responses.js'
import { TEST_ETH_USD } from './payment-fixtures.js'
import { createTestApp, type TestApp, type TestAppOptions } from './test-app.js'
import { createTestPayer, type PaymentOverrides, type TestPayer } from './test-payer.js'

/** Nobody here is silent, so who takes longer than a service waits is only on a busy machine. */
const PATIENT = {
  rpcMs: 120_000,
  readMs: 120_000,
  verifyMs: 120_000,
  settleMs: 120_000,
} as const

export const SCORE_PRICE_UNITS = 10_000n
export const ACME_SCORE_PATH = '/v1/score?domain=acme.test'
export const OTHER_SCORE_PATH = '/v1/score?domain=other.test'

const ZONE = `
  acme.test. MX 10 mx.acme.test.
  acme.test. TXT "v=spf1 mx -all"
  _dmarc.acme.test. TXT "v=DMARC1; p=reject"
  mx.acme.test. A 192.0.2.1
  other.test. MX 0 .
`

/** `in-process` settles over JSON-RPC, `remote` through a facilitator over HTTP. */
export type PaymentBackendKind = 'in-process' | 'remote'

export interface PaidService extends TestApp {
  readonly chain: ChainServer
  readonly facilitator: FacilitatorServer
  readonly payee: Address
  readonly dns: TestZoneDns
  readonly payer: TestPayer
  send(path: string, payment?: string, init?: RequestInit): Promise<PaidResponse>
  /** Signs a payment for this path. */
  sign(overrides?: PaymentOverrides, path?: string): Promise<string>
  /** The balance of the payee. */
  revenue(): Promise<bigint>
  /** The transactions that paid the payee, with this amount each. */
  settlements(amount?: bigint): Promise<string[]>
  /** How often a report about acme.test was started. */
  reportCount(): number
  /** Runs at the next DNS query, after a payment is verified and before it is settled. */
  onNextDnsQuery(act: () => unknown): void
  /** Another instance on the same chain with empty state, or with these changes. */
  reopen(changes?: PaidServiceOptions): Promise<PaidService>
}

export interface PaidServiceOptions extends Omit<TestAppOptions, 'paymentBackend'> {
  readonly failing?: Parameters<typeof zoneDns>[1]
  /** The payer's balance; one dollar by default. */
  readonly units?: bigint
  /** Where the chain is read; the chain itself by default. */
  readonly rpcUrls?: RpcUrls
  /** The account that settles in-process; that of the sandbox by default. */
  readonly gasKey?: HexText
  /** Wraps the facilitator of the payment flow. */
  readonly wrapFacilitator?: (facilitator: Facilitator) => Facilitator
}

export async function openPaidService(
  kind: PaymentBackendKind,
  options: PaidServiceOptions = {},
): Promise<PaidService> {
  const chain = await startChainServer({ chainId: 8453 })
  const facilitator = await startFacilitatorServer(chain)
  onTestFinished(async () => {
    facilitator.kill()
    await chain.close()
  })
  const payee = privateKeyToAddress(generatePrivateKey())
  const payer = await createTestPayer(chain, options.units)
  const dns = zoneDns(ZONE, options.failing)
  return assemble(kind, options, { chain, facilitator, payee, payer, dns })
}

type Environment = Pick<PaidService, 'chain' | 'facilitator' | 'payee' | 'payer' | 'dns'>

async function assemble(
  kind: PaymentBackendKind,
  options: PaidServiceOptions,
  environment: Environment,
): Promise<PaidService> {
  const { chain, payee, payer, dns } = environment
  const terms: PaymentTerms = { network: 'eip155:8453', asset: chain.token, payTo: payee }
  const { failing: _, units: __, wrapFacilitator = (it) => it, ...others } = options
  const { rpcUrls = [chain.url], gasKey = FACILITATOR_WALLET.privateKey, ...appOptions } = others
  const opened = await openPaymentBackend({
    terms,
    facilitator:
      kind === 'in-process'
        ? { kind, privateKey: gasKey, ethUsd: TEST_ETH_USD }
        : { kind, url: environment.facilitator.url, coinbaseKey: null },
    rpcUrls,
    timeouts: PATIENT,
  })
  const paymentBackend = { ...opened, facilitator: wrapFacilitator(opened.facilitator) }
  let act: (() => unknown) | null = null
  async function queryDns(...query: Parameters<TestZoneDns['query']>) {
    const current = act
    act = null
    await current?.()
    return dns.query(...query)
  }
  const resolvers = [{ name: 'zone', isAnswering: async () => true, isPaused: () => false }]
  const app = createTestApp(
    { query: queryDns as TestZoneDns['query'], resolvers },
    // This chain shows a block as soon as it is mined.
    { wait: async () => {}, ...appOptions, paymentBackend },
  )

  async function send(
    path: string,
    payment?: string,
    init: RequestInit = {},
  ): Promise<PaidResponse> {
    const headers = payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }
    return readPaidResponse(await app.request(path, { headers, ...init }))
  }

  return {
    ...app,
    ...environment,
    send,
    async sign(overrides, path = ACME_SCORE_PATH) {
      const { paymentRequired } = await send(path)
      return payer.sign(paymentRequired, overrides)
    },
    revenue: () => chain.balanceOf(payee),
    async settlements(amount = SCORE_PRICE_UNITS) {
      const logs = await transfersTo(chain, payee)
      expect(logs.map(({ args }) => args.value)).toEqual(logs.map(() => amount))
      return logs.map(({ transactionHash }) => transactionHash)
    },
    reportCount: () => dns.queries.filter((query) => query === 'MX acme.test').length,
    onNextDnsQuery(next) {
      act = next
    },
    reopen: (changes) => assemble(kind, { ...options, ...changes }, environment),
  }
}

/** One report about acme.test for one payment, and a settlement with its transaction. */
export async function expectDelivered(service: PaidService, response: PaidResponse): Promise<void> {
  expect([response.status, response.body.domain]).toEqual([200, 'acme.test'])
  expect(response.settlement).toEqual({
    success: true,
    transaction: expect.any(String),
    network: 'eip155:8453',
    payer: service.payer.address,
  })
  expect(await service.revenue()).toBe(SCORE_PRICE_UNITS)
  expect(await service.settlements()).toHaveLength(1)
}

/** Breaks all requests to the chain. Returns a function that stops it. */
export function disconnectChain(chain: ChainServer): () => void {
  const ends = RPC_METHODS.map((method) => chain.dropConnections(method))
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

export async function expectNotCharged(service: PaidService): Promise<void> {
  expect(await service.revenue()).toBe(0n)
  expect(await service.settlements()).toEqual([])
}
