/** What the payee has got, as the chain has it. */
import type { Address } from 'viem'
import type { ChainServer } from '../support/chain.js'
import { transfersTo } from '../support/transfers.js'

export const PRICE = 10_000n

export interface Takings {
  /** In units of 1/1,000,000 dollar. */
  earned(): Promise<bigint>
  /** The transactions in which the payee was paid. */
  settlements(): Promise<string[]>
}

export function takingsOf(chain: ChainServer, payee: Address): Takings {
  return {
    earned: () => chain.balanceOf(payee),
    async settlements() {
      const logs = await transfersTo(chain, payee)
      return logs.map(({ transactionHash }) => transactionHash)
    },
  }
}
