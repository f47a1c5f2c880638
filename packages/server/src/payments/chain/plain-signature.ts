/** Signatures of wallets that are a key, which need no call of the node. */
import type { PaymentPayload } from '@x402/core/types'
import { authorizationTypes } from '@x402/evm'
import { recoverTypedDataAddress } from 'viem'
import type { Payment } from '../payment.js'
import { type HexText, NETWORKS, type NetworkId } from '../payment-terms.js'
import { lowerCase } from './authorization-state.js'

/** Of a key: r, s and v in hexadecimal digits, after `0x`. */
export const PLAIN_SIGNATURE_LENGTH = 2 + 2 * 65

/** Null if no key can have made the signature. */
export async function recoverSigner(
  { accepted, payload }: PaymentPayload,
  asset: HexText,
): Promise<HexText | null> {
  const { chainId, eip712Domain } = NETWORKS[accepted.network as NetworkId]
  const { authorization, signature } = payload as unknown as Payment['payload']['payload'] & {
    readonly authorization: Payment['authorization']
    readonly signature: HexText
  }
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  try {
    return await recoverTypedDataAddress({
      domain: { ...eip712Domain, chainId, verifyingContract: asset },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: lowerCase(from),
        to: lowerCase(to),
        value: BigInt(value),
        validAfter: BigInt(validAfter),
        validBefore: BigInt(validBefore),
        nonce,
      },
      signature,
    })
  } catch {
    return null
  }
}
