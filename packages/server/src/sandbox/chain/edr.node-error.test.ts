import { expect, test } from 'vitest'
import { toNodeError } from './edr.js'

test.each([
  ['Known transaction: 0x12', 'already known'],
  [
    'Transaction nonce too low. Expected nonce to be at least 1 but got 0.',
    'nonce too low. Expected nonce to be at least 1 but got 0.',
  ],
  [
    "Sender doesn't have enough funds to send tx. The max upfront cost is: 2",
    'insufficient funds for gas * price + value. The max upfront cost is: 2',
  ],
  ['Something else', 'Something else'],
])('%s', (message, expected) => {
  expect(toNodeError({ code: -32_000, message, data: null })).toEqual({
    code: -32_000,
    message: expected,
  })
})

test.each([
  ["reverted with reason string 'no 'way''", "execution reverted: no 'way'"],
  ['Transaction reverted without a reason', 'execution reverted'],
])('%s', (message, expected) => {
  const data = { reason: { Revert: '0x08' }, data: '0x08', transactionHash: null }
  expect(toNodeError({ code: -32_000, message, data })).toEqual({
    code: 3,
    message: expected,
    data: '0x08',
  })
})
