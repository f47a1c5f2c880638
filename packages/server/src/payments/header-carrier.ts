import type { PaymentTransport } from './payment-error-reasons.js'

/** Over HTTP a payment travels in a header. */
export const HTTP_PAYMENT_TRANSPORT: PaymentTransport = {
  howToSend: 'send it in PAYMENT-SIGNATURE',
  formatHint: 'Send base64 of its JSON in one PAYMENT-SIGNATURE header.',
}
