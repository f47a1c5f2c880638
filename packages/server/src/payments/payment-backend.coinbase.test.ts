import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { TEST_ONLY_PRIVATE_KEY } from '@mailgrade/testing/dkim-keys'
import { jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  COINBASE_FACILITATOR_URL,
  createCoinbaseAuth,
  parseCoinbaseKey,
} from './payment-backend.js'

const ID = 'organizations/1/apiKeys/2'
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const pem = (key: KeyObject, type: 'sec1' | 'pkcs8') => String(key.export({ format: 'pem', type }))
const escaped = (text: string) => text.replaceAll('\n', '\\n')

/** The format that Coinbase shows: seed and public key, 32 bytes each. */
const edSecret = (() => {
  const { d = '', x = '' } = ed.privateKey.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]).toString(
    'base64',
  )
})()

const SECRETS: [string, string, KeyObject, string][] = [
  ['P-256, SEC1', pem(ec.privateKey, 'sec1'), ec.publicKey, 'ES256'],
  [
    'P-256, SEC1 with escaped line ends',
    escaped(pem(ec.privateKey, 'sec1')),
    ec.publicKey,
    'ES256',
  ],
  ['P-256, PKCS8', pem(ec.privateKey, 'pkcs8'), ec.publicKey, 'ES256'],
  [
    'P-256, PKCS8 with escaped line ends',
    escaped(pem(ec.privateKey, 'pkcs8')),
    ec.publicKey,
    'ES256',
  ],
  ['Ed25519, PEM', pem(ed.privateKey, 'pkcs8'), ed.publicKey, 'EdDSA'],
  ['Ed25519, base64', edSecret, ed.publicKey, 'EdDSA'],
]

const ADDRESSES = [
  ['verify', 'POST api.cdp.coinbase.com/platform/v2/x402/verify'],
  ['settle', 'POST api.cdp.coinbase.com/platform/v2/x402/settle'],
  ['supported', 'GET api.cdp.coinbase.com/platform/v2/x402/supported'],
] as const

const tokenIn = ({ Authorization }: { Authorization: string }) =>
  /^Bearer (\S+)$/.exec(Authorization)?.[1] ?? ''

describe.each(SECRETS)('a key in %s', (_, secret, publicKey, alg) => {
  test.each(ADDRESSES)('signs a token for %s: %s', async (path, uri) => {
    const headers = await createCoinbaseAuth({ id: ID, secret }, COINBASE_FACILITATOR_URL)()
    const { payload, protectedHeader } = await jwtVerify(tokenIn(headers[path]), publicKey, {
      algorithms: [alg],
      issuer: 'cdp',
      audience: 'cdp_service',
      subject: ID,
    })
    expect(protectedHeader).toEqual({
      alg,
      kid: ID,
      typ: 'JWT',
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    const { nbf = 0, iat, exp = 0 } = payload
    expect(payload).toEqual({
      sub: ID,
      iss: 'cdp',
      aud: ['cdp_service'],
      uris: [uri],
      nbf,
      iat,
      exp,
    })
    expect(iat).toBe(nbf)
    expect(exp - nbf).toBe(120)
  })
})

test('signs each request with its own nonce', async () => {
  const authorize = createCoinbaseAuth({ id: ID, secret: edSecret }, COINBASE_FACILITATOR_URL)
  const [first, second] = [await authorize(), await authorize()]
  const tokens = [...Object.values(first), ...Object.values(second)].map(tokenIn)
  expect(new Set(tokens).size).toBe(6)
})

test('signs for the requested URL, with its port and without a trailing slash', async () => {
  const authorize = createCoinbaseAuth(
    { id: ID, secret: edSecret },
    'https://cdp.example:8443/x402/',
  )
  const { payload } = await jwtVerify(tokenIn((await authorize()).verify), ed.publicKey)
  expect(payload.uris).toEqual(['POST cdp.example:8443/x402/verify'])
})

describe('rejects as a key', () => {
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey
  const k1 = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey
  const x25519 = generateKeyPairSync('x25519').privateKey
  const publicPem = String(createPublicKey(ec.privateKey).export({ format: 'pem', type: 'spki' }))
  test.each([
    ['an empty string', ''],
    ['a word', 'secret'],
    ['63 bytes', Buffer.alloc(63, 1).toString('base64')],
    ['65 bytes', Buffer.alloc(65, 1).toString('base64')],
    ['a seed alone', Buffer.alloc(32, 1).toString('base64')],
    ['an RSA key', TEST_ONLY_PRIVATE_KEY],
    ['a P-384 key', pem(p384, 'pkcs8')],
    ['a secp256k1 key', pem(k1, 'pkcs8')],
    ['an X25519 key', pem(x25519, 'pkcs8')],
    ['a public key', publicPem],
    ['half a PEM', pem(ec.privateKey, 'sec1').slice(0, 100)],
  ])('%s', (_, secret) => {
    expect(parseCoinbaseKey(secret)).toBeNull()
    expect(() => createCoinbaseAuth({ id: ID, secret }, COINBASE_FACILITATOR_URL)).toThrow(
      /^CDP_API_KEY_SECRET is not a valid key$/,
    )
  })
})
