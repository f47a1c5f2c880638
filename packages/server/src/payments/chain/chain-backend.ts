/** Connects to the chain, for the in-process facilitator and for reading authorization states. */
import { privateKeyToAccount } from 'viem/accounts'
import type {
  PaymentBackend,
  PaymentTimeouts,
  ReadAuthorizationState,
  ReadPayeeTransfers,
} from '../facilitator.js'
import type { HexText, PaymentTerms } from '../payment-terms.js'
import { askInOrder, createAuthorizationStateReader } from './authorization-state.js'
import { type ChainSource, connectChain } from './chain-client.js'
import { createInProcessFacilitator } from './in-process-facilitator.js'
import { createPayeeTransferReader, mergePayeeTransfers } from './payee-transfers.js'

const READ_TIMEOUT_MS = 3_000

/** The account that pays for gas. */
export interface GasAccount {
  readonly privateKey: HexText
  /** What one ETH is worth at most, in US dollars. */
  readonly ethUsd: number
}

export function openChainBackend(
  terms: PaymentTerms,
  source: ChainSource,
  { privateKey, ethUsd }: GasAccount,
  timeouts: PaymentTimeouts = {},
): PaymentBackend {
  const { rpcMs, confirmationMs: confirmationTimeoutMs } = timeouts
  const client = connectChain(source, terms.network, rpcMs)
  const account = privateKeyToAccount(privateKey)
  return {
    ...connectChainReaders(terms, source, timeouts),
    facilitator: createInProcessFacilitator(client, account, {
      ethUsd,
      ...(confirmationTimeoutMs && { confirmationTimeoutMs }),
    }),
  }
}

/** What every facilitator needs beside itself. */
export function connectChainReaders(
  terms: PaymentTerms,
  source: ChainSource,
  timeouts: PaymentTimeouts,
): Omit<PaymentBackend, 'facilitator'> {
  const client = connectChain(source, terms.network, timeouts.readMs ?? READ_TIMEOUT_MS)
  return {
    terms,
    readAuthorizationState: connectAuthorizationStateReader(terms, source, timeouts),
    readPayeeTransfers: connectPayeeTransferReader(terms, source, timeouts),
    readChainTime: async () => Number((await client.getBlock()).timestamp),
  }
}

export function connectAuthorizationStateReader(
  terms: PaymentTerms,
  source: ChainSource,
  { readMs = READ_TIMEOUT_MS }: PaymentTimeouts = {},
): ReadAuthorizationState {
  const read = (one: ChainSource) =>
    createAuthorizationStateReader(connectChain(one, terms.network, readMs), terms)
  if ('request' in source) return read(source)
  const [first, ...others] = source
  return askInOrder([read([first]), ...others.map((url) => read([url]))])
}

/** Null if the chain can be read; otherwise the reason, for operators. */
export function createChainHealthProblem(
  { network }: PaymentTerms,
  source: ChainSource,
  { readMs = READ_TIMEOUT_MS }: PaymentTimeouts = {},
): () => Promise<string | null> {
  const client = connectChain(source, network, readMs)
  return async () => {
    try {
      const chainId = await client.getChainId()
      return chainId === client.chain.id ? null : `the RPC endpoint serves chain ${chainId}`
    } catch {
      return 'the RPC endpoint does not answer'
    }
  }
}

export function connectPayeeTransferReader(
  terms: PaymentTerms,
  source: ChainSource,
  { rpcMs }: PaymentTimeouts = {},
): ReadPayeeTransfers {
  const read = (one: ChainSource) =>
    createPayeeTransferReader(connectChain(one, terms.network, rpcMs), terms)
  return 'request' in source ? read(source) : mergePayeeTransfers(source.map((url) => read([url])))
}
