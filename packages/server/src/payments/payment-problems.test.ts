import { expect, test } from 'vitest'
import {
  describePaymentError,
  type PaymentErrorReason,
  payerOnHold,
  toPaymentErrorReason,
} from './payment-problems.js'

test.each<[string | undefined, PaymentErrorReason]>([
  // Codes of @x402/evm.
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
  // Codes of other facilitators.
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
])('maps %s to %s', (facilitatorReason, reason) => {
  expect(toPaymentErrorReason(facilitatorReason)).toBe(reason)
})

test('describes each reason and the next step', () => {
  const transport = { howToSend: 'put it in the header', formatHint: '' }
  expect(describePaymentError('payment_required', transport)).toBe(
    'Sign one of the offers in accepts and put it in the header.',
  )
  expect(describePaymentError('wrong_amount', transport)).toBe(
    'The amount doesn’t match the price. You weren’t charged. Sign exactly the amount in accepts.',
  )
})

test('a wallet on hold gets the time that is left', () => {
  expect(payerOnHold(3_600).detail).toMatch(/try again in 60 minutes\.$/)
  expect(payerOnHold(30).detail).toMatch(/try again in a minute\.$/)
})
