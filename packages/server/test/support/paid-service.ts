/** The whole service with a till on a chain of its own, and what tests want to know of a sale. */

import { type TestZoneDns, zoneDns } from '@mailgrade/testing/test-zone-dns'
import type { Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, onTestFinished } from 'vitest'
import type { Facilitator } from '../../src/payments/facilitator.js'
import { openPaymentBackend } from '../../src/payments/payment-backend.js'
import type { PaymentTerms } from '../../src/payments/payment-terms.js'
import { FACILITATOR_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { type ChainServer, startChainServer, transfersTo } from './chain-server.js'
import { type FacilitatorServer, startFacilitatorServer } from './facilitator-server.js'
import { type PaidResponse, readPaidResponse } from './paid-responses.js'
import { createTestApp, type TestApp, type TestAppOptions } from './test-app.js'
import { createTestPayer, type PaymentOverrides, type TestPayer } from './test-payer.js'

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

/**
 * `in-process` settles over JSON-RPC, `sandbox` on a chain in the same process; `remote` asks a
 * facilitator over HTTP, and the chain only when in doubt; `remote-only` has no chain to ask.
 */
export type PaymentBackendKind = 'in-process' | 'remote' | 'remote-only'

export interface PaidService extends TestApp {
  readonly chain: ChainServer
  readonly facilitator: FacilitatorServer
  readonly payee: Address
  readonly dns: TestZoneDns
  readonly payer: TestPayer
  send(path: string, payment?: string, init?: RequestInit): Promise<PaidResponse>
  /** Signs what is asked for this path. */
  sign(overrides?: PaymentOverrides, path?: string): Promise<string>
  /** What the payee has got. */
  revenue(): Promise<bigint>
  /** The transactions in which the payee was paid, of this amount each. */
  settlements(amount?: bigint): Promise<string[]>
  /** How often a report about acme.test was begun. */
  reportCount(): number
  /** Does something at the next question to the DNS: when a payment is verified, but not settled. */
  onNextDnsQuery(act: () => unknown): void
  /** The same shop on the same chain, remembering nothing, or what is to be different. */
  reopen(changes?: PaidServiceOptions): Promise<PaidService>
}

export interface PaidServiceOptions extends Omit<TestAppOptions, 'till'> {
  readonly failing?: Parameters<typeof zoneDns>[1]
  /** Of the payer: a dollar unless told otherwise. */
  readonly units?: bigint
  /** Comes between the gate and its facilitator. */
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

type Place = Pick<PaidService, 'chain' | 'facilitator' | 'payee' | 'payer' | 'dns'>

async function assemble(
  kind: PaymentBackendKind,
  options: PaidServiceOptions,
  place: Place,
): Promise<PaidService> {
  const { chain, payee, payer, dns } = place
  const terms: PaymentTerms = { network: 'eip155:8453', asset: chain.token, payTo: payee }
  const { failing: _, units: __, wrapFacilitator = (it) => it, ...appOptions } = options
  const opened = await openTillOf(kind, terms, place)
  const till = { ...opened, facilitator: wrapFacilitator(opened.facilitator) }
  let act: (() => unknown) | null = null
  async function askDns(...question: Parameters<TestZoneDns['query']>) {
    const now = act
    act = null
    await now?.()
    return dns.query(...question)
  }
  const resolvers = [{ name: 'zone', isAnswering: async () => true, isPaused: () => false }]
  const app = createTestApp(
    { query: askDns as TestZoneDns['query'], resolvers },
    { ...appOptions, paymentBackend: till },
  )

  async function ask(
    path: string,
    payment?: string,
    init: RequestInit = {},
  ): Promise<PaidResponse> {
    const headers = payment === undefined ? {} : { 'PAYMENT-SIGNATURE': payment }
    return readPaidResponse(await app.request(path, { headers, ...init }))
  }

  return {
    ...app,
    ...place,
    send: ask,
    async sign(overrides, path = ACME_SCORE_PATH) {
      const { paymentRequired } = await ask(path)
      if (!paymentRequired) throw new Error(`${path} has no price`)
      return payer.sign(paymentRequired, overrides)
    },
    revenue: () => chain.balanceOf(payee),
    async settlements(amount = SCORE_PRICE_UNITS) {
      const logs = await transfersTo(chain, payee)
      expect(logs.map(({ args }) => args.value)).toEqual(logs.map(() => amount))
      return logs.map(({ transactionHash }) => transactionHash)
    },
    reportCount: () => dns.queries.filter((question) => question === 'MX acme.test').length,
    onNextDnsQuery(next) {
      act = next
    },
    reopen: (changes) => assemble(kind, { ...options, ...changes }, place),
  }
}

async function openTillOf(
  kind: PaymentBackendKind,
  terms: PaymentTerms,
  { chain, facilitator }: Place,
) {
  const { privateKey } = FACILITATOR_WALLET
  return openPaymentBackend({
    terms,
    facilitator:
      kind === 'in-process'
        ? { kind, rpcUrl: chain.url, privateKey }
        : { kind: 'remote', url: facilitator.url, coinbaseKey: null },
    rpcUrl: kind === 'remote' ? chain.url : null,
  })
}

/** A report about acme.test for one payment, no more: the receipt names the transaction on chain. */
export async function expectDelivered(shop: PaidService, answer: PaidResponse): Promise<void> {
  expect([answer.status, answer.body.domain]).toEqual([200, 'acme.test'])
  expect(answer.settlement).toEqual({
    success: true,
    transaction: expect.any(String),
    network: 'eip155:8453',
    payer: shop.payer.address,
  })
  expect(await shop.revenue()).toBe(SCORE_PRICE_UNITS)
  expect(await shop.settlements()).toHaveLength(1)
}

/** From now on no request to the chain gets through. Returns what ends it. */
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

export async function expectNotCharged(shop: PaidService): Promise<void> {
  expect(await shop.revenue()).toBe(0n)
  expect(await shop.settlements()).toEqual([])
}
