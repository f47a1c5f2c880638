/** Connects to the chain, for the in-process facilitator and for reading authorization states. */
import { createPublicClient, custom, type EIP1193RequestFn } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type {
  PaymentBackend,
  PaymentTimeouts,
  ReadAuthorizationState,
  ReadChainTime,
  ReadPayeeTransfers,
} from '../facilitator.js'
import {
  type HexText,
  NETWORKS,
  type NetworkId,
  type PaymentTerms,
  type RpcUrls,
} from '../payment-terms.js'
import { askInOrder, createAuthorizationStateReader } from './authorization-state.js'
import type { ChainClient } from './chain-client.js'
import { createInProcessFacilitator } from './in-process-facilitator.js'
import { createNodeTransport } from './node-transport.js'
import { createPayeeTransferReader, mergePayeeTransfers } from './payee-transfers.js'

/** RPC URLs in order of preference, or a chain in this process. */
export type ChainSource =
  | RpcUrls
  | { request(args: { method: string; params?: unknown }): Promise<unknown> }

const RPC_TIMEOUT_MS = 10_000
const READ_TIMEOUT_MS = 3_000
/** Base produces a block every two seconds, and partial blocks faster. */
const POLLING_MS = 500

export function connectChain(
  source: ChainSource,
  network: NetworkId,
  timeoutMs = RPC_TIMEOUT_MS,
): ChainClient {
  const { chainId } = NETWORKS[network]
  return createPublicClient({
    chain: {
      id: chainId,
      name: network,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [] } },
    },
    transport:
      'request' in source
        ? custom({ request: source.request as EIP1193RequestFn }, { retryCount: 0 })
        : createNodeTransport(source, { timeoutMs }),
    pollingInterval: POLLING_MS,
    cacheTime: 0,
  })
}

/** The account that pays for gas. */
export interface GasAccount {
  readonly privateKey: HexText
  /** What one ETH is worth at most, in US dollars. */
  readonly ethUsd: number
}

export function openChainBackend(
  terms: PaymentTerms,
  source: ChainSource,
  { privateKey, ethUsd }: GasAccount,
  timeouts: PaymentTimeouts = {},
): PaymentBackend {
  const { rpcMs, confirmationMs: confirmationTimeoutMs } = timeouts
  const client = connectChain(source, terms.network, rpcMs)
  const account = privateKeyToAccount(privateKey)
  return {
    terms,
    facilitator: createInProcessFacilitator(client, account, {
      ethUsd,
      ...(confirmationTimeoutMs && { confirmationTimeoutMs }),
    }),
    readAuthorizationState: connectAuthorizationStateReader(terms, source, timeouts),
    readPayeeTransfers: connectPayeeTransferReader(terms, source, timeouts),
    readChainTime: connectChainClock(terms, source, timeouts),
  }
}

export function connectChainClock(
  { network }: PaymentTerms,
  source: ChainSource,
  { readMs = READ_TIMEOUT_MS }: PaymentTimeouts = {},
): ReadChainTime {
  const client = connectChain(source, network, readMs)
  return async () => Number((await client.getBlock()).timestamp)
}

export function connectAuthorizationStateReader(
  terms: PaymentTerms,
  source: ChainSource,
  { readMs = READ_TIMEOUT_MS }: PaymentTimeouts = {},
): ReadAuthorizationState {
  const read = (one: ChainSource) =>
    createAuthorizationStateReader(connectChain(one, terms.network, readMs), terms)
  if ('request' in source) return read(source)
  const [first, ...others] = source
  return askInOrder([read([first]), ...others.map((url) => read([url]))])
}

/** Null if the chain can be read; otherwise the reason, for operators. */
export function createChainHealthProblem(
  { network }: PaymentTerms,
  source: ChainSource,
  { readMs = READ_TIMEOUT_MS }: PaymentTimeouts = {},
): () => Promise<string | null> {
  const client = connectChain(source, network, readMs)
  return async () => {
    try {
      const chainId = await client.getChainId()
      return chainId === client.chain.id ? null : `the RPC endpoint serves chain ${chainId}`
    } catch {
      return 'the RPC endpoint does not answer'
    }
  }
}

export function connectPayeeTransferReader(
  terms: PaymentTerms,
  source: ChainSource,
  { rpcMs }: PaymentTimeouts = {},
): ReadPayeeTransfers {
  const read = (one: ChainSource) =>
    createPayeeTransferReader(connectChain(one, terms.network, rpcMs), terms)
  return 'request' in source ? read(source) : mergePayeeTransfers(source.map((url) => read([url])))
}
