/** Opens what payments need, from the configuration. */
import type { PaymentBackend } from './facilitator.js'
import type { CoinbaseKey, PaymentBackendOptions } from './payment-config.js'

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
