import { type Address, encodeFunctionData, numberToHex } from 'viem'
import { TEST_USDC_ABI } from '../token/test-usdc.js'
import type { SandboxChain } from './chain.js'
import { FAUCET_WALLET } from './sandbox-wallets.js'

const GAS = 200_000

/** Gives somebody test dollars, in units of 1/1,000,000. */
export async function mintTestUsdc(
  { request, token }: Pick<SandboxChain, 'request' | 'token'>,
  to: Address,
  units: bigint,
): Promise<void> {
  const data = encodeFunctionData({ abi: TEST_USDC_ABI, functionName: 'mint', args: [to, units] })
  const transaction = { from: FAUCET_WALLET.address, to: token, data, gas: numberToHex(GAS) }
  await request({ method: 'eth_sendTransaction', params: [transaction] })
}
