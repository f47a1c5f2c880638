/** Opens what payments need, from the configuration. */
import type { Facilitator, ReadAuthorizationState } from './facilitator.js'
import type { CoinbaseKey } from './payment-config.js'
import type { HexText, PaymentTerms } from './payment-terms.js'

export interface PaymentBackend {
  readonly terms: PaymentTerms
  readonly facilitator: Facilitator
  /** Null without an RPC endpoint. */
  readonly readAuthorizationState: ReadAuthorizationState | null
}

export interface PaymentBackendOptions {
  readonly terms: PaymentTerms
  readonly facilitator: FacilitatorChoice
  readonly rpcUrl: string | null
}

type FacilitatorChoice =
  | { readonly kind: 'remote'; readonly url: string; readonly coinbaseKey: CoinbaseKey | null }
  | { readonly kind: 'in-process'; readonly rpcUrl: string; readonly privateKey: HexText }

/** Imports lazily: the chain libraries take longer to load than everything else. */
export async function openPaymentBackend({
  terms,
  facilitator,
  rpcUrl,
}: PaymentBackendOptions): Promise<PaymentBackend> {
  const loadChain = () => import('./chain/chain-backend.js')
  if (facilitator.kind === 'in-process') {
    const { openChainBackend } = await loadChain()
    return openChainBackend(terms, facilitator.rpcUrl, facilitator.privateKey)
  }
  const { url, coinbaseKey } = facilitator
  const { createRemoteFacilitator } = await import('./remote-facilitator.js')
  return {
    terms,
    facilitator: createRemoteFacilitator({
      url,
      network: terms.network,
      ...(coinbaseKey && { createAuthHeaders: await loadCoinbaseAuth(coinbaseKey, url) }),
    }),
    readAuthorizationState:
      rpcUrl === null ? null : (await loadChain()).connectAuthorizationStateReader(terms, rpcUrl),
  }
}

async function loadCoinbaseAuth(key: CoinbaseKey, url: string) {
  const { createCoinbaseAuth } = await import('./coinbase-auth.js')
  return createCoinbaseAuth(key, url)
}
