/** What holds of every text that may be an address. */
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  randomLocalPart,
  randomMailAddress,
  randomText,
} from '../../test/support/random-addresses.js'
import { parseMailAddress } from './mail-address.js'

const runs = { numRuns: propertyRuns(5_000) }

describe('any text', () => {
  test('is an address or gets a printable reason', () => {
    const outcomes = { address: 0, refused: 0 }
    fc.assert(
      fc.property(fc.oneof(randomText, randomMailAddress), (text) => {
        const parsed = parseMailAddress(text)
        outcomes[parsed.kind] += 1
        if (parsed.kind === 'refused') {
          expect(parsed.reason).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]{20,260}\.$/u)
          return
        }
        expect(Buffer.byteLength(parsed.normalized)).toBeLessThanOrEqual(254)
        expect(parsed.normalized).toBe(parsed.normalized.normalize('NFC'))
      }),
      runs,
    )
    expect(Math.min(outcomes.address, outcomes.refused)).toBeGreaterThan(runs.numRuns / 10)
  })

  test('a normalized address parses to itself', () => {
    let changed = 0
    fc.assert(
      fc.property(randomMailAddress, (text) => {
        const parsed = parseMailAddress(text)
        if (parsed.kind === 'refused') return
        const { normalized } = parsed
        if (normalized !== text) changed += 1
        expect(parseMailAddress(normalized)).toEqual({ ...parsed, given: normalized })
      }),
      runs,
    )
    expect(changed).toBeGreaterThan(runs.numRuns / 10)
  })

  test('a reason never quotes the part before the @', () => {
    const secret = fc.string({ unit: fc.constantFrom(...'QZX79'), minLength: 6, maxLength: 9 })
    fc.assert(
      fc.property(
        secret,
        randomLocalPart,
        fc.constantFrom('', '@', '@b_c.de', '@[x]', '@io'),
        (...parts) => {
          const [word, rest, end] = parts
          const parsed = parseMailAddress(`${word}${rest}${end}`)
          if (parsed.kind === 'refused') expect(parsed.reason).not.toContain(word)
        },
      ),
      runs,
    )
  })
})
