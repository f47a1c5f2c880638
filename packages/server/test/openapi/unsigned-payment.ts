/** Payments for the price of a path, without a signature. */
import type { PaymentRequired } from '@x402/core/types'
import { unsignedPayload } from '../support/payment-fixtures.js'
import type { TestApp } from '../support/test-app.js'
import { encodeBase64Json } from '../support/test-payer.js'

let payments = 0

interface Choices {
  /** The payment identifier. */
  readonly identifier?: string | undefined
  readonly payer?: string | undefined
}

/** Each call of the result creates another payment. */
export async function createUnsignedPayments(
  app: TestApp,
  path: string,
  { identifier, payer }: Choices = {},
): Promise<() => string> {
  const {
    resource: { url },
    accepts,
  } = (await (await app.get(path)).json()) as PaymentRequired
  const [requirements] = accepts
  if (!requirements) throw new Error(`${path} has no price`)
  return () =>
    encodeBase64Json(
      unsignedPayload({
        top: {
          resource: { url },
          extensions: { 'payment-identifier': { info: { required: false, id: identifier } } },
        },
        accepted: { ...requirements },
        authorization: {
          ...(payer && { from: payer }),
          to: requirements.payTo,
          value: requirements.amount,
          validAfter: '0',
          validBefore: String(Math.floor(Date.now() / 1_000) + 100),
          nonce: `0x${String(++payments).padStart(64, '0')}`,
        },
      }),
    )
}

export async function getWithPayment(
  app: TestApp,
  path: string,
  choices: Choices = {},
): Promise<Response> {
  const nextPayment = await createUnsignedPayments(app, path, choices)
  return app.get(path, { 'PAYMENT-SIGNATURE': nextPayment() })
}
