/** The shop as MCP clients see it. */
import { expect } from 'vitest'
import { type ClientKind, connect, type ToolResult } from './mcp-client.js'
import { fetchFrom } from './mcp-message.js'
import { PRICE, type Shop } from './paid-service.js'
import { decode, type Overrides } from './payer.js'

const SCORE = 'email_security_score'
const ACME = { domain: 'acme.test' }

export interface McpShop {
  /** The score of a domain: acme.test unless told otherwise. */
  buy(payment?: unknown, given?: Record<string, unknown>): Promise<ToolResult>
  call(name: string, given?: Record<string, unknown>, payment?: unknown): Promise<ToolResult>
  /** Signs what the score costs. */
  sign(overrides?: Overrides): Promise<unknown>
}

export async function enter(shop: Shop, kind: ClientKind = 'current'): Promise<McpShop> {
  const { client, call } = await connect(kind, 'https://mailgrade.example', fetchFrom(shop))
  // A client that has seen the schemas of the answers holds us to them.
  await client.listTools()
  const buy: McpShop['buy'] = (payment, given = ACME) => call(SCORE, given, payment)
  return {
    buy,
    call,
    async sign(overrides) {
      const { object } = await buy()
      return decode(await shop.payer.sign(object, overrides))
    },
  }
}

export async function expectSoldTool(shop: Shop, result: ToolResult): Promise<void> {
  expect([result.isError, result.object.domain]).toEqual([undefined, 'acme.test'])
  expect(result.texts).toEqual([
    expect.stringMatching(/^acme\.test scores \d+ of 100/),
    JSON.stringify(result.object),
  ])
  const [transaction, ...others] = await shop.settlements()
  expect([result.receipt, others]).toEqual([
    { success: true, transaction, network: 'eip155:8453', payer: shop.payer.address },
    [],
  ])
  expect(await shop.earned()).toBe(PRICE)
}

/** Not sold: the price and why, once as an object and once as text, and no word of the report. */
export function expectChallengeTool(result: ToolResult, error: string): void {
  expect([result.isError, result.object]).toMatchObject([
    true,
    { x402Version: 2, error, accepts: [{ amount: '10000' }] },
  ])
  expect(JSON.parse(result.texts[0] ?? '')).toEqual(result.object)
  expect(result.texts.join('')).not.toContain('acme.test')
}

export function expectProblemTool(result: ToolResult, problem: object): void {
  expect([result.isError, result.object, result.receipt]).toMatchObject([true, problem, null])
  expect(result.texts).toEqual([
    `${result.object.title}. ${result.object.detail}`,
    JSON.stringify(result.object),
  ])
}
