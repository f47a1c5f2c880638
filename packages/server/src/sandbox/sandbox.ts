/** Demo payments: a payment backend on a chain in this process, and a demo wallet that pays. */
import { openChainBackend } from '../payments/chain/chain-backend.js'
import type { PaymentBackend } from '../payments/facilitator.js'
import { NETWORKS } from '../payments/payment-terms.js'
import { PUBLIC_MAX_GAS } from './chain/public-node.js'
import { startSandboxChain } from './chain/sandbox-chain.js'
import { FACILITATOR_WALLET, SANDBOX_PAYEE } from './chain/sandbox-wallets.js'
import { createDemoWallet } from './demo-wallet.js'

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
