import { expect, test } from 'vitest'
import { tokenizeZone } from './tokenize-zone.js'

test('a line is an entry; blank lines and comments are none', () => {
  expect(
    tokenizeZone('; a comment\n\n  \na.test. A 192.0.2.7 ; and another\nb.test. NS c.test.'),
  ).toEqual([
    { line: 4, hasOwner: true, tokens: ['a.test.', 'A', '192.0.2.7'] },
    { line: 5, hasOwner: true, tokens: ['b.test.', 'NS', 'c.test.'] },
  ])
})

test('an entry that begins with white space has no owner of its own', () => {
  expect(tokenizeZone('a.test. A 192.0.2.7\n\tA 192.0.2.8')).toEqual([
    { line: 1, hasOwner: true, tokens: ['a.test.', 'A', '192.0.2.7'] },
    { line: 2, hasOwner: false, tokens: ['A', '192.0.2.8'] },
  ])
})

test('a line behind a comment line has its own margin', () => {
  expect(tokenizeZone('; one\na A 192.0.2.7\n ; two\nb A 192.0.2.8')).toMatchObject([
    { hasOwner: true },
    { hasOwner: true },
  ])
})

test('Windows line ends are line ends', () => {
  expect(tokenizeZone('a A 192.0.2.7\r\n\r\n\tA 192.0.2.8 ; two\r\nb A 192.0.2.9\r\n')).toEqual([
    { line: 1, hasOwner: true, tokens: ['a', 'A', '192.0.2.7'] },
    { line: 3, hasOwner: false, tokens: ['A', '192.0.2.8'] },
    { line: 4, hasOwner: true, tokens: ['b', 'A', '192.0.2.9'] },
  ])
})

test('parentheses join lines, comments between them are dropped', () => {
  expect(tokenizeZone('a SOA ns h ( 1 ; serial\n 2 3\n\n4\n5 )\nb A 192.0.2.7')).toEqual([
    { line: 1, hasOwner: true, tokens: ['a', 'SOA', 'ns', 'h', '1', '2', '3', '4', '5'] },
    { line: 6, hasOwner: true, tokens: ['b', 'A', '192.0.2.7'] },
  ])
})

test('inside quotes, white space, semicolons and parentheses are text', () => {
  expect(tokenizeZone('a TXT "v=DKIM1; p=(a b)" ; comment')[0]?.tokens).toEqual([
    'a',
    'TXT',
    'v=DKIM1; p=(a b)',
  ])
})

test('an escaped quote does not end a string; an escaped semicolon begins no comment', () => {
  expect(tokenizeZone('a TXT "say \\"hi\\"" semi\\;colon')[0]?.tokens).toEqual([
    'a',
    'TXT',
    'say \\"hi\\"',
    'semi\\;colon',
  ])
})

test('strings may touch, and may be empty', () => {
  expect(tokenizeZone('a TXT "one""two" ""')[0]?.tokens).toEqual(['a', 'TXT', 'one', 'two', ''])
})

test('a string may span lines, and lines are counted on', () => {
  expect(tokenizeZone('a TXT "one\ntwo"\nb A 192.0.2.7')).toEqual([
    { line: 1, hasOwner: true, tokens: ['a', 'TXT', 'one\ntwo'] },
    { line: 3, hasOwner: true, tokens: ['b', 'A', '192.0.2.7'] },
  ])
})

test.each([
  [
    'a string that is not closed',
    'a A 192.0.2.7\nb TXT "open',
    'zone file, line 2: " is not closed',
  ],
  ['an escape of nothing', 'a TXT x\\', 'zone file, line 1: \\ is not closed'],
  ['a parenthesis too few', 'a TXT (\n"x"\n', 'zone file, line 3: a parenthesis is not closed'],
  [
    'a parenthesis too many',
    'a TXT "x"\nb TXT "y" )',
    'zone file, line 2: a closing parenthesis has no opening one',
  ],
])('%s is reported with its line', (_, text, message) => {
  expect(() => tokenizeZone(text)).toThrow(message)
})
