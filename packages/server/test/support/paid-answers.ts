/** What comes back from a paid endpoint, read and looked through. */
import type { PaymentRequired } from '@x402/core/types'
import { expect } from 'vitest'
import type { Receipt } from '../../src/payments/facilitator.js'
import { FACILITATOR } from '../../src/sandbox/chain/wallets.js'
import { decode } from './payer.js'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON
  readonly body: any
  readonly required: PaymentRequired | null
  readonly receipt: Receipt | null
}

/** Every answer is read here, and none may tell what is nobody's business. */
export async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response
  const text = await response.text()
  const required = headers.get('payment-required')
  const receipt = headers.get('payment-response')
  const answer = {
    status,
    headers,
    text,
    body: headers.get('content-type')?.includes('json') && text !== '' ? JSON.parse(text) : null,
    required: required === null ? null : decode(required),
    receipt: receipt === null ? null : decode(receipt),
  }
  expectNoLeak(answer)
  return answer
}

const LEAKS = [
  /viem|ethers|@x402|hono|node_modules|undici/i,
  /\bat \S+ \(|\.[jt]s:\d+|stack|TypeError|Error:/,
  /fetch failed|ECONN|socket hang up|HTTP request|Request Arguments|Contract Call|revert/i,
  /127\.0\.0\.1|localhost|eth_[a-z]+|json-?rpc/i,
  /transferWithAuthorization|e3ee160e|cf092995|0x[0-9a-f]{65,}/i,
  /invalid_exact|signature: *0x|FiatToken|ERC20/i,
  new RegExp(FACILITATOR.privateKey.slice(2), 'i'),
  new RegExp(FACILITATOR.address.slice(2), 'i'),
]

function expectNoLeak({ status, headers, text, required, receipt }: Answer): void {
  const told = [...headers].filter(([name]) => !/^payment-re(quired|sponse)$/.test(name))
  const all = JSON.stringify([told, required, receipt]) + (status === 200 ? '' : text)
  for (const leak of LEAKS) expect(all).not.toMatch(leak)
}

/** Not sold, and here is the price: what every 402 has in common. */
export function expectChallenge(answer: Answer, error: string, amount = '10000'): void {
  expect([answer.status, answer.body.code, answer.body.error]).toEqual([
    402,
    'payment_required',
    error,
  ])
  expect(answer.required).toMatchObject({ x402Version: 2, error, accepts: [{ amount }] })
}

/** Neither sold nor refused: the same payment is to be sent again. */
export function expectUnavailable(answer: Answer): void {
  expect([answer.status, answer.body.code]).toEqual([502, 'facilitator_unavailable'])
  expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
  expect([answer.required, answer.receipt]).toEqual([null, null])
}
