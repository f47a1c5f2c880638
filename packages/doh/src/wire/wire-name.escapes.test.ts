import { expect, test } from 'vitest'
import { splitLabels, unescapeOctets } from './wire-name.js'

test.each([
  ['plain text', 'plain text'],
  ['\\.', '.'],
  ['\\\\', '\\'],
  ['\\"', '"'],
  ['a\\032b', 'a b'],
  ['\\000\\255', '\x00\xff'],
  ['\\0655', 'A5'],
  ['\\\\065', '\\065'],
  ['', ''],
])('unescapes %j to %j', (text, octets) => {
  expect(unescapeOctets(text)?.toString('latin1')).toBe(octets)
})

test('encodes characters beyond ASCII as UTF-8, escaped or not', () => {
  expect(unescapeOctets('ü')?.toString('hex')).toBe('c3bc')
  expect(unescapeOctets('\\ü')?.toString('hex')).toBe('c3bc')
  expect(unescapeOctets('\\😀.')?.toString('hex')).toBe('f09f98802e')
})

test.each(['\\', 'a\\', '\\1', '\\12', '\\1a2', '\\256', '\\999', '\\\\\\'])(
  'rejects the invalid escape %j',
  (text) => {
    expect(unescapeOctets(text)).toBeNull()
  },
)

test.each([
  ['a.b.test', ['a', 'b', 'test']],
  ['a\\.b.test', ['a\\.b', 'test']],
  ['a\\\\.b.test', ['a\\\\', 'b', 'test']],
  ['a\\046b.test', ['a\\046b', 'test']],
  ['acme.test.', ['acme', 'test', '']],
  ['acme\\.', ['acme\\.']],
  ['\\😀.test', ['\\😀', 'test']],
])('splits %j into %j', (name, labels) => {
  expect(splitLabels(name)).toEqual(labels)
})
