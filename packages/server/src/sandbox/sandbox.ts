/** Payments without money: a till on a chain of our own, where the demo wallet pays. */
import { openChainBackend } from '../payments/chain/chain-backend.js'
import type { PaymentBackend } from '../payments/payment-backend.js'
import { NETWORKS } from '../payments/payment-terms.js'
import { startSandboxChain } from './chain/sandbox-chain.js'
import { FACILITATOR_WALLET, SANDBOX_PAYEE } from './chain/sandbox-wallets.js'
import { createDemoWallet } from './demo-wallet.js'

/** Base's test network, so that clients which know it need not be told anything. */
const NETWORK = 'eip155:84532'

/** Answers JSON-RPC. */
type Answer = (text: string) => Promise<string>

export interface Sandbox {
  readonly paymentBackend: PaymentBackend
  readonly handleChainRpc: Answer
  readonly handleWalletRpc: Answer
}

export async function openSandbox(): Promise<Sandbox> {
  const { chainId, usdc } = NETWORKS[NETWORK]
  const chain = await startSandboxChain({ chainId, token: usdc })
  const terms = { network: NETWORK, asset: usdc, payTo: SANDBOX_PAYEE } as const
  const till = openChainBackend(terms, chain, FACILITATOR_WALLET.privateKey)
  return {
    paymentBackend: till,
    handleChainRpc: chain.handleJsonRpc,
    handleWalletRpc: createDemoWallet(chainId),
  }
}
