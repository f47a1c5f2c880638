/**
 * Whether a signature proves to x402 catalogs that the payee owns this service: they recover the
 * signer of the origin (EIP-191) and compare it with `payTo`.
 */
import { recoverMessageAddress } from 'viem'
import type { HexText } from './payment-terms.js'

export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin
}

export async function provesOwnership(
  signature: HexText,
  { baseUrl, payTo }: { readonly baseUrl: string; readonly payTo: string },
): Promise<boolean> {
  const message = originOf(baseUrl)
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null)
  return signer?.toLowerCase() === payTo.toLowerCase()
}
