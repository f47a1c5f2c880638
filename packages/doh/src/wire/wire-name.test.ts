import { compressionPointer, encodeWireName } from '@mailgrade/testing/dns-message'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalName, writeName, writePlainName } from './wire-name.js'
import { readName, WireReader } from './wire-reader.js'

const label = (length: number) => 'x'.repeat(length)
/** Three labels of 63 and one of `last`: 4 × 1 + 189 + `last` + 1 octets. */
const nameOf = (last: number) => [label(63), label(63), label(63), label(last)].join('.')

/** The wire form of a name, written into the middle of something else. */
function encodeName(text: string): Buffer | null {
  const target = Buffer.alloc(300, 0xff)
  const end = writeName(text, target, 20)
  expect(target.subarray(end ?? 20).every((octet) => octet === 0xff)).toBe(true)
  return end === null ? null : target.subarray(20, end)
}

describe('writeName', () => {
  test.each([
    ['acme.test', '0461636d65047465737400'],
    ['acme.test.', '0461636d65047465737400'],
    ['.', '00'],
    ['a\\.b.test', '03612e62047465737400'],
    ['a.b.test', '01610162047465737400'],
    ['\\097.test', '0161047465737400'],
    ['\\000.test', '0100047465737400'],
    ['ü.test', '02c3bc047465737400'],
  ])('encodes %j as %s', (text, hex) => {
    expect(encodeName(text)?.toString('hex')).toBe(hex)
  })

  test('accepts labels of at most 63 octets', () => {
    expect(encodeName(`${label(63)}.test`)?.length).toBe(64 + 5 + 1)
    expect(encodeName(`${label(64)}.test`)).toBeNull()
  })

  test('counts octets, not characters', () => {
    expect(encodeName(`${'\\001'.repeat(63)}.test`)?.length).toBe(64 + 5 + 1)
    expect(encodeName(`${'ü'.repeat(31)}.test`)?.length).toBe(63 + 5 + 1)
    expect(encodeName(`${'ü'.repeat(32)}.test`)).toBeNull()
  })

  test('accepts names of at most 255 octets', () => {
    expect(encodeName(nameOf(61))?.length).toBe(255)
    expect(encodeName(nameOf(62))).toBeNull()
  })

  test.each(['', '..', 'a..test', '.test', 'a.test..', 'a\\', '\\2.test', '\\256.test'])(
    'rejects %j',
    (text) => {
      expect(encodeName(text)).toBeNull()
    },
  )
})

describe('writePlainName', () => {
  test.each(['acme.test', 'a', '_dmarc.acme.test', `${label(63)}.test`, nameOf(61)])(
    'writes %j like writeName',
    (text) => {
      const target = Buffer.alloc(300)
      const end = writePlainName(text, target, 20)
      expect(target.subarray(20, end ?? 20)).toEqual(encodeName(text))
    },
  )

  test.each([
    '',
    '.',
    'acme.test.',
    'Acme.test',
    'a\\.b.test',
    'ü.test',
    '☃.test',
    'a..test',
    '.test',
    `${label(64)}.test`,
    nameOf(62),
  ])('leaves %j to others', (text) => {
    expect(writePlainName(text, Buffer.alloc(300), 20)).toBeNull()
  })
})

