import { expect, test } from 'vitest'
import { expectedTextLength } from './planned-record.js'

test.each([
  ['v=spf1 -all', 11],
  ['ü', 2],
  ['v=DKIM1; k=rsa; p={public-key}', 410],
  ['p={s1-public-key}', 394],
])('%s has %d octets once it is filled in', (value, length) => {
  expect(expectedTextLength({ value })).toBe(length)
})
