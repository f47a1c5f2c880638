/** Reads and checks responses of paid endpoints. */
import type { PaymentRequired } from '@x402/core/types'
import { expect } from 'vitest'
import type { SettlementResponse } from '../../src/payments/facilitator.js'
import { FACILITATOR_WALLET } from '../../src/sandbox/chain/sandbox-wallets.js'
import { decodeBase64Json } from './test-payer.js'

export interface PaidResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  readonly body: any
  readonly paymentRequired: PaymentRequired | null
  readonly settlement: SettlementResponse | null
}

/** Also checks that no response leaks internals. */
export async function readPaidResponse(response: Response): Promise<PaidResponse> {
  const { status, headers } = response
  const text = await response.text()
  const paymentRequired = headers.get('payment-required')
  const settlement = headers.get('payment-response')
  const paidResponse = {
    status,
    headers,
    text,
    body: headers.get('content-type')?.includes('json') && text !== '' ? JSON.parse(text) : null,
    paymentRequired: paymentRequired === null ? null : decodeBase64Json(paymentRequired),
    settlement: settlement === null ? null : decodeBase64Json(settlement),
  }
  expectNoLeak(paidResponse)
  return paidResponse
}

const LEAKS = [
  /viem|ethers|@x402|hono|node_modules|undici/i,
  /\bat \S+ \(|\.[jt]s:\d+|stack|TypeError|Error:/,
  /fetch failed|ECONN|socket hang up|HTTP request|Request Arguments|Contract Call|revert/i,
  /127\.0\.0\.1|localhost|eth_[a-z]+|json-?rpc/i,
  /transferWithAuthorization|e3ee160e|cf092995|0x[0-9a-f]{65,}/i,
  /invalid_exact|signature: *0x|FiatToken|ERC20/i,
  new RegExp(FACILITATOR_WALLET.privateKey.slice(2), 'i'),
  new RegExp(FACILITATOR_WALLET.address.slice(2), 'i'),
]

function expectNoLeak({ status, headers, text, paymentRequired, settlement }: PaidResponse): void {
  const otherHeaders = [...headers].filter(([name]) => !/^payment-re(quired|sponse)$/.test(name))
  const all =
    JSON.stringify([otherHeaders, paymentRequired, settlement]) + (status === 200 ? '' : text)
  for (const leak of LEAKS) expect(all).not.toMatch(leak)
}

/** Checks what every 402 has in common. */
export function expectPaymentRequired(
  response: PaidResponse,
  error: string,
  amount = '10000',
): void {
  expect([response.status, response.body.code, response.body.error]).toEqual([
    402,
    'payment_required',
    error,
  ])
  expect(response.paymentRequired).toMatchObject({ x402Version: 2, error, accepts: [{ amount }] })
  expect(response.body.charged).toBe(error === 'payment_required' ? undefined : 'no')
}

/** Neither delivered nor rejected: the same payment can be sent again. */
export function expectFacilitatorUnavailable(
  response: PaidResponse,
  charged: unknown = expect.stringMatching(/^(no|unknown)$/),
): void {
  const { code, charged: wasCharged } = response.body
  expect([response.status, code, wasCharged]).toEqual([502, 'facilitator_unavailable', charged])
  expect(response.headers.get('retry-after')).toMatch(/^\d+$/)
  expect([response.paymentRequired, response.settlement]).toEqual([null, null])
}
