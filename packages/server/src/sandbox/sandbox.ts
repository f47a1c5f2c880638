/** Demo payments: a payment backend on a chain in this process, and a demo wallet that pays. */
import { toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { openChainBackend } from '../payments/chain/chain-backend.js'
import type { PaymentBackend } from '../payments/facilitator.js'
import { NETWORKS } from '../payments/payment-terms.js'
import { PUBLIC_MAX_GAS } from './chain/public-node.js'
import { startSandboxChain } from './chain/sandbox-chain.js'
import { DEMO_PAYER_WALLET, FACILITATOR_WALLET, SANDBOX_PAYEE } from './chain/sandbox-wallets.js'

/** Base Sepolia, so x402 clients need no setup. */
const NETWORK = 'eip155:84532'

/** Its ETH is play money too; gas only has to be cheap enough. */
const SANDBOX_ETH_USD = 1

/** Takes and returns JSON-RPC as text. */
type HandleRpc = (text: string) => Promise<string>

export interface Sandbox {
  readonly paymentBackend: PaymentBackend
  readonly handleChainRpc: HandleRpc
  readonly handleWalletRpc: HandleRpc
}

export async function openSandbox(): Promise<Sandbox> {
  const { chainId, usdc } = NETWORKS[NETWORK]
  // The contract that checks a payment is named by its payer, a stranger.
  const chain = await startSandboxChain({ chainId, token: usdc, maxGas: PUBLIC_MAX_GAS })
  const terms = { network: NETWORK, asset: usdc, payTo: SANDBOX_PAYEE } as const
  return {
    paymentBackend: openChainBackend(terms, chain, {
      ...FACILITATOR_WALLET,
      ethUsd: SANDBOX_ETH_USD,
    }),
    handleChainRpc: chain.handlePublicJsonRpc,
    handleWalletRpc: createDemoWallet(chainId),
  }
}

const INVALID_PARAMS = { code: -32602, message: 'Invalid parameters' }
const METHOD_NOT_FOUND = {
  code: -32601,
  message: 'Unsupported method: the demo wallet only signs typed data',
}

type WalletResponse = { result: unknown } | { error: { code: number; message: string } }

/**
 * The demo wallet: the methods of a browser wallet (EIP-1193) over JSON-RPC. It signs everything,
 * because its key is public and it holds play money.
 */
export function createDemoWallet(chainId: number): (text: string) => Promise<string> {
  const account = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)

  async function call(method: unknown, params: unknown): Promise<WalletResponse> {
    switch (method) {
      case 'eth_requestAccounts':
      case 'eth_accounts':
        return { result: [account.address] }
      case 'eth_chainId':
        return { result: toHex(chainId) }
      case 'eth_signTypedData_v4':
        return sign(params)
      default:
        return { error: METHOD_NOT_FOUND }
    }
  }

  async function sign(params: unknown): Promise<WalletResponse> {
    try {
      const [, typedData] = params as [string, string]
      return { result: await account.signTypedData(JSON.parse(typedData)) }
    } catch {
      return { error: INVALID_PARAMS }
    }
  }

  return async function handle(text) {
    const { id = null, method, params } = parseRequest(text)
    return JSON.stringify({ jsonrpc: '2.0', id, ...(await call(method, params)) })
  }
}

function parseRequest(text: string): { id?: unknown; method?: unknown; params?: unknown } {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
