import { expect, test } from 'vitest'
import { joinStrings, toDisplayText, toPlainAscii, trimTrailing } from './txt-records.js'

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
