import { anyCharacter } from '@mailgrade/testing/any-character'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { callerKey } from '../http/request-context.js'

const PEER = '192.0.2.1'
const of = (address: string) => callerKey(address, undefined, 0)
const behind = (hops: number, forwardedFor: string) => callerKey(PEER, forwardedFor, hops)

describe('an address', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:203.0.113.7', '203.0.113.7'],
    ['::ffff:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:cb00:7107', '203.0.113.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
    ['2001:0db8:0000:0000:0000:0000:0000:0002', '2001:db8:0:0::/64'],
    ['2001:db8::3:4:5:6', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8:1:2:3:4:5::', '2001:db8:1:2::/64'],
    ['::2:3:4:5:6:7:8', '0:2:3:4::/64'],
    ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::1:ffff:cb00:7107', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::1%1:2:3:4:5:6', 'fe80:0:0:0::/64'],
    ['::ffff:203.0.113.7%eth0', '203.0.113.7'],
  ])('%s has the key %s', (address, caller) => {
    expect(of(address)).toBe(caller)
  })

  const group = fc.nat(0xffff)
  const groups = fc.array(group, { minLength: 8, maxLength: 8 })
  const hex = (numbers: number[], digits = 0) =>
    numbers.map((number) => number.toString(16).padStart(digits, '0')).join(':')

  test('has one key in every notation', () => {
    const sparse = fc.array(fc.oneof(fc.constant(0), group), { minLength: 8, maxLength: 8 })
    fc.assert(
      fc.property(sparse, (numbers) => {
        const [a = 0, b = 0] = numbers.slice(6)
        const dotted = [a >> 8, a & 0xff, b >> 8, b & 0xff].join('.')
        const shortest = new URL(`http://[${hex(numbers)}]`).hostname.slice(1, -1)
        const spellings = [
          hex(numbers),
          hex(numbers, 4).toUpperCase(),
          shortest,
          `${hex(numbers.slice(0, 6))}:${dotted}`,
        ]
        expect(new Set(spellings.map(of)).size).toBe(1)
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  test('shares its key with its /64 only', () => {
    fc.assert(
      fc.property(groups, groups, fc.nat(3), (numbers, other, at) => {
        const neighbour = [...numbers.slice(0, 4), ...other.slice(4)]
        expect(of(hex(neighbour))).toBe(of(hex(numbers)))
        const stranger = numbers.with(at, (numbers[at] ?? 0) ^ 1)
        expect(of(hex(stranger))).not.toBe(of(hex(numbers)))
      }),
      { numRuns: propertyRuns(100) },
    )
  })
})

describe('without a trusted proxy', () => {
  test.each(['203.0.113.7', '203.0.113.7, 203.0.113.8', '127.0.0.1', ''])(
    'ignores X-Forwarded-For: %s',
    (header) => {
      expect(behind(0, header)).toBe(PEER)
    },
  )

  test('a peer that hung up has the key unknown', () => {
    expect(callerKey(undefined, undefined, 0)).toBe('unknown')
    expect(callerKey('', '203.0.113.7', 0)).toBe('unknown')
  })
})

describe('behind trusted proxies', () => {
  test.each([
    [1, '203.0.113.7', '203.0.113.7'],
    [1, '198.51.100.9, 203.0.113.7', '203.0.113.7'],
    [1, ',203.0.113.7', '203.0.113.7'],
    [2, '203.0.113.7, 10.0.0.1', '203.0.113.7'],
    [2, '198.51.100.9,203.0.113.7,10.0.0.1', '203.0.113.7'],
    [3, 'unknown, 203.0.113.7, 10.0.0.2, 10.0.0.1', '203.0.113.7'],
    [1, ' \t203.0.113.7 ', '203.0.113.7'],
    [1, '203.0.113.7:50123', '203.0.113.7'],
    [1, '[2001:db8::1]', '2001:db8:0:0::/64'],
    [1, '[2001:db8::1]:50123', '2001:db8:0:0::/64'],
    [1, '2001:db8::1', '2001:db8:0:0::/64'],
    [1, '[::ffff:203.0.113.7]:443', '203.0.113.7'],
    [1, 'fe80::1%eth0', 'fe80:0:0:0::/64'],
  ])('%i hops and X-Forwarded-For: %s give %s', (hops, header, caller) => {
    expect(behind(hops, header)).toBe(caller)
  })

  test.each([
    [1, ''],
    [1, 'unknown'],
    [1, '_hidden'],
    [1, '203.0.113.7,'],
    [1, '203.0.113.256'],
    [1, '203.0.113.07'],
    [1, '203.0.113.7:port'],
    [1, '203.0.113.7:443:443'],
    [1, '2001:db8::1::2'],
    [1, '[2001:db8::1'],
    [1, '[]:443'],
    [1, '"203.0.113.7"'],
    [1, 'for=203.0.113.7'],
    [1, '203.0.113.7 198.51.100.9'],
    [1, `203.0.113.7${' '.repeat(100)}`],
    [2, '203.0.113.7'],
    [2, ',203.0.113.7'],
    [2, '203.0.113.7, unknown, 10.0.0.1'],
    [3, '203.0.113.7, 10.0.0.1'],
    [3, ',,'],
    [10, ',10.0.0.1'],
  ])('%i hops and X-Forwarded-For: %s give the peer', (hops, header) => {
    expect(behind(hops, header)).toBe(PEER)
  })

  test('a missing header gives the peer', () => {
    expect(callerKey(PEER, undefined, 1)).toBe(PEER)
  })

  test('entries that the caller adds on the left change nothing', () => {
    const spoofed = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.ipV4(),
      fc.ipV6(),
      fc.constant(','),
    )
    fc.assert(
      fc.property(fc.array(spoofed), fc.integer({ min: 1, max: 4 }), (left, hops) => {
        const ours = ['203.0.113.7', '10.0.0.3', '10.0.0.2', '10.0.0.1'].slice(0, hops)
        expect(behind(hops, [...left, ...ours].join(', '))).toBe('203.0.113.7')
      }),
      { numRuns: propertyRuns(100) },
    )
  })

  test('text from the caller never becomes a key', () => {
    const text = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef:.,[]% '), maxLength: 50 }),
      fc.tuple(fc.ipV6(), fc.string()).map((parts) => parts.join('%')),
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 3 }), (header, hops) => {
        expect(behind(hops, header)).toMatch(/^(\d+\.){3}\d+$|^([\da-f]{1,4}:){4}:\/64$/)
      }),
      { numRuns: propertyRuns(3_000) },
    )
  })
})
