/** Connects to a chain: JSON-RPC over HTTP to the nodes of `RPC_URL`, or a chain in this process. */
import {
  BaseError,
  type Chain,
  createPublicClient,
  custom,
  type EIP1193RequestFn,
  http,
  type PublicClient,
  RpcError,
  RpcRequestError,
  shouldThrow,
  type Transport,
} from 'viem'
import { NETWORKS, type NetworkId, type RpcUrls } from '../payment-terms.js'

export type ChainClient = PublicClient<Transport, Chain>

/** RPC URLs in order of preference, or a chain in this process. */
export type ChainSource =
  | RpcUrls
  | { request(args: { method: string; params?: unknown }): Promise<unknown> }

const RPC_TIMEOUT_MS = 10_000
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

interface NodeTransportOptions {
  readonly timeoutMs: number
  /** Monotonic milliseconds; tests pass their own clock. */
  readonly now?: () => number
}

/** A sale asks the nodes about ten times in a row, and would wait for a dead one each time. */
const ASKED_LAST_MS = 30_000

/** Without retries: resending a transaction fails although the first attempt went through. */
export function createNodeTransport(
  urls: RpcUrls,
  { timeoutMs, now = () => performance.now() }: NodeTransportOptions,
): Transport {
  const nodes = urls.map((url) => ({
    ...connectNode(url, timeoutMs),
    askedLastUntil: Number.NEGATIVE_INFINITY,
  }))

  function inOrder() {
    const time = now()
    const isLast = ({ askedLastUntil }: { askedLastUntil: number }) => time < askedLastUntil
    return [...nodes.filter((node) => !isLast(node)), ...nodes.filter(isLast)]
  }

  return custom(
    {
      async request(call) {
        let failure: unknown
        for (const node of inOrder()) {
          try {
            return await node.request(call)
          } catch (error) {
            if (!isNodeAnswer(error)) node.askedLastUntil = now() + ASKED_LAST_MS
            else if (shouldThrow(error as Error)) throw error
            failure = error
          }
        }
        throw failure
      },
    },
    { retryCount: 0 },
  )
}

function connectNode(url: string, timeoutMs: number) {
  return http(url, {
    retryCount: 0,
    // viem's own timeout ends with the headers, and a node may send those and nothing else. It has
    // to be this signal alone: on Node 20 one made by `AbortSignal.any` may be collected as garbage.
    timeout: 0,
    fetchFn: (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
    fetchOptions: { redirect: 'error' },
  })({})
}

/** An error that the node itself reports, and not a connection that failed or took too long. */
export function isNodeAnswer(error: unknown): boolean {
  const isAnswer = (cause: unknown) => cause instanceof RpcError || cause instanceof RpcRequestError
  return error instanceof BaseError && error.walk(isAnswer) !== null
}
