/** Payments without money: a till on a chain of our own, where the demo wallet pays. */
import { openChainTill } from '../payments/chain/chain-till.js'
import { NETWORKS } from '../payments/terms.js'
import type { Till } from '../payments/till.js'
import { startChain } from './chain/start-chain.js'
import { FACILITATOR, PAYEE } from './chain/wallets.js'
import { openDemoWallet } from './demo-wallet.js'

/** Base's test network, so that clients which know it need not be told anything. */
const NETWORK = 'eip155:84532'

/** Answers JSON-RPC. */
type Answer = (text: string) => Promise<string>

export interface Sandbox {
  readonly till: Till
  readonly chain: Answer
  readonly wallet: Answer
}

export async function openSandbox(): Promise<Sandbox> {
  const { chainId, usdc } = NETWORKS[NETWORK]
  const chain = await startChain({ chainId, token: usdc })
  const terms = { network: NETWORK, asset: usdc, payTo: PAYEE } as const
  const till = openChainTill(terms, chain, FACILITATOR.privateKey)
  return { till, chain: chain.handle, wallet: openDemoWallet(chainId) }
}
