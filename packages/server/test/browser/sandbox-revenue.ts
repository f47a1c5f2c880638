/** What else is known of a sale in the sandbox: the same report by an agent, and the payee's balance. */
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { NETWORKS } from '../../src/payments/payment-terms.js'
import { DEMO_PAYER_WALLET, SANDBOX_PAYEE } from '../../src/sandbox/chain/sandbox-wallets.js'
import { TEST_USDC_ABI } from '../../src/sandbox/token/test-usdc.js'

const NETWORK = 'eip155:84532'

/** Bought over HTTP with an x402 client. */
export async function buyReportOverHttp<Report>(url: string): Promise<Report> {
  const account = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)
  const client = new x402Client().register(NETWORK, new ExactEvmScheme(account))
  const response = await wrapFetchWithPayment(fetch, client)(url)
  if (response.status !== 200) throw new Error(`${url} answers with ${response.status}`)
  return response.json() as Promise<Report>
}

/** What the payee of the service at this address has, in units of 1/1,000,000 dollar. */
export function revenueAt(serviceUrl: string): Promise<bigint> {
  const chain = createPublicClient({
    transport: http(`${serviceUrl}/sandbox/chain`),
  })
  return chain.readContract({
    address: NETWORKS[NETWORK].usdc,
    abi: TEST_USDC_ABI,
    functionName: 'balanceOf',
    args: [SANDBOX_PAYEE],
  })
}
