/** Requests as they go over the wire, made before the clock runs. */
import { BENCH_BASE_URL, BENCH_SCORE_PATH } from './pay-aims.js'
import type { PaymentSource } from './pay-wallet.js'

/** So many requests, ready to be sent. */
export type RequestSource = (count: number) => Promise<readonly string[]>

type Headers = Record<string, string>

const { host } = new URL(BENCH_BASE_URL)

export function getRequestText(path: string, headers: Headers = {}): string {
  return httpRequestText(`GET ${path}`, { Accept: 'application/json', ...headers })
}

/** MCP is answered under the service's own name only. */
export function httpRequestText(what: string, headers: Headers, body = ''): string {
  const lines = Object.entries({ Host: host, ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${what} HTTP/1.1\r\n${head}\r\n${body}`
}

export function repeatRequest(text: string): RequestSource {
  return async (count) => Array.from({ length: count }, () => text)
}

/** Each with a payment of its own. */
export function paidRequests(
  wallet: PaymentSource,
  textOf: (payment: object) => string,
): RequestSource {
  return async (count) => (await wallet(count)).map(textOf)
}

export function paidGetText(payment: object): string {
  const header = Buffer.from(JSON.stringify(payment)).toString('base64')
  return getRequestText(BENCH_SCORE_PATH, { 'PAYMENT-SIGNATURE': header })
}
