/** Payment settings from the environment. Light on imports: the configuration loads it at start. */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { PaymentTimeouts } from './facilitator.js'
import {
  type HexText,
  NETWORKS,
  type NetworkId,
  type PaymentTerms,
  type RpcUrls,
} from './payment-terms.js'

export const COINBASE_FACILITATOR_URL = 'https://api.cdp.coinbase.com/platform/v2/x402'

interface PaymentVariables {
  readonly PAY_TO_ADDRESS?: HexText | undefined
  readonly X402_NETWORK: NetworkId
  readonly USDC_ADDRESS?: HexText | undefined
  readonly FACILITATOR_URL?: string | undefined
  readonly CDP_API_KEY_ID?: string | undefined
  readonly CDP_API_KEY_SECRET?: string | undefined
  readonly RPC_URL?: RpcUrls | undefined
  readonly FACILITATOR_PRIVATE_KEY?: HexText | undefined
  readonly ETH_USD: number
}

export interface PaymentBackendOptions {
  readonly terms: PaymentTerms
  readonly facilitator: FacilitatorChoice
  readonly rpcUrls: RpcUrls
  /** Tests pass their own. */
  readonly timeouts?: PaymentTimeouts
}

type FacilitatorChoice =
  | { readonly kind: 'remote'; readonly url: string; readonly coinbaseKey: CoinbaseKey | null }
  | { readonly kind: 'in-process'; readonly privateKey: HexText; readonly ethUsd: number }

/** Null without a payee: the sandbox handles payments then. */
export function toPaymentBackendOptions(env: PaymentVariables): PaymentBackendOptions | null {
  if (!env.PAY_TO_ADDRESS) return null
  const network = env.X402_NETWORK
  const asset = env.USDC_ADDRESS ?? NETWORKS[network].usdc
  return {
    terms: { network, asset, payTo: env.PAY_TO_ADDRESS },
    facilitator: chooseFacilitator(env),
    rpcUrls: env.RPC_URL ?? [NETWORKS[network].rpcUrl],
  }
}

function chooseFacilitator(env: PaymentVariables): PaymentBackendOptions['facilitator'] {
  const { FACILITATOR_PRIVATE_KEY: privateKey, ETH_USD: ethUsd } = env
  if (privateKey) return { kind: 'in-process', privateKey, ethUsd }
  const { CDP_API_KEY_ID: id, CDP_API_KEY_SECRET: secret } = env
  return {
    kind: 'remote',
    url: env.FACILITATOR_URL ?? COINBASE_FACILITATOR_URL,
    coinbaseKey: id && secret ? { id, secret } : null,
  }
}

/** A number from 1 up to, but not including, the order of secp256k1. */
export function isPrivateKey(text: string): text is HexText {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  return /^0x[0-9a-fA-F]{64}$/.test(text) && BigInt(text) > 0n && BigInt(text) < order
}

/** A key of the Coinbase Developer Platform; it signs requests to Coinbase's facilitator. */
export interface CoinbaseKey {
  readonly id: string
  readonly secret: string
}

/** Accepts PEM with a P-256 key, also with escaped line ends, or base64 of an Ed25519 key pair. */
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
