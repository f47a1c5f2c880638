/**
 * Payment settings from the environment, and what they open. Imports lazily: the configuration loads
 * this at start, and the chain libraries take longer to load than everything else.
 */
import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto'
import type { PaymentBackend, PaymentTimeouts } from './facilitator.js'
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

interface PaymentBackendOptions {
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

export async function openPaymentBackend({
  terms,
  facilitator,
  rpcUrls,
  timeouts = {},
}: PaymentBackendOptions): Promise<PaymentBackend> {
  const chain = await import('./chain/chain-backend.js')
  if (facilitator.kind === 'in-process') {
    return chain.openChainBackend(terms, rpcUrls, facilitator, timeouts)
  }
  const { url, coinbaseKey } = facilitator
  const { createRemoteFacilitator } = await import('./remote-facilitator.js')
  const remote = createRemoteFacilitator({
    url,
    network: terms.network,
    ...(timeouts.verifyMs && { verifyTimeoutMs: timeouts.verifyMs }),
    ...(timeouts.settleMs && { settleTimeoutMs: timeouts.settleMs }),
    ...(coinbaseKey && { createAuthHeaders: createCoinbaseAuth(coinbaseKey, url) }),
  })
  const chainHealthProblem = chain.createChainHealthProblem(terms, rpcUrls, timeouts)
  return {
    ...chain.connectChainReaders(terms, rpcUrls, timeouts),
    facilitator: {
      ...remote,
      healthProblem: async () => (await remote.healthProblem()) ?? chainHealthProblem(),
    },
  }
}

const VALID_SECONDS = 120
const METHODS = { verify: 'POST', settle: 'POST', supported: 'GET' } as const

type AuthHeaders = Record<keyof typeof METHODS, { Authorization: string }>

/**
 * Signs requests to Coinbase's facilitator with a short-lived JWT for each URL.
 * Coinbase's own SDK does the same but adds 130 MB.
 */
export function createCoinbaseAuth(
  { id, secret }: CoinbaseKey,
  facilitatorUrl: string,
): () => Promise<AuthHeaders> {
  const key = parseCoinbaseKey(secret)
  if (!key) throw new Error('CDP_API_KEY_SECRET is not a valid key')
  const { host, pathname } = new URL(facilitatorUrl)
  const base = host + pathname.replace(/\/+$/, '')

  const authorize = async (path: keyof typeof METHODS) => {
    const { SignJWT } = await import('jose')
    const now = Math.floor(Date.now() / 1_000)
    const token = await new SignJWT({ uris: [`${METHODS[path]} ${base}/${path}`] })
      .setProtectedHeader({
        alg: key.asymmetricKeyType === 'ed25519' ? 'EdDSA' : 'ES256',
        kid: id,
        typ: 'JWT',
        nonce: randomBytes(16).toString('hex'),
      })
      .setSubject(id)
      .setIssuer('cdp')
      .setAudience(['cdp_service'])
      .setNotBefore(now)
      .setIssuedAt(now)
      .setExpirationTime(now + VALID_SECONDS)
      .sign(key)
    return { Authorization: `Bearer ${token}` }
  }
  return async () => ({
    verify: await authorize('verify'),
    settle: await authorize('settle'),
    supported: await authorize('supported'),
  })
}

export function originOf(baseUrl: string): string {
  return new URL(baseUrl).origin
}

/**
 * Whether a signature proves to x402 catalogs that the payee owns this service: they recover the
 * signer of the origin (EIP-191) and compare it with `payTo`.
 */
export async function provesOwnership(
  signature: HexText,
  { baseUrl, payTo }: { readonly baseUrl: string; readonly payTo: string },
): Promise<boolean> {
  const { recoverMessageAddress } = await import('viem')
  const message = originOf(baseUrl)
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null)
  return signer?.toLowerCase() === payTo.toLowerCase()
}
