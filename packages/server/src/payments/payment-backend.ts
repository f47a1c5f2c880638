/** Everything a sale needs, made from the configuration. */
import type { CoinbaseKey } from './coinbase-key.js'
import type { Facilitator, ReadAuthorizationState } from './facilitator.js'
import type { HexText, PaymentTerms } from './payment-terms.js'

export interface PaymentBackend {
  readonly terms: PaymentTerms
  readonly facilitator: Facilitator
  /** Null where no chain can be asked. */
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

/** Loads only what the choice needs: a chain's libraries take longer to load than all the rest. */
export async function openPaymentBackend({
  terms,
  facilitator,
  rpcUrl,
}: PaymentBackendOptions): Promise<PaymentBackend> {
  const loadChain = () => import('./chain/chain-backend.js')
  if (facilitator.kind === 'in-process') {
    const { openChainBackend: openChainTill } = await loadChain()
    return openChainTill(terms, facilitator.rpcUrl, facilitator.privateKey)
  }
  const { url, coinbaseKey } = facilitator
  const { createRemoteFacilitator } = await import('./remote-facilitator.js')
  return {
    terms,
    facilitator: createRemoteFacilitator({
      url,
      network: terms.network,
      ...(coinbaseKey && { createAuthHeaders: await signedBy(coinbaseKey, url) }),
    }),
    readAuthorizationState:
      rpcUrl === null ? null : (await loadChain()).connectAuthorizationStateReader(terms, rpcUrl),
  }
}

async function signedBy(key: CoinbaseKey, url: string) {
  const { createCoinbaseAuth: coinbaseAuth } = await import('./coinbase-auth.js')
  return coinbaseAuth(key, url)
}
