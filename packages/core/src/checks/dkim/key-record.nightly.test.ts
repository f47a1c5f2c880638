import { expect, test } from 'vitest'
import { parseKeyRecord } from './key-record.js'

test.each([
  ['semicolons', ';'],
  ['white space', ' \t'],
  ['equals signs', '='],
  ['quotation marks', '"'],
  ['tags', 'a=b;'],
  ['one tag again and again', 'p=;'],
  ['strays', 'x;'],
  ['colons', 'h=:;:'],
  ['base64', 'AAAA'],
  ['padding', 'A='],
  ['dashes', '-'],
  ['foreign octets', '\u00ff'],
])('parses the longest record of %s quickly', (_, piece) => {
  const start = performance.now()
  for (const head of ['', 'v=DKIM1;p=', 'v=DKIM1;h=', 'v = ']) {
    const text = (head + piece.repeat(65_535 / piece.length)).slice(0, 65_535)
    parseKeyRecord(text)
  }
  expect(performance.now() - start).toBeLessThan(500)
})
