/** What the payee has got, as the chain has it. */
import { type Address, createPublicClient, custom } from 'viem'
import { TEST_USDC_ABI } from '../../src/sandbox/token/test-usdc.js'
import type { ChainServer } from '../support/chain.js'

export const PRICE = 10_000n

export interface Takings {
  /** In units of 1/1,000,000 dollar. */
  earned(): Promise<bigint>
  /** The transactions in which the payee was paid. */
  settlements(): Promise<string[]>
}

export function takingsOf(chain: ChainServer, payee: Address): Takings {
  const client = createPublicClient({ transport: custom(chain.chain) })
  return {
    earned: () => chain.balanceOf(payee),
    async settlements() {
      const logs = await client.getContractEvents({
        address: chain.token,
        abi: TEST_USDC_ABI,
        eventName: 'Transfer',
        args: { to: payee },
        fromBlock: 0n,
      })
      return logs.map(({ transactionHash }) => transactionHash)
    },
  }
}
