import { createPrivateKey } from 'node:crypto'
import {
  createRsaPublicKey,
  ED25519,
  ED25519_SPKI,
  P256_SPKI,
  PKCS1,
  RSA_PSS_SPKI,
  SPKI,
  TEST_ONLY_PRIVATE_KEY,
} from '@mailgrade/testing/dkim-keys'
import { describe, expect, test } from 'vitest'
import { parsePublicKey } from './public-key.js'

const SIZES = [512, 768, 1023, 1024, 1536, 2048, 3072, 4096] as const

describe('RSA key size', () => {
  test.each(SIZES)('%i bits as SubjectPublicKeyInfo', (bits) => {
    expect(parsePublicKey('rsa', SPKI[bits])).toEqual({ kind: 'key', bits })
  })

  test.each(SIZES)('%i bits as bare RSAPublicKey', (bits) => {
    expect(parsePublicKey('rsa', PKCS1[bits])).toEqual({ kind: 'key', bits })
  })

  test.each([1025, 2047, 2049, 8192, 16_384])('%i bits, made by hand', (bits) => {
    expect(parsePublicKey('rsa', createRsaPublicKey(bits))).toEqual({ kind: 'key', bits })
  })

  test('with white space in it, and without its padding', () => {
    const folded = SPKI[1024].replace(/(.{60})/g, '$1 \t\r\n')
    expect(parsePublicKey('rsa', ` ${folded} `)).toEqual({ kind: 'key', bits: 1024 })
    expect(SPKI[512]).toMatch(/==$/)
    expect(parsePublicKey('rsa', SPKI[512].replace('==', ''))).toEqual({ kind: 'key', bits: 512 })
  })
})

describe('Ed25519 key', () => {
  test('has 256 bits', () => {
    expect(parsePublicKey('ed25519', ED25519)).toEqual({ kind: 'key', bits: 256 })
  })

  test('must be bare, and the words have it so', () => {
    expect(parsePublicKey('ed25519', ED25519_SPKI)).toMatchObject({
      kind: 'no-key',
      fault: {
        problem: expect.stringContaining('SubjectPublicKeyInfo'),
        remedy: `Replace the p= tag with p=${ED25519}.`,
      },
    })
  })

  test('is no RSA key, nor the other way round', () => {
    expect(problem('rsa', ED25519)).toContain('32 bytes')
    expect(problem('rsa', ED25519_SPKI)).toBe('The p= tag contains data, but it isn’t an RSA key.')
    expect(problem('ed25519', SPKI[1024])).toBe(
      'The key is 162 bytes long, but an Ed25519 key is 32.',
    )
  })
})

describe('an invalid key is reported with what it is', () => {
  test.each([
    ['a key for something else', P256_SPKI, 'isn’t an RSA key'],
    ['text that happens to be base64', 'reject', 'isn’t a key'],
    ['nothing much', 'MAA=', 'isn’t an RSA key'],
    ['one octet', 'MA==', 'cut off'],
    ['a length that cannot be', 'MP//////////', 'isn’t a key'],
    ['a length that DER does not have', 'MIAA', 'isn’t a key'],
    ['a length that is cut off itself', 'MIIB', 'isn’t a key'],
    ['half a key', SPKI[2048].slice(0, 200), '144 of its 294 bytes are missing'],
    ['a key without its last character', SPKI[2048].slice(0, -1), '1 of its 294 bytes'],
    ['text that stops within a group', SPKI[2048].slice(0, 201), 'base64 text of the key is cut'],
    ['quotation marks inside', `${SPKI[512].slice(0, 9)}" "${SPKI[512].slice(9)}`, '“"”'],
    ['base64 for addresses', SPKI[1024].replaceAll('/', '_'), '“_”'],
    ['padding in the middle', `AAA=${SPKI[512]}`, '“=”'],
    ['too much padding', 'AAA===', '“=”'],
    [
      'an invisible character',
      `\u00e2\u0080\u008b${SPKI[512]}`,
      'The key contains an invisible or non-ASCII character, which base64 doesn’t allow.',
    ],
    ['a whole file', `-----BEGIN PUBLIC KEY----- ${SPKI[512]} -----END`, 'BEGIN and END lines'],
  ])('%s', (_, value, words) => {
    expect(problem('rsa', value)).toContain(words)
  })

  test('an RSA key that is bound to another kind of signature', () => {
    expect(problem('rsa', RSA_PSS_SPKI)).toContain('isn’t an RSA key')
  })

  test.each([['pkcs1'], ['pkcs8']] as const)('a private key (%s)', (type) => {
    const key = createPrivateKey(TEST_ONLY_PRIVATE_KEY)
    const privateKey = String(key.export({ type, format: 'pem' }))
    const base64 = privateKey.replace(/-----[^-]+-----/g, '')
    expect(parsePublicKey('rsa', privateKey).kind).toBe('private-key')
    expect(parsePublicKey('rsa', base64).kind).toBe('private-key')
  })
})

function problem(type: 'rsa' | 'ed25519', value: string): string {
  const key = parsePublicKey(type, value)
  return key.kind === 'key' ? `a key of ${key.bits} bits` : key.fault.problem
}