describe('readName', () => {
  const read = (bytes: Buffer, offset = 0) => {
    const reader = new WireReader(bytes)
    reader.offset = offset
    return { name: readName(reader), endsAt: reader.offset }
  }

  test('returns lower case without a trailing dot', () => {
    expect(read(encodeWireName(['AcMe', 'TEST']))).toEqual({ name: 'acme.test', endsAt: 11 })
  })

  test('returns a dot for the root', () => {
    expect(read(Buffer.of(0))).toEqual({ name: '.', endsAt: 1 })
  })

  test('escapes a dot inside a label', () => {
    expect(read(encodeWireName(['a.b', 'test'])).name).toBe('a\\.b.test')
    expect(read(encodeWireName(['a', 'b', 'test'])).name).toBe('a.b.test')
  })

  test.each([
    ['a\\b', 'a\\\\b'],
    ['A B', 'a\\032b'],
    ['\x00', '\\000'],
    ['\x7f', '\\127'],
    // À in Latin-1 is no letter in DNS, so its case stays (RFC 4343 §3).
    ['\xc0', '\\192'],
    ['_dmarc', '_dmarc'],
    ['*', '*'],
    ['a;"()@$', 'a;"()@$'],
    ['line\n', 'line\\010'],
  ])('reads the label %j as %j', (octets, text) => {
    expect(read(encodeWireName([octets])).name).toBe(text)
  })

  test('follows a pointer and continues after it', () => {
    const bytes = Buffer.concat([
      encodeWireName(['acme', 'test']),
      encodeWireName(['mail'], compressionPointer(0)),
      Buffer.of(7),
    ])
    expect(read(bytes, 11)).toEqual({ name: 'mail.acme.test', endsAt: 18 })
  })

  test('follows a pointer to a pointer', () => {
    const bytes = Buffer.concat([
      encodeWireName(['test']),
      compressionPointer(0),
      encodeWireName(['a'], compressionPointer(6)),
    ])
    expect(read(bytes, 8)).toEqual({ name: 'a.test', endsAt: 12 })
  })

  test.each([
    ['to itself', compressionPointer(0), 0],
    ['forward', Buffer.concat([compressionPointer(2), encodeWireName(['a'])]), 0],
    ['back into the name it ends', encodeWireName(['a', 'b'], compressionPointer(0)), 0],
    ['into its own middle', encodeWireName(['a', 'b'], compressionPointer(2)), 0],
    ['to a pointer that leads forward', Buffer.from('c0020161' + '00' + 'c000', 'hex'), 5],
    [
      'to a pointer that leads back',
      Buffer.concat([compressionPointer(2), compressionPointer(0)]),
      2,
    ],
  ])('rejects a pointer %s', (_, bytes, offset) => {
    expect(() => read(bytes, offset)).toThrow('forward pointer or too many pointers')
  })

  test('follows at most 127 pointers', () => {
    // Each pointer leads to the one before it, the first to a name.
    const pointers = Array.from({ length: 200 }, (_, index) => compressionPointer(index * 2 + 1))
    const bytes = Buffer.concat([encodeWireName(['a']), ...pointers])
    bytes.writeUInt16BE(0xc000, 3)
    const startOf = (jumps: number) => 3 + 2 * (jumps - 1)
    expect(read(bytes, startOf(127)).name).toBe('a')
    expect(() => read(bytes, startOf(128))).toThrow('forward pointer or too many pointers')
  })

  test('limits a compressed name to 255 octets', () => {
    const tail = encodeWireName([label(63), label(63), label(63)])
    const fits = Buffer.concat([tail, encodeWireName([label(61)], compressionPointer(0))])
    const exceeds = Buffer.concat([tail, encodeWireName([label(62)], compressionPointer(0))])
    expect(read(fits, tail.length).name).toBe(
      [label(61), label(63), label(63), label(63)].join('.'),
    )
    expect(() => read(exceeds, tail.length)).toThrow('longer than 255 octets')
  })

  test.each([0x40, 0x80])('rejects the label type %i', (length) => {
    expect(() => read(Buffer.of(length, 0, 0))).toThrow('label of unknown type')
  })

  test.each([
    ['no octets', ''],
    ['an incomplete label', '05616263'],
    ['no final zero', '0161'],
    ['half a pointer', 'c0'],
  ])('rejects input with %s', (_, hex) => {
    expect(() => read(Buffer.from(hex, 'hex'))).toThrow('it ends too early')
  })
})

describe('canonicalName', () => {
  test.each([
    ['ACME.Test.', 'acme.test'],
    ['\\065cme.test', 'acme.test'],
    ['a\\046b.test', 'a\\.b.test'],
    ['ü.test', '\\195\\188.test'],
    ['.', '.'],
  ])('%j becomes %j', (text, canonical) => {
    expect(canonicalName(text)).toBe(canonical)
  })

  test('returns null for an invalid name', () => {
    expect(canonicalName('a..test')).toBeNull()
  })

  test('round-trips any labels except for their case', () => {
    const octets = fc.uint8Array({ minLength: 1, maxLength: 63 })
    const labels = fc
      .array(octets, { minLength: 1, maxLength: 127 })
      .filter((all) => all.reduce((sum, each) => sum + each.length + 1, 1) <= 255)
    fc.assert(
      fc.property(labels, (all) => {
        const wire = encodeWireName(all.map((each) => Buffer.from(each)))
        const text = readName(new WireReader(wire))
        const lowerCase = wire.map((octet) => (octet >= 0x41 && octet <= 0x5a ? octet + 32 : octet))
        // A length octet is below 64, so it is not changed as a letter.
        expect(encodeName(text)).toEqual(Buffer.from(lowerCase))
        expect(canonicalName(text)).toBe(text)
      }),
      { numRuns: propertyRuns(300) },
    )
  })
})

describe('comparing a name read from the wire', () => {
  const isEqual = (labels: string[], text: string) => {
    const bytes = Buffer.concat([encodeWireName(labels), Buffer.from('rest')])
    const reader = new WireReader(bytes)
    const equal = readName(reader) === text
    if (equal) expect(bytes.toString('latin1', reader.offset)).toBe('rest')
    return equal
  }

  test.each([
    [['acme', 'test'], 'acme.test'],
    [['AcMe', 'TEST'], 'acme.test'],
    [[], '.'],
    [['a.b', 'test'], 'a\\.b.test'],
  ])('%j equals %s', (labels, text) => {
    expect(isEqual(labels, text)).toBe(true)
  })

  test.each([
    [['acme', 'tess'], 'acme.test'],
    [['acme', 'test', 'x'], 'acme.test'],
    [['acme', 'test\0x'], 'acme.test'],
    [['acme'], 'acme.test'],
    [['acme.test'], 'acme.test'],
    [['acm', 'test'], 'acme.test'],
    [['ac', 'e', 'test'], 'acme.test'],
    [[], 'acme.test'],
    [['acme', 'test'], '.'],
  ])('%j does not equal %s', (labels, text) => {
    expect(isEqual(labels, text)).toBe(false)
  })

  test('a compressed name equals its text', () => {
    const bytes = Buffer.concat([
      encodeWireName(['test']),
      encodeWireName(['acme'], compressionPointer(0)),
    ])
    const reader = new WireReader(bytes)
    reader.offset = 6
    expect(readName(reader)).toBe('acme.test')
    expect(reader.offset).toBe(bytes.length)
  })
})
