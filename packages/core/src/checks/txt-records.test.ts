import { expect, test } from 'vitest'
import {
  joinStrings,
  limitStrings,
  selectRecords,
  toDisplayText,
  toPlainAscii,
  trimTrailing,
} from './txt-records.js'

test('joins strings without a separator', () => {
  expect(joinStrings(['v=spf1 incl', 'ude:a.test', '', ' -all'])).toBe('v=spf1 include:a.test -all')
})

test.each([
  ['v=spf1 -all', 'v=spf1 -all'],
  ['v=spf1\xc2\xa0-all', 'v=spf1\u00a0-all'],
  ['caf\xc3\xa9', 'café'],
  ['caf\xe9', 'café'],
  ['\xef\xbb\xbfv=spf1', '\ufeffv=spf1'],
  ['\xff\xfe', 'ÿþ'],
])('the octets %j are shown as %j', (octets, text) => {
  expect(toDisplayText(octets)).toBe(text)
})

test.each([
  ['“v=DMARC1”', 'v=DMARC1'],
  ['«v=spf1»', 'v=spf1'],
  ['v=spf1\u00a0\u2013all\u200b', 'v=spf1 -all'],
  ['v＝DMARC1；', 'v=DMARC1;'],
  ['"v=spf1"', '"v=spf1"'],
])('%j is plainly %j', (text, plain) => {
  expect(toPlainAscii(Buffer.from(text).toString('latin1'))).toBe(plain)
})

test.each([
  ['a" \'', 'a'],
  ['"a', '"a'],
  ['" ', ''],
])('%j ends at %j', (text, trimmed) => {
  expect(trimTrailing(text, /["'\s]/)).toBe(trimmed)
})

test('joins at most 8,193 octets, which shows that a record is too long', () => {
  const full = Array.from({ length: 40 }, () => 'x'.repeat(255))
  expect(joinStrings(full)).toBe('x'.repeat(8_193))
  expect(joinStrings(['x'.repeat(8_192)])).toHaveLength(8_192)
  expect(joinStrings(['x'.repeat(60_000)])).toHaveLength(8_193)
})

test('keeps the strings that hold the first octets', () => {
  const strings = Array.from({ length: 257 }, () => 'x'.repeat(255))
  expect(limitStrings(strings)).toHaveLength(33)
  const short = ['a', 'b']
  expect(limitStrings(short)).toBe(short)
})

test('selects the same ten of many records in whatever order they come', () => {
  const texts = Array.from({ length: 500 }, (_, at) => `n${at}`)
  const selected = selectRecords(texts, (text) => text)
  expect(selected).toEqual(texts.toSorted().slice(0, 10))
  expect(selectRecords(texts.toReversed(), (text) => text)).toEqual(selected)
})

test('selects all of ten records, in their order', () => {
  const texts = ['b', 'a', ...'cdefghij']
  expect(selectRecords(texts, (text) => text)).toBe(texts)
})
