/** A till that needs nobody but the chain. */
import { privateKeyToAccount } from 'viem/accounts'
import type { TracePayment } from '../facilitator.js'
import type { HexText, Terms } from '../terms.js'
import { type ChainSource, connectChain } from './chain-client.js'
import { createInProcessFacilitator } from './in-process-facilitator.js'
import { createTrace } from './trace-payment.js'

export function openChainTill(terms: Terms, source: ChainSource, privateKey: HexText) {
  const client = connectChain(source, terms.network)
  return {
    terms,
    facilitator: createInProcessFacilitator(client, privateKeyToAccount(privateKey)),
    trace: createTrace(client, terms.asset),
  }
}

export function traceOn({ network, asset }: Terms, source: ChainSource): TracePayment {
  return createTrace(connectChain(source, network), asset)
}
