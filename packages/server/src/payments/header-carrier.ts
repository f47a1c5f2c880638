import type { Carrier } from './reasons.js'

/** Over HTTP a payment travels in a header. */
export const HEADER: Carrier = {
  sendIt: 'send it in PAYMENT-SIGNATURE',
  form: 'Send base64 of its JSON in one PAYMENT-SIGNATURE header.',
}
