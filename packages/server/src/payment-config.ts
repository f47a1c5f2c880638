/** What the environment says about payments, put together. */
import { COINBASE_FACILITATOR_URL } from './payments/coinbase-key.js'
import type { PaymentBackendOptions } from './payments/payment-backend.js'
import { type HexText, NETWORKS, type NetworkId } from './payments/payment-terms.js'

interface PaymentVariables {
  readonly PAY_TO_ADDRESS?: HexText | undefined
  readonly X402_NETWORK: NetworkId
  readonly USDC_ADDRESS?: HexText | undefined
  readonly FACILITATOR_URL?: string | undefined
  readonly CDP_API_KEY_ID?: string | undefined
  readonly CDP_API_KEY_SECRET?: string | undefined
  readonly RPC_URL?: string | undefined
  readonly FACILITATOR_PRIVATE_KEY?: HexText | undefined
}

/** Null without a payee: then the sandbox takes the payments, in money of its own. */
export function toPaymentBackendOptions(env: PaymentVariables): PaymentBackendOptions | null {
  if (!env.PAY_TO_ADDRESS) return null
  const network = env.X402_NETWORK
  const asset = env.USDC_ADDRESS ?? NETWORKS[network].usdc
  return {
    terms: { network, asset, payTo: env.PAY_TO_ADDRESS },
    facilitator: facilitatorOf(env),
    rpcUrl: env.RPC_URL ?? null,
  }
}

function facilitatorOf(env: PaymentVariables): PaymentBackendOptions['facilitator'] {
  const { RPC_URL: rpcUrl, FACILITATOR_PRIVATE_KEY: privateKey } = env
  if (rpcUrl && privateKey) return { kind: 'in-process', rpcUrl, privateKey }
  const { CDP_API_KEY_ID: id, CDP_API_KEY_SECRET: secret } = env
  return {
    kind: 'remote',
    url: env.FACILITATOR_URL ?? COINBASE_FACILITATOR_URL,
    coinbaseKey: id && secret ? { id, secret } : null,
  }
}

/** Below the order of the curve secp256k1, and not zero. */
export function isPrivateKey(text: string): boolean {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  return /^0x[0-9a-fA-F]{64}$/.test(text) && BigInt(text) > 0n && BigInt(text) < order
}
