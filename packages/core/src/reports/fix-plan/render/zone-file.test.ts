import { canonicalName, parseZone } from '@mailgrade/doh/zone'
import { anyCharacter } from '@mailgrade/testing/any-character'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  panelRecords,
  plannedCname,
  plannedMx,
  plannedTxt,
} from '../../../../test/support/planned-record-fixtures.js'
import { toExactText } from '../../record-data.js'
import type { PlannedRecord } from '../planned-record.js'
import { formatZoneFile } from './zone-file.js'

const lines = (...planned: PlannedRecord[]) => formatZoneFile(panelRecords(...planned)).split('\n')

test('writes absolute names, quoted texts and a TTL on every line', () => {
  expect(
    lines(
      plannedTxt('acme.test', 'v=spf1 -all'),
      plannedCname('k1._domainkey.acme.test', 'k1.mail.test'),
      plannedCname('k2._domainkey.acme.test', 'k2.mail.test.'),
      plannedMx('acme.test', '10 mx.mail.test'),
      plannedMx('off.acme.test', '0 .'),
      plannedTxt('_dmarc.acme.test', 'v=DMARC1; p=none', { purpose: 'dmarc' }),
    ),
  ).toEqual([
    'acme.test. 3600 IN TXT "v=spf1 -all"',
    'k1._domainkey.acme.test. 3600 IN CNAME k1.mail.test.',
    'k2._domainkey.acme.test. 3600 IN CNAME k2.mail.test.',
    'acme.test. 3600 IN MX 10 mx.mail.test.',
    'off.acme.test. 3600 IN MX 0 .',
    '_dmarc.acme.test. 3600 IN TXT "v=DMARC1; p=none"',
    '',
  ])
})

test('splits a long text into strings', () => {
  expect(lines(plannedTxt('s.acme.test', 'A'.repeat(300)))[0]).toBe(
    `s.acme.test. 3600 IN TXT "${'A'.repeat(255)}" "${'A'.repeat(45)}"`,
  )
})

test('escapes special characters', () => {
  expect(lines(plannedTxt('acme.test', 'say "hi" \\ ü;\n$INCLUDE x'))[0]).toBe(
    'acme.test. 3600 IN TXT "say \\"hi\\" \\\\ \\195\\188;\\010$INCLUDE x"',
  )
})

describe('comments', () => {
  test('list records to delete', () => {
    expect(
      lines(
        plannedTxt('acme.test', 'v=spf1 -all', {
          action: 'replace',
          replaces: ['v=spf1 "a"', 'spf1'],
        }),
        plannedMx('acme.test', '10 old.test', { action: 'delete' }),
      ),
    ).toEqual([
      '; Delete: acme.test. 3600 IN TXT "v=spf1 \\"a\\""',
      '; Delete: acme.test. 3600 IN TXT "spf1"',
      'acme.test. 3600 IN TXT "v=spf1 -all"',
      '; Delete: acme.test. 3600 IN MX 10 old.test.',
      '',
    ])
  })

  test('list records to delete with their octets, also if these are not UTF-8', () => {
    const replaces = ['v=spf1 \xe9', 'v=spf1 \xc3\xa9'].map(toExactText)
    const record = plannedTxt('acme.test', 'v=spf1 -all', { action: 'replace', replaces })
    expect(lines(record).slice(0, 2)).toEqual([
      '; Delete: acme.test. 3600 IN TXT "v=spf1 \\233"',
      '; Delete: acme.test. 3600 IN TXT "v=spf1 \\195\\169"',
    ])
  })

  test('say what must be true first, and what is optional', () => {
    expect(
      lines(
        plannedTxt('acme.test', 'v=spf1 -all', { onlyIf: 'No one\nsends.' }),
        plannedTxt('b.acme.test', 'x', { isOptional: true, onlyIf: 'You want it.' }),
        plannedTxt('c.acme.test', 'old', { action: 'delete', onlyIf: 'A week has passed.' }),
      ),
    ).toEqual([
      '; Only if: No one sends.',
      'acme.test. 3600 IN TXT "v=spf1 -all"',
      '; Optional.',
      '; Only if: You want it.',
      'b.acme.test. 3600 IN TXT "x"',
      '; Only if: A week has passed.',
      '; Delete: c.acme.test. 3600 IN TXT "old"',
      '',
    ])
  })

  test('list records with placeholders', () => {
    const placeholders = [{ token: '{key}', whereToFind: 'Admin >\nKeys' }]
    expect(lines(plannedTxt('s.acme.test', 'p={key}', { placeholders }))).toEqual([
      '; Fill in {key}: Admin > Keys',
      '; Publish: s.acme.test. 3600 IN TXT "p={key}"',
      '',
    ])
  })

  test('list records in another zone', () => {
    expect(
      lines(
        plannedTxt('acme.test._report._dmarc.other.test', 'v=DMARC1'),
        plannedTxt('old.other.test', 'x', { action: 'delete' }),
        plannedTxt('k1._delegated.acme.test', 'y', { onlyIf: 'It signs.' }),
      ),
    ).toEqual([
      '; In someone else’s zone:',
      '; Publish: acme.test._report._dmarc.other.test. 3600 IN TXT "v=DMARC1"',
      '; In someone else’s zone:',
      '; Delete: old.other.test. 3600 IN TXT "x"',
      '; In someone else’s zone:',
      '; Only if: It signs.',
      '; Publish: k1._delegated.acme.test. 3600 IN TXT "y"',
      '',
    ])
  })
})

