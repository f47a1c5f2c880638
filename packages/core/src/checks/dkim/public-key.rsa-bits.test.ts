import { createPublicKey } from 'node:crypto'
import { SPKI } from '@mailgrade/testing/dkim-keys'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSpkiRsaBits } from './public-key.js'

/** A DER value: tag, length in its shortest form, content. */
function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content)
  const { length } = body
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), body])
  if (length < 0x100) return Buffer.concat([Buffer.of(tag, 0x81, length), body])
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), body])
}

const ALGORITHM = Buffer.from('300d06092a864886f70d0101010500', 'hex')
const EXPONENT = Buffer.from('0203010001', 'hex')

function keyOf(modulus: Buffer, exponent = EXPONENT, algorithm = ALGORITHM): Buffer {
  return der(0x30, algorithm, der(0x03, Buffer.of(0), der(0x30, der(0x02, modulus), exponent)))
}

/** What OpenSSL makes of it. */
function bitsByOpenSsl(key: Buffer): number | null {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPublicKey({
      key,
      format: 'der',
      type: 'spki',
    })
    return asymmetricKeyType === 'rsa' ? (asymmetricKeyDetails?.modulusLength ?? null) : null
  } catch {
    return null
  }
}

const oddModulus = (octets: number, first: number[]) =>
  Buffer.concat([Buffer.from(first), Buffer.alloc(octets - first.length, 0xa5)])

describe('RSA key as SubjectPublicKeyInfo', () => {
  test.each([512, 1024, 1536, 2048, 3072, 4096] as const)('has %i bits', (bits) => {
    expect(readSpkiRsaBits(Buffer.from(SPKI[bits], 'base64'))).toBe(bits)
  })

  test('may have an unusual size', () => {
    expect(readSpkiRsaBits(keyOf(oddModulus(128, [0x01])))).toBe(1017)
    expect(readSpkiRsaBits(keyOf(oddModulus(128, [0x7f])))).toBe(1023)
    expect(readSpkiRsaBits(keyOf(oddModulus(129, [0x00, 0x80])))).toBe(1024)
  })
})

describe('left to OpenSSL', () => {
  const sound = keyOf(oddModulus(129, [0x00, 0x80]))
  test.each([
    ['nothing at all', Buffer.alloc(0)],
    ['an empty sequence', Buffer.of(0x30, 0)],
    ['a key cut off', sound.subarray(0, -1)],
    ['a key with something behind it', Buffer.concat([sound, Buffer.of(0)])],
    ['a negative modulus', keyOf(oddModulus(128, [0x80]))],
    ['a modulus with a needless zero', keyOf(oddModulus(129, [0x00, 0x7f]))],
    ['an even modulus', keyOf(Buffer.concat([oddModulus(127, [0x7f]), Buffer.of(2)]))],
    ['an empty modulus', keyOf(Buffer.alloc(0))],
    ['a very small key', keyOf(oddModulus(32, [0x7f]))],
    ['a very large key', keyOf(oddModulus(1025, [0x01]))],
    ['another exponent', keyOf(oddModulus(128, [0x7f]), Buffer.from('020103', 'hex'))],
    [
      'another algorithm',
      keyOf(
        oddModulus(128, [0x7f]),
        EXPONENT,
        Buffer.from('300d06092a864886f70d01010a0500', 'hex'),
      ),
    ],
    ['a length written longer than it need be', Buffer.from(sound).fill(0x83, 1, 2)],
  ])('%s', (_, key) => {
    expect(readSpkiRsaBits(key)).toBeNull()
  })
})

test('agrees with OpenSSL when octets change', () => {
  const keys = [SPKI[1024], SPKI[2048]].map((key) => Buffer.from(key, 'base64'))
  const changes = fc.array(fc.tuple(fc.nat(300), fc.nat(255)), { maxLength: 3 })
  fc.assert(
    fc.property(fc.constantFrom(...keys), changes, fc.nat(600), (key, spots, cut) => {
      const changed = Buffer.from(key)
      for (const [at, octet] of spots) if (at < changed.length) changed[at] = octet
      const bytes = changed.subarray(0, cut)
      const bits = readSpkiRsaBits(bytes)
      if (bits !== null) expect(bits).toBe(bitsByOpenSsl(bytes))
    }),
    { numRuns: propertyRuns(3_000) },
  )
})
