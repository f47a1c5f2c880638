/** Payments from the sandbox's demo wallet, signed with the x402 client. */
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
  const required = (await (await fetch(url + path)).json()) as PaymentRequired
  return encodePaymentSignatureHeader(await client.createPaymentPayload(required))
}

/** Returns the HTTP status. */
export async function sendDemoPayment(payment: string, url: string): Promise<number> {
  const response = await fetch(url, { headers: { 'PAYMENT-SIGNATURE': payment } })
  return response.status
}
