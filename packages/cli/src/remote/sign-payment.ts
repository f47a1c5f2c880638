/** Signs a payment. The packages for it are large and few users pay, so they are loaded on demand. */
import type { PaymentOffer } from './payment-offer.js'

export const KEY_VARIABLE = 'MAILGRADE_PRIVATE_KEY'

export type OpenedWallet =
  | { readonly kind: 'wallet'; readonly wallet: Wallet }
  /** `reason` is one or more sentences. */
  | { readonly kind: 'refused'; readonly reason: string }

export interface Wallet {
  /** The headers that pay for a request. */
  sign(offer: PaymentOffer, resource: unknown): Promise<Record<string, string>>
}

/** No message contains the key, not even one from a library. */
export async function openWallet(key: string | undefined): Promise<OpenedWallet> {
  if (!key) {
    return refused(
      `Set the environment variable ${KEY_VARIABLE} to the private key of a wallet with USDC.`,
    )
  }
  const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(key.trim())?.[1]
  if (!digits) return refused(INVALID_KEY)
  const packages = await loadPackages()
  if (!packages) return refused(MISSING_PACKAGES)
  const { x402Client, x402HTTPClient, ExactEvmScheme, privateKeyToAccount } = packages
  try {
    const scheme = new ExactEvmScheme(privateKeyToAccount(`0x${digits}`))
    return { kind: 'wallet', wallet: { sign } }

    async function sign(offer: PaymentOffer, resource: unknown) {
      const client = new x402Client().register(offer.network, scheme)
      // Without the extensions of the service: some make the client sign more than a payment.
      const paymentRequired = { x402Version: 2, accepts: [offer], resource }
      const payload = await client.createPaymentPayload(
        paymentRequired as unknown as Parameters<typeof client.createPaymentPayload>[0],
      )
      return new x402HTTPClient(client).encodePaymentSignatureHeader(payload)
    }
  } catch {
    return refused(INVALID_KEY)
  }
}

const INVALID_KEY = `The value of ${KEY_VARIABLE} is not a private key, which is 0x followed by 64 hexadecimal digits.`

const MISSING_PACKAGES =
  'Paying needs three packages that mailgrade does not install by itself. Install them where mailgrade is installed: npm install @x402/fetch @x402/evm viem (with --global if mailgrade is global).'

/** Null if one is not installed. */
async function loadPackages() {
  try {
    const [{ x402Client, x402HTTPClient }, { ExactEvmScheme }, { privateKeyToAccount }] =
      await Promise.all([
        import('@x402/fetch'),
        import('@x402/evm/exact/client'),
        import('viem/accounts'),
      ])
    return { x402Client, x402HTTPClient, ExactEvmScheme, privateKeyToAccount }
  } catch (error) {
    if (Object(error).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}

function refused(reason: string): OpenedWallet {
  return { kind: 'refused', reason }
}
