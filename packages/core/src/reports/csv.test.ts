import { expect, test } from 'vitest'
import { toCsvRecords } from './csv.js'

test.each([
  ['=1+1', "'=1+1"],
  ['a=1', 'a=1'],
  ['a; =1', "a; '=1"],
  ['a\t"-1', `"a\t""'-1"`],
  ['＠x', "'＠x"],
  ['==', "'=="],
])('%j becomes %j', (text, field) => {
  expect(toCsvRecords([[text]])).toBe(`${field}\r\n`)
})

// Seconds for each 100,000 blanks if every one is looked back from.
test('a text of a million blanks is one field', () => {
  const text = `a${' '.repeat(1_000_000)}`
  expect(toCsvRecords([[text]])).toBe(`${text}\r\n`)
})
