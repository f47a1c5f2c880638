/** Payments for the price of a path, without a signature. */
import type { PaymentRequired } from '@x402/core/types'
import { unsignedPayload } from '../support/payment-fixtures.js'
import type { TestApp } from '../support/test-app.js'
import { encodeBase64Json } from '../support/test-payer.js'

let payments = 0

/** Each call of the result creates another payment. */
export async function createUnsignedPayments(app: TestApp, path: string): Promise<() => string> {
  const {
    resource: { url },
    accepts,
  } = (await (await app.get(path)).json()) as PaymentRequired
  const [requirements] = accepts
  if (!requirements) throw new Error(`${path} has no price`)
  return () =>
    encodeBase64Json(
      unsignedPayload({
        top: { resource: { url } },
        accepted: { ...requirements },
        authorization: {
          to: requirements.payTo,
          value: requirements.amount,
          validAfter: '0',
          validBefore: String(Math.floor(Date.now() / 1_000) + 100),
          nonce: `0x${String(++payments).padStart(64, '0')}`,
        },
      }),
    )
}

export async function getWithPayment(app: TestApp, path: string): Promise<Response> {
  const nextPayment = await createUnsignedPayments(app, path)
  return app.get(path, { 'PAYMENT-SIGNATURE': nextPayment() })
}
