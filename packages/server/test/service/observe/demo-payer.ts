/** Payments of the sandbox's demo wallet, by x402's own client. */
import { encodePaymentSignatureHeader } from '@x402/core/http'
import type { PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { x402Client } from '@x402/fetch'
import { privateKeyToAccount } from 'viem/accounts'
import { DEMO_PAYER_WALLET } from '../../../src/sandbox/chain/sandbox-wallets.js'

const client = new x402Client().register(
  'eip155:*',
  new ExactEvmScheme(privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)),
)

export async function signDemoPayment(url: string, path: string): Promise<string> {
  const challenge = (await (await fetch(url + path)).json()) as PaymentRequired
  return encodePaymentSignatureHeader(await client.createPaymentPayload(challenge))
}

/** The status that this payment gets. */
export async function sendDemoPayment(payment: string, url: string): Promise<number> {
  const response = await fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment } })
  return response.status
}
