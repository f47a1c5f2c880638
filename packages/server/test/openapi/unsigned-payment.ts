/** A payment for whatever a path costs; nobody has signed it. */
import type { PaymentRequired } from '@x402/core/types'
import { unsignedPayload } from '../support/payment-fixtures.js'
import type { TestApp } from '../support/test-app.js'
import { encodeBase64Json } from '../support/test-payer.js'

let payments = 0

/** Another one each time. */
export async function createUnsignedPayments(app: TestApp, path: string): Promise<() => string> {
  const {
    resource: { url },
    accepts,
  } = (await (await app.get(path)).json()) as PaymentRequired
  const [offered] = accepts
  if (!offered) throw new Error(`${path} has no price`)
  return () =>
    encodeBase64Json(
      unsignedPayload({
        top: { resource: { url } },
        accepted: { ...offered },
        authorization: {
          to: offered.payTo,
          value: offered.amount,
          validAfter: '0',
          validBefore: String(Math.floor(Date.now() / 1_000) + 100),
          nonce: `0x${String(++payments).padStart(64, '0')}`,
        },
      }),
    )
}

export async function getWithPayment(app: TestApp, path: string): Promise<Response> {
  const next = await createUnsignedPayments(app, path)
  return app.get(path, { 'PAYMENT-SIGNATURE': next() })
}
