/** A connection to the chain that reads, and sends nothing by itself. */
import { createPublicClient, custom, type EIP1193RequestFn, http, type PublicClient } from 'viem'
import { NETWORKS, type NetworkId } from '../payment-terms.js'

/** An address, or a chain in this very process. */
export type ChainSource =
  | string
  | { request(args: { method: string; params?: unknown }): Promise<unknown> }

const RPC_TIMEOUT_MS = 10_000
/** Base makes a block in two seconds, and parts of one faster. */
const POLLING_MS = 500

/** No retries: a transaction that is sent twice comes back as an error although the first went through. */
export function connectChain(source: ChainSource, network: NetworkId): PublicClient {
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
