/** A payment for whatever a path costs; nobody has signed it. */
import type { PaymentRequired } from '@x402/core/types'
import { encode } from '../support/payer.js'
import { payloadOf } from '../support/payment-fixtures.js'
import type { TestApp } from '../support/test-app.js'

let payments = 0

/** Another one each time. */
export async function paymentFor(app: TestApp, path: string): Promise<() => string> {
  const {
    resource: { url },
    accepts,
  } = (await (await app.get(path)).json()) as PaymentRequired
  const [offered] = accepts
  if (!offered) throw new Error(`${path} has no price`)
  return () =>
    encode(
      payloadOf({
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

export async function buy(app: TestApp, path: string): Promise<Response> {
  const next = await paymentFor(app, path)
  return app.get(path, { 'PAYMENT-SIGNATURE': next() })
}
