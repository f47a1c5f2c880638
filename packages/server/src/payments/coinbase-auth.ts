/**
 * Signs requests to Coinbase's facilitator with a short-lived JWT for each URL.
 * Coinbase's own SDK does the same but adds 130 MB.
 */
import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { type CoinbaseKey, parseCoinbaseKey } from './payment-config.js'

const VALID_SECONDS = 120
const METHODS = { verify: 'POST', settle: 'POST', supported: 'GET' } as const

type AuthHeaders = Record<keyof typeof METHODS, { Authorization: string }>

export function createCoinbaseAuth(
  { id, secret }: CoinbaseKey,
  facilitatorUrl: string,
): () => Promise<AuthHeaders> {
  const key = parseCoinbaseKey(secret)
  if (!key) throw new Error('CDP_API_KEY_SECRET is not a valid key')
  const { host, pathname } = new URL(facilitatorUrl)
  const base = host + pathname.replace(/\/+$/, '')

  const authorize = async (path: keyof typeof METHODS) => {
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
