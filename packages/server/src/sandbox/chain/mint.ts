import { type Address, encodeFunctionData, numberToHex } from 'viem'
import { TEST_USDC_ABI } from '../token/test-usdc.js'
import type { Chain } from './chain.js'
import { FAUCET } from './wallets.js'

const GAS = 200_000

/** Gives somebody test dollars, in units of 1/1,000,000. */
export async function mint(
  { request, token }: Pick<Chain, 'request' | 'token'>,
  to: Address,
  units: bigint,
): Promise<void> {
  const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args: [to, units] })
  const transaction = { from: FAUCET.address, to: token, data, gas: numberToHex(GAS) }
  await request({ method: 'eth_sendTransaction', params: [transaction] })
}
