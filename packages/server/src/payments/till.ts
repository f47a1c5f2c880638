/** Everything a sale needs, made from the configuration. */
import type { CoinbaseKey } from './coinbase-key.js'
import type { Facilitator, TracePayment } from './facilitator.js'
import type { HexText, Terms } from './terms.js'

export interface Till {
  readonly terms: Terms
  readonly facilitator: Facilitator
  /** Null where no chain can be asked. */
  readonly trace: TracePayment | null
}

export interface TillOptions {
  readonly terms: Terms
  readonly facilitator: FacilitatorChoice
  readonly rpcUrl: string | null
}

type FacilitatorChoice =
  | { readonly kind: 'remote'; readonly url: string; readonly coinbaseKey: CoinbaseKey | null }
  | { readonly kind: 'in-process'; readonly rpcUrl: string; readonly privateKey: HexText }

/** Loads only what the choice needs: a chain's libraries take longer to load than all the rest. */
export async function openTill({ terms, facilitator, rpcUrl }: TillOptions): Promise<Till> {
  const loadChain = () => import('./chain/chain-till.js')
  if (facilitator.kind === 'in-process') {
    const { openChainTill } = await loadChain()
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
    trace: rpcUrl === null ? null : (await loadChain()).traceOn(terms, rpcUrl),
  }
}

async function signedBy(key: CoinbaseKey, url: string) {
  const { coinbaseAuth } = await import('./coinbase-auth.js')
  return coinbaseAuth(key, url)
}
