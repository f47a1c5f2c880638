import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeHuffman, HUFFMAN_CODE_LENGTHS } from './huffman.js'

const decode = (hex: string) => {
  const bytes = Buffer.from(hex, 'hex')
  return decodeHuffman(bytes, 0, bytes.length)
}

/** Each symbol's code as a bit string, derived from the lengths as in RFC 1951 §3.2.2. */
function codes(): string[] {
  const all: string[] = []
  let code = 0
  for (let length = 1; length <= 30; length++) {
    code *= 2
    for (const [symbol, itsLength] of HUFFMAN_CODE_LENGTHS.entries()) {
      if (itsLength === length) all[symbol] = (code++).toString(2).padStart(length, '0')
    }
  }
  return all
}

const CODES = codes()

function encode(octets: Uint8Array): Buffer {
  const bits = [...octets].map((octet) => CODES[octet]).join('')
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1')
  return Buffer.from((padded.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)))
}

describe('code table', () => {
  test('is complete', () => {
    expect(HUFFMAN_CODE_LENGTHS).toHaveLength(257)
    expect(HUFFMAN_CODE_LENGTHS.reduce((sum, length) => sum + 2 ** -length, 0)).toBe(1)
  })

  // From the listing in RFC 7541 appendix B.
  test.each([
    ['0', 0x30, '00000'],
    ['a', 0x61, '00011'],
    ['space', 0x20, '010100'],
    ['Z', 0x5a, '11111101'],
    ['&', 0x26, '11111000'],
    ['backslash', 0x5c, '1111111111111110000'],
    ['octet 0', 0, '1111111111000'],
    ['octet 10', 10, '111111111111111111111111111100'],
    ['octet 22', 22, '111111111111111111111111111110'],
    ['octet 199', 199, '1111111111111111111101100'],
    ['octet 255', 255, '11111111111111111111101110'],
    ['the end', 256, '111111111111111111111111111111'],
  ])('has the code of the RFC for %s', (_, symbol, bits) => {
    expect(CODES[symbol]).toBe(bits)
  })
})

describe('decodeHuffman', () => {
  // RFC 7541 appendix C.4 and C.6.
  test.each([
    ['f1e3c2e5f23a6ba0ab90f4ff', 'www.example.com'],
    ['a8eb10649cbf', 'no-cache'],
    ['25a849e95ba97d7f', 'custom-key'],
    ['25a849e95bb8e8b4bf', 'custom-value'],
    ['6402', '302'],
    ['640eff', '307'],
    ['aec3771a4b', 'private'],
    ['d07abe941054d444a8200595040b8166e082a62d1bff', 'Mon, 21 Oct 2013 20:13:21 GMT'],
    ['9d29ad171863c78f0b97c8e9ae82ae43d3', 'https://www.example.com'],
    ['', ''],
  ])('decodes %s to %s', (hex, text) => {
    expect(decode(hex)).toBe(text)
  })

  test('round-trips any octets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (octets) => {
        const bytes = encode(octets)
        const framed = Buffer.concat([Buffer.of(0), bytes, Buffer.of(0)])
        expect(decodeHuffman(framed, 1, framed.length - 1)).toBe(
          Buffer.from(octets).toString('latin1'),
        )
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  test('decodes strings longer than the scratch buffer', () => {
    const long = Buffer.alloc(20_000, 'e')
    const bytes = encode(long)
    expect(decodeHuffman(bytes, 0, bytes.length)).toBe(long.toString())
  })

  // RFC 7541 §5.2 calls each of these a decoding error.
  test.each([
    ['a whole octet of padding', '1fff'],
    ['padding with zeros', '18'],
    ['the end-of-string symbol', '3fffffff'.replace('3', 'f')],
    ['the end-of-string symbol before other codes', 'fffffffc1f'],
  ])('rejects %s', (_, hex) => {
    expect(() => decode(hex)).toThrow(/invalid padding|end-of-string symbol/)
  })
})
