import { type Address, createPublicClient, custom } from 'viem'
import { TEST_USDC_ABI } from '../../src/sandbox/token/test-usdc.js'
import type { ChainServer } from './chain-server.js'

/** What was ever paid to somebody, as the chain has it. */
export function transfersTo(chain: ChainServer, to: Address) {
  return createPublicClient({ transport: custom(chain.chain) }).getContractEvents({
    address: chain.token,
    abi: TEST_USDC_ABI,
    eventName: 'Transfer',
    args: { to },
    fromBlock: 0n,
  })
}
