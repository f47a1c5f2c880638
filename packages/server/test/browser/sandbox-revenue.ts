/** Buys the same report over HTTP, and reads the payee's balance. */
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { NETWORKS } from '../../src/payments/payment-terms.js'
import { DEMO_PAYER_WALLET, SANDBOX_PAYEE } from '../../src/sandbox/chain/sandbox-wallets.js'
import { TEST_USDC_ABI } from '../../src/sandbox/token/generated/contracts.js'

const NETWORK = 'eip155:84532'

/** Buys a report over HTTP with an x402 client. */
export async function buyReportOverHttp<Report>(url: string): Promise<Report> {
  const response = await buyOverHttp(url, 'application/json')
  return response.json() as Promise<Report>
}

/** The page of a report, as a browser without scripts would get it. */
export async function buyPageOverHttp(url: string): Promise<string> {
  return (await buyOverHttp(url, 'text/html')).text()
}

async function buyOverHttp(url: string, accept: string): Promise<Response> {
  const account = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)
  const client = new x402Client().register(NETWORK, new ExactEvmScheme(account))
  const response = await wrapFetchWithPayment(fetch, client)(url, { headers: { accept } })
  if (response.status !== 200) throw new Error(`${url} returned ${response.status}`)
  return response
}

/** The payee's balance, in millionths of a dollar. */
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
