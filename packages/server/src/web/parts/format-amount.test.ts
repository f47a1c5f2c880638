import { expect, test } from 'vitest'
import { formatAmount } from './format-amount.js'

test.each([
  ['1', '1.00'],
  ['0.01', '0.01'],
  ['12.5', '12.50'],
])('%s is shown as %s', (price, shown) => {
  expect(formatAmount(price)).toBe(shown)
})
