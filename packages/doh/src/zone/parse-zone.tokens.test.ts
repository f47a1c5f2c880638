import { expect, test } from 'vitest'
import { tokenizeZone } from './parse-zone.js'

test('returns one entry per line without blank lines and comments', () => {
  expect(
    tokenizeZone('; a comment\n\n  \na.test. A 192.0.2.7 ; and another\nb.test. NS c.test.'),
  ).toEqual([
    { line: 4, hasOwner: true, tokens: ['a.test.', 'A', '192.0.2.7'] },
    { line: 5, hasOwner: true, tokens: ['b.test.', 'NS', 'c.test.'] },
  ])
})

test('marks an entry that starts with white space as without owner', () => {
  expect(tokenizeZone('a.test. A 192.0.2.7\n\tA 192.0.2.8')).toEqual([
    { line: 1, hasOwner: true, tokens: ['a.test.', 'A', '192.0.2.7'] },
    { line: 2, hasOwner: false, tokens: ['A', '192.0.2.8'] },
  ])
})

test('recognizes an owner after a comment line', () => {
  expect(tokenizeZone('; one\na A 192.0.2.7\n ; two\nb A 192.0.2.8')).toMatchObject([
    { hasOwner: true },
    { hasOwner: true },
  ])
})

test('accepts CRLF line ends', () => {
  expect(tokenizeZone('a A 192.0.2.7\r\n\r\n\tA 192.0.2.8 ; two\r\nb A 192.0.2.9\r\n')).toEqual([
    { line: 1, hasOwner: true, tokens: ['a', 'A', '192.0.2.7'] },
    { line: 3, hasOwner: false, tokens: ['A', '192.0.2.8'] },
    { line: 4, hasOwner: true, tokens: ['b', 'A', '192.0.2.9'] },
  ])
})

test('joins lines in parentheses and drops comments between them', () => {
  expect(tokenizeZone('a SOA ns h ( 1 ; serial\n 2 3\n\n4\n5 )\nb A 192.0.2.7')).toEqual([
    { line: 1, hasOwner: true, tokens: ['a', 'SOA', 'ns', 'h', '1', '2', '3', '4', '5'] },
    { line: 6, hasOwner: true, tokens: ['b', 'A', '192.0.2.7'] },
  ])
})

test('keeps white space, semicolons and parentheses inside quotes', () => {
  expect(tokenizeZone('a TXT "v=DKIM1; p=(a b)" ; comment')[0]?.tokens).toEqual([
    'a',
    'TXT',
    'v=DKIM1; p=(a b)',
  ])
})

test('keeps escaped quotes and semicolons', () => {
  expect(tokenizeZone('a TXT "say \\"hi\\"" semi\\;colon')[0]?.tokens).toEqual([
    'a',
    'TXT',
    'say \\"hi\\"',
    'semi\\;colon',
  ])
})

test('accepts adjacent and empty strings', () => {
  expect(tokenizeZone('a TXT "one""two" ""')[0]?.tokens).toEqual(['a', 'TXT', 'one', 'two', ''])
})

test('counts the lines of a multi-line string', () => {
  expect(tokenizeZone('a TXT "one\ntwo"\nb A 192.0.2.7')).toEqual([
    { line: 1, hasOwner: true, tokens: ['a', 'TXT', 'one\ntwo'] },
    { line: 3, hasOwner: true, tokens: ['b', 'A', '192.0.2.7'] },
  ])
})

test.each([
  ['an unclosed string', 'a A 192.0.2.7\nb TXT "open', 'zone file, line 2: " is not closed'],
  ['an incomplete escape', 'a TXT x\\', 'zone file, line 1: \\ is not closed'],
  ['an unclosed parenthesis', 'a TXT (\n"x"\n', 'zone file, line 3: a parenthesis is not closed'],
  [
    'an unopened parenthesis',
    'a TXT "x"\nb TXT "y" )',
    'zone file, line 2: a closing parenthesis has no opening one',
  ],
])('reports the line of %s', (_, text, message) => {
  expect(() => tokenizeZone(text)).toThrow(message)
})
