/** Opens what payments need, from the configuration. */
import type { ReadChainTime } from './chain/chain-backend.js'
import type { ReadPayeeTransfers } from './chain/payee-transfers.js'
import type { Facilitator, ReadAuthorizationState } from './facilitator.js'
import type { CoinbaseKey } from './payment-config.js'
import type { HexText, PaymentTerms } from './payment-terms.js'

export interface PaymentBackend {
  readonly terms: PaymentTerms
  readonly facilitator: Facilitator
  readonly readAuthorizationState: ReadAuthorizationState
  readonly readPayeeTransfers: ReadPayeeTransfers
  readonly readChainTime: ReadChainTime
}

/** In order of preference. */
export type RpcUrls = readonly [string, ...string[]]

export interface PaymentBackendOptions {
  readonly terms: PaymentTerms
  readonly facilitator: FacilitatorChoice
  readonly rpcUrls: RpcUrls
  /** Tests pass their own. */
  readonly timeouts?: PaymentTimeouts
}

/** How long others may take to answer; what is left out has a default. */
export interface PaymentTimeouts {
  readonly rpcMs?: number
  /** Of a reading, which is repeated and has other endpoints to turn to. */
  readonly readMs?: number
  readonly confirmationMs?: number
  readonly verifyMs?: number
  readonly settleMs?: number
}

type FacilitatorChoice =
  | { readonly kind: 'remote'; readonly url: string; readonly coinbaseKey: CoinbaseKey | null }
  | { readonly kind: 'in-process'; readonly privateKey: HexText; readonly ethUsd: number }

/** Imports lazily: the chain libraries take longer to load than everything else. */
export async function openPaymentBackend({
  terms,
  facilitator,
  rpcUrls,
  timeouts = {},
}: PaymentBackendOptions): Promise<PaymentBackend> {
  const chain = await import('./chain/chain-backend.js')
  if (facilitator.kind === 'in-process') {
    return chain.openChainBackend(terms, rpcUrls, facilitator, timeouts)
  }
  const { url, coinbaseKey } = facilitator
  const { createRemoteFacilitator } = await import('./remote-facilitator.js')
  const remote = createRemoteFacilitator({
    url,
    network: terms.network,
    ...(timeouts.verifyMs && { verifyTimeoutMs: timeouts.verifyMs }),
    ...(timeouts.settleMs && { settleTimeoutMs: timeouts.settleMs }),
    ...(coinbaseKey && { createAuthHeaders: await loadCoinbaseAuth(coinbaseKey, url) }),
  })
  const chainHealthProblem = chain.createChainHealthProblem(terms, rpcUrls, timeouts)
  return {
    terms,
    facilitator: {
      ...remote,
      healthProblem: async () => (await remote.healthProblem()) ?? chainHealthProblem(),
    },
    readAuthorizationState: chain.connectAuthorizationStateReader(terms, rpcUrls, timeouts),
    readPayeeTransfers: chain.connectPayeeTransferReader(terms, rpcUrls, timeouts),
    readChainTime: chain.connectChainClock(terms, rpcUrls, timeouts),
  }
}

async function loadCoinbaseAuth(key: CoinbaseKey, url: string) {
  const { createCoinbaseAuth } = await import('./coinbase-auth.js')
  return createCoinbaseAuth(key, url)
}
