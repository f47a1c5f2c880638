/** Requests as they go over the wire, made before the clock runs. */
import { BASE_URL, PATH } from './pay-aims.js'
import type { Wallet } from './pay-wallet.js'

/** So many requests, ready to be sent. */
export type Requests = (count: number) => Promise<readonly string[]>

type Headers = Record<string, string>

const { host } = new URL(BASE_URL)

export function getText(path: string, headers: Headers = {}): string {
  return requestText(`GET ${path}`, { Accept: 'application/json', ...headers })
}

/** MCP is answered under the service's own name only. */
export function requestText(what: string, headers: Headers, body = ''): string {
  const lines = Object.entries({ Host: host, ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `${what} HTTP/1.1\r\n${head}\r\n${body}`
}

export function repeated(text: string): Requests {
  return async (count) => Array.from({ length: count }, () => text)
}

/** Each with a payment of its own. */
export function paid(wallet: Wallet, textOf: (payment: object) => string): Requests {
  return async (count) => (await wallet(count)).map(textOf)
}

export function paidGet(payment: object): string {
  const header = Buffer.from(JSON.stringify(payment)).toString('base64')
  return getText(PATH, { 'PAYMENT-SIGNATURE': header })
}