test('leaves out unchanged records', () => {
  expect(lines(plannedTxt('acme.test', 'v=spf1 -all', { action: 'keep' }))).toEqual([
    '; Nothing to change.',
    '',
  ])
})

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', '\n', '\r', ';', '(', ')', '$', '@', '.', ' ', '\u2028', '\0', '0'),
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
  ),
  maxLength: 600,
})

/** Lone surrogates have no UTF-8 form, so they cannot round-trip. */
const octets = (text: string) => Buffer.from(text).toString('latin1')

test('round-trips any text', () => {
  fc.assert(
    fc.property(hostile, hostile, (value, old) => {
      const text = formatZoneFile(
        panelRecords(
          plannedTxt('acme.test', value, { action: 'replace', replaces: [old] }),
          plannedTxt('b.acme.test', old, { action: 'delete' }),
          plannedTxt('c.acme.test', old, { placeholders: [{ token: old, whereToFind: value }] }),
          plannedTxt('x.other.test', old),
        ),
      )
      const records = parseZone(text)
      expect(records).toHaveLength(1)
      expect(records[0]).toMatchObject({ owner: 'acme.test', type: 'TXT', ttl: 3600 })
      expect(records.flatMap(({ data }) => data as string[]).join('')).toBe(octets(value))
    }),
    { numRuns: propertyRuns(300) },
  )
})

/** A label with every octet escaped, as names come off the wire. */
const label = (text: string) =>
  [...Buffer.from(text)].map((octet) => `\\${`${octet}`.padStart(3, '0')}`).join('')

test('keeps any target on its line', () => {
  const odd = fc.constantFrom('a', '"', '\n', ';', '(', ')', '$', '@', ' ', 'ü', '😀', '\0')
  const text = fc.string({ unit: odd, maxLength: 10 }).map((rest) => `x${rest}x`)
  fc.assert(
    fc.property(text, text, (one, other) => {
      const records = [
        plannedCname('a.acme.test', `${one}.test`),
        plannedMx('acme.test', `5 ${other}.test`),
      ]
      expect(parseZone(formatZoneFile(panelRecords(...records)))).toEqual([
        {
          owner: 'a.acme.test',
          ttl: 3600,
          type: 'CNAME',
          data: canonicalName(`${label(one)}.test`),
        },
        {
          owner: 'acme.test',
          ttl: 3600,
          type: 'MX',
          data: { preference: 5, exchange: canonicalName(`${label(other)}.test`) },
        },
      ])
    }),
    { numRuns: propertyRuns(100) },
  )
})

test.each([
  ['a\\.b.test', 'a\\.b.test.'],
  ['a\\032b.test', 'a\\032b.test.'],
  ['a\\999.test', 'a\\092999.test.'],
  ['a.test\\', 'a.test\\092.'],
  ['a.test\\.', 'a.test\\..'],
  ['a.test\\\\.', 'a.test\\\\.'],
])('keeps valid escapes in the name %s', (target, data) => {
  expect(lines(plannedCname('acme.test', target))[0]).toBe(`acme.test. 3600 IN CNAME ${data}`)
})
