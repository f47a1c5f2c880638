import { expect, test } from 'vitest'
import {
  describePaymentError,
  type PaymentErrorReason,
  toPaymentErrorReason,
} from './payment-problems.js'

test.each<[string | undefined, PaymentErrorReason]>([
  // What @x402/evm says.
  ['invalid_exact_evm_nonce_already_used', 'payment_already_used'],
  ['invalid_exact_evm_insufficient_balance', 'insufficient_funds'],
  ['invalid_exact_evm_payload_authorization_valid_before', 'expired'],
  ['invalid_exact_evm_payload_authorization_valid_after', 'not_yet_valid'],
  ['invalid_exact_evm_authorization_value', 'wrong_amount'],
  ['invalid_exact_evm_payload_authorization_value_mismatch', 'wrong_amount'],
  ['invalid_exact_evm_recipient_mismatch', 'wrong_payee'],
  ['invalid_exact_evm_network_mismatch', 'wrong_network'],
  ['invalid_exact_evm_signature', 'invalid_signature'],
  ['invalid_exact_evm_failed_to_parse_signature', 'invalid_signature'],
  ['invalid_exact_evm_transaction_simulation_failed', 'payment_refused'],
  ['invalid_exact_evm_transaction_failed', 'payment_refused'],
  // What others say.
  ['insufficient_funds', 'insufficient_funds'],
  ['invalid_exact_evm_payload_signature', 'invalid_signature'],
  ['invalid_exact_evm_payload_recipient_mismatch', 'wrong_payee'],
  ['invalid_network', 'wrong_network'],
  ['payment_expired', 'expired'],
  ['duplicate_settlement', 'payment_already_used'],
  ['INSUFFICIENT_FUNDS', 'insufficient_funds'],
  ['blocked_address', 'payment_refused'],
  ['', 'payment_refused'],
  [undefined, 'payment_refused'],
  ['constructor', 'payment_refused'],
])('%s is our %s', (facilitatorReason, reason) => {
  expect(toPaymentErrorReason(facilitatorReason)).toBe(reason)
})

test('a reason has a sentence that says what to do', () => {
  const transport = { howToSend: 'put it into the basket', formatHint: '' }
  expect(describePaymentError('payment_required', transport)).toBe(
    'Sign one of the offers in accepts and put it into the basket.',
  )
  expect(describePaymentError('wrong_amount', transport)).toBe(
    'The amount does not match the price. You were not charged. Sign exactly the amount in accepts.',
  )
})
