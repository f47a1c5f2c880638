/**
 * A chain of one's own, with a test USDC, so that payments can be tried without internet or money.
 * It lives in memory and is as gone as its process.
 */
import { type Address, RpcRequestError } from 'viem'
import { TEST_MULTICALL_CODE } from '../token/test-multicall.js'
import { TEST_USDC_CODE } from '../token/test-usdc.js'
import type { SandboxChain, SandboxChainOptions } from './chain.js'
import { startEdr } from './edr.js'
import { withAutoMining } from './miner.js'
import { mintTestUsdc } from './mint.js'
import { handleJsonRpcText, type NodeRpcError, type NodeRpcRequest } from './sandbox-json-rpc.js'
import { DEMO_PAYER_WALLET, FACILITATOR_WALLET, FAUCET_WALLET } from './sandbox-wallets.js'

/** The same on every chain. */
const MULTICALL: Address = '0xcA11bde05977b3631167028862bE2a173976CA11'
const A_THOUSAND_ETHER = 10n ** 21n
const A_THOUSAND_DOLLARS = 1_000_000_000n

export async function startSandboxChain({
  chainId,
  token,
}: SandboxChainOptions): Promise<SandboxChain> {
  const edr = await startEdr(chainId, [
    { address: token, code: TEST_USDC_CODE },
    { address: MULTICALL, code: TEST_MULTICALL_CODE },
    { address: FACILITATOR_WALLET.address, balance: A_THOUSAND_ETHER },
    { address: FAUCET_WALLET.address, balance: A_THOUSAND_ETHER },
  ])
  let ask: NodeRpcRequest = withAutoMining(edr)
  const chain: SandboxChain = {
    chainId,
    token,
    async request({ method, params = [] }) {
      const answer = await ask(method, params as readonly unknown[])
      if ('error' in answer) throw rejection(method, answer.error)
      return answer.result
    },
    handleJsonRpc: (text) => handleJsonRpcText((method, params) => ask(method, params), text),
    close() {
      ask = refuse
    },
  }
  await mintTestUsdc(chain, DEMO_PAYER_WALLET.address, A_THOUSAND_DOLLARS)
  return chain
}

/** What viem's `http()` throws as well. Of errors that it does not know it would ask again thrice. */
function rejection(method: string, error: NodeRpcError): RpcRequestError {
  return new RpcRequestError({ body: { method }, error: { ...error }, url: 'the sandbox' })
}

const refuse: NodeRpcRequest = async () => ({
  error: { code: -32_000, message: 'The chain is closed' },
})
