/** Connects to the chain, for the in-process facilitator and for reading authorization states. */
import { createPublicClient, custom, type EIP1193RequestFn, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ReadAuthorizationState } from '../facilitator.js'
import type { PaymentBackend } from '../payment-backend.js'
import { type HexText, NETWORKS, type NetworkId, type PaymentTerms } from '../payment-terms.js'
import { createAuthorizationStateReader } from './authorization-state.js'
import { type ChainClient, createInProcessFacilitator } from './in-process-facilitator.js'

/** An RPC URL, or a chain in this process. */
export type ChainSource =
  | string
  | { request(args: { method: string; params?: unknown }): Promise<unknown> }

const RPC_TIMEOUT_MS = 10_000
/** Base produces a block every two seconds, and partial blocks faster. */
const POLLING_MS = 500

/** Without retries: resending a transaction fails although the first attempt went through. */
export function connectChain(source: ChainSource, network: NetworkId): ChainClient {
  const { chainId } = NETWORKS[network]
  const options = { retryCount: 0, timeout: RPC_TIMEOUT_MS }
  return createPublicClient({
    chain: {
      id: chainId,
      name: network,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [] } },
    },
    transport:
      typeof source === 'string'
        ? http(source, options)
        : custom({ request: source.request as EIP1193RequestFn }, options),
    pollingInterval: POLLING_MS,
    cacheTime: 0,
  })
}

export function openChainBackend(
  terms: PaymentTerms,
  source: ChainSource,
  privateKey: HexText,
): PaymentBackend {
  const client = connectChain(source, terms.network)
  return {
    terms,
    facilitator: createInProcessFacilitator(client, privateKeyToAccount(privateKey)),
    readAuthorizationState: createAuthorizationStateReader(client, terms.asset),
  }
}

export function connectAuthorizationStateReader(
  { network, asset }: PaymentTerms,
  source: ChainSource,
): ReadAuthorizationState {
  return createAuthorizationStateReader(connectChain(source, network), asset)
}
