/** What the payee has got, as the chain has it. */
import type { Address } from 'viem'
import type { ChainServer } from '../support/chain-server.js'
import { transfersTo } from '../support/chain-server.js'

export const CLUSTER_PRICE_UNITS = 10_000n

export interface Revenue {
  /** In units of 1/1,000,000 dollar. */
  balance(): Promise<bigint>
  /** The transactions in which the payee was paid. */
  transactions(): Promise<string[]>
}

export function readRevenue(chain: ChainServer, payee: Address): Revenue {
  return {
    balance: () => chain.balanceOf(payee),
    async transactions() {
      const logs = await transfersTo(chain, payee)
      return logs.map(({ transactionHash }) => transactionHash)
    },
  }
}
