/**
 * Signs requests to Coinbase's facilitator: a short-lived JWT for each address, by the key of its
 * developer platform. Its own SDK would do it too, and bring 130 MB.
 */
import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { type CoinbaseKey, parseCoinbaseKey } from './coinbase-key.js'

const VALID_SECONDS = 120
const PATHS = { verify: 'POST', settle: 'POST', supported: 'GET' } as const

type AuthHeaders = Record<keyof typeof PATHS, { Authorization: string }>

export function createCoinbaseAuth(
  { id, secret }: CoinbaseKey,
  facilitatorUrl: string,
): () => Promise<AuthHeaders> {
  const key = parseCoinbaseKey(secret)
  if (!key) throw new Error('CDP_API_KEY_SECRET cannot be read')
  const { host, pathname } = new URL(facilitatorUrl)
  const base = host + pathname.replace(/\/+$/, '')

  const authorize = async (path: keyof typeof PATHS) => {
    const now = Math.floor(Date.now() / 1_000)
    const token = await new SignJWT({ uris: [`${PATHS[path]} ${base}/${path}`] })
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
