/** The wallets that buy. */
import type { ChainServer } from '../support/chain-server.js'
import { createContractPayer } from '../support/contract-wallets.js'
import { createTestPayer, type TestPayer } from '../support/test-payer.js'

const A_THOUSAND_DOLLARS = 1_000_000_000n

/** Half of the wallets are contracts (EIP-1271), and some of those sign as in ERC-6492. */
export function createPayers(chain: ChainServer, count: number): Promise<TestPayer[]> {
  const create = (index: number): Promise<TestPayer> => {
    if (index % 2 === 0) return createTestPayer(chain, A_THOUSAND_DOLLARS)
    return createContractPayer(chain, index % 5 === 0 ? 'wrapped' : 'honest', A_THOUSAND_DOLLARS)
  }
  return Promise.all(Array.from({ length: count }, (_, index) => create(index)))
}
