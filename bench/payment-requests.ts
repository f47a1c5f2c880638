/** Requests of the payment and MCP benchmarks, their payments, and what the responses say. */
import { ok, strictEqual } from 'node:assert'
import { randomBytes } from 'node:crypto'
import type { PaymentRequired } from '@x402/core/types'
import { authorizationTypes } from '@x402/evm'
import { getAddress, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { NETWORKS } from '../packages/server/src/payments/payment-terms.js'
import { DEMO_PAYER_WALLET } from '../packages/server/src/sandbox/chain/sandbox-wallets.js'
import { BENCH_BASE_URL, BENCH_SCORE_PATH } from './bench-targets.js'
import { type BenchResponse, decodeBody, type RequestSource } from './http-load.js'

const VALID_SECONDS = 900
const NETWORK = 'eip155:84532'

const payer = privateKeyToAccount(DEMO_PAYER_WALLET.privateKey)
const { host } = new URL(BENCH_BASE_URL)

export function getRequestText(path: string, headers: Record<string, string> = {}): string {
  return httpRequestText(`GET ${path}`, { Accept: 'application/json', ...headers })
}

/** The Host is that of BASE_URL; the MCP endpoint accepts no other. */
export function httpRequestText(
  methodAndPath: string,
  headers: Record<string, string>,
  body = '',
): string {
  const lines = Object.entries({ Host: host, ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${methodAndPath} HTTP/1.1\r\n${head}\r\n${body}`
}

export function repeatRequest(text: string): RequestSource {
  return async (count) => Array.from({ length: count }, () => text)
}

/** Each request has a payment of its own. */
export function paidRequests(
  createPayments: PaymentSource,
  toText: (payment: object) => string,
): RequestSource {
  return async (count) => (await createPayments(count)).map(toText)
}

export function paidGetText(payment: object): string {
  const header = Buffer.from(JSON.stringify(payment)).toString('base64')
  return getRequestText(BENCH_SCORE_PATH, { 'PAYMENT-SIGNATURE': header })
}

export type PaymentSource = (count: number) => Promise<readonly object[]>

/**
 * Creates payments before the clock starts, as signing is work of the client. Servers without a
 * chain accept any signature, so for those the signature is a constant.
 */
export function createPaymentSource(required: PaymentRequired, isSigned: boolean): PaymentSource {
  const { x402Version, resource, accepts, extensions } = required
  const [accepted] = accepts
  if (!accepted) throw new Error('the server accepts no payment')
  const { payTo, amount } = accepted
  return async (count) => {
    const payments: object[] = []
    while (payments.length < count) {
      const authorization = createAuthorization(payTo, amount)
      const signature = isSigned ? await sign(authorization) : `0x${'5a'.repeat(65)}`
      const payload = { signature, authorization }
      payments.push({ x402Version, resource, accepted, extensions, payload })
    }
    return payments
  }
}

function createAuthorization(payTo: string, value: string) {
  const nonce: Hex = `0x${randomBytes(32).toString('hex')}`
  return {
    from: payer.address,
    to: getAddress(payTo),
    value,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000) + VALID_SECONDS),
    nonce,
  }
}

function sign(authorization: ReturnType<typeof createAuthorization>): Promise<Hex> {
  const { chainId, usdc, eip712Domain } = NETWORKS[NETWORK]
  const { value, validAfter, validBefore } = authorization
  return payer.signTypedData({
    domain: { ...eip712Domain, chainId, verifyingContract: usdc },
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: {
      ...authorization,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
    },
  })
}

export function expectResponse(expected: number, part: string) {
  return ({ status, body }: BenchResponse): void => {
    strictEqual(status, expected, body)
    ok(body.includes(part), body)
  }
}

export function parseResponseJson(response: BenchResponse) {
  return JSON.parse(decodeBody(response))
}

export function paymentRequiredHeader(response: BenchResponse): PaymentRequired {
  return parseHeader(response, 'payment-required')
}

export function settlementResponseHeader(response: BenchResponse) {
  return parseHeader(response, 'payment-response')
}

function parseHeader({ header }: BenchResponse, name: string) {
  return JSON.parse(Buffer.from(header(name) ?? '', 'base64').toString())
}
