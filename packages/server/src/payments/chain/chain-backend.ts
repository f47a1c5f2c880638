/** A till that needs nobody but the chain. */
import { privateKeyToAccount } from 'viem/accounts'
import type { ReadAuthorizationState } from '../facilitator.js'
import type { HexText, PaymentTerms } from '../payment-terms.js'
import { createAuthorizationStateReader } from './authorization-state.js'
import { type ChainSource, connectChain } from './chain-client.js'
import { createInProcessFacilitator } from './in-process-facilitator.js'

export function openChainBackend(terms: PaymentTerms, source: ChainSource, privateKey: HexText) {
  const client = connectChain(source, terms.network)
  return {
    terms,
    facilitator: createInProcessFacilitator(client, privateKeyToAccount(privateKey)),
    readAuthorizationState: createAuthorizationStateReader(client, terms.asset),
  }
}

export function connectAuthorizationStateReader(
  { network, asset }: PaymentTerms,
  source: ChainSource,
): ReadAuthorizationState {
  return createAuthorizationStateReader(connectChain(source, network), asset)
}
