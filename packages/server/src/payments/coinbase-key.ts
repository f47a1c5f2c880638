/** The key of Coinbase's developer platform, with which requests to its facilitator are signed. */
import { createPrivateKey, type KeyObject } from 'node:crypto'

export const COINBASE_FACILITATOR_URL = 'https://api.cdp.coinbase.com/platform/v2/x402'

export interface CoinbaseKey {
  readonly id: string
  readonly secret: string
}

/** A secret comes as PEM (P-256), its line ends often escaped, or as base64 of an Ed25519 pair. */
export function parseCoinbaseKey(secret: string): KeyObject | null {
  try {
    const key = secret.includes('-----BEGIN')
      ? createPrivateKey(secret.replaceAll('\\n', '\n'))
      : ed25519Key(Buffer.from(secret, 'base64'))
    const isP256 = key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    return isP256 || key.asymmetricKeyType === 'ed25519' ? key : null
  } catch {
    return null
  }
}

function ed25519Key(pair: Buffer): KeyObject {
  if (pair.length !== 64) throw new Error('not a seed and a public key')
  const d = pair.subarray(0, 32).toString('base64url')
  const x = pair.subarray(32).toString('base64url')
  return createPrivateKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', d, x } })
}
