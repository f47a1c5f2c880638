/** The shop as MCP clients see it. */
import { expect } from 'vitest'
import { connectMcpClient, type McpClientKind, type McpToolResult } from './mcp-client.js'
import { createAppFetch } from './mcp-message.js'
import { type PaidService, SCORE_PRICE_UNITS } from './paid-service.js'
import { decodeBase64Json, type PaymentOverrides } from './test-payer.js'

const SCORE = 'email_security_score'
const ACME = { domain: 'acme.test' }

export interface McpPaidClient {
  /** The score of a domain: acme.test unless told otherwise. */
  callScore(payment?: unknown, given?: Record<string, unknown>): Promise<McpToolResult>
  callTool(name: string, given?: Record<string, unknown>, payment?: unknown): Promise<McpToolResult>
  /** Signs what the score costs. */
  signScorePayment(overrides?: PaymentOverrides): Promise<unknown>
}

export async function connectMcpPaidClient(
  shop: PaidService,
  kind: McpClientKind = 'current',
): Promise<McpPaidClient> {
  const { client, callTool } = await connectMcpClient(
    kind,
    'https://mailgrade.example',
    createAppFetch(shop),
  )
  // A client that has seen the schemas of the answers holds us to them.
  await client.listTools()
  const buy: McpPaidClient['callScore'] = (payment, given = ACME) => callTool(SCORE, given, payment)
  return {
    callScore: buy,
    callTool,
    async signScorePayment(overrides) {
      const { structuredContent } = await buy()
      return decodeBase64Json(await shop.payer.sign(structuredContent, overrides))
    },
  }
}

export async function expectDeliveredToolResult(
  shop: PaidService,
  result: McpToolResult,
): Promise<void> {
  expect([result.isError, result.structuredContent.domain]).toEqual([undefined, 'acme.test'])
  expect(result.texts).toEqual([
    expect.stringMatching(/^acme\.test scores \d+ of 100/),
    JSON.stringify(result.structuredContent),
  ])
  const [transaction, ...others] = await shop.settlements()
  expect([result.paymentResponse, others]).toEqual([
    { success: true, transaction, network: 'eip155:8453', payer: shop.payer.address },
    [],
  ])
  expect(await shop.revenue()).toBe(SCORE_PRICE_UNITS)
}

/** Not sold: the price and why, once as an object and once as text, and no word of the report. */
export function expectPaymentRequiredToolResult(result: McpToolResult, error: string): void {
  expect([result.isError, result.structuredContent]).toMatchObject([
    true,
    { x402Version: 2, error, accepts: [{ amount: '10000' }] },
  ])
  expect(JSON.parse(result.texts[0] ?? '')).toEqual(result.structuredContent)
  expect(result.texts.join('')).not.toContain('acme.test')
}

export function expectProblemToolResult(result: McpToolResult, problem: object): void {
  expect([result.isError, result.structuredContent, result.paymentResponse]).toMatchObject([
    true,
    problem,
    null,
  ])
  expect(result.texts).toEqual([
    `${result.structuredContent.title}. ${result.structuredContent.detail}`,
    JSON.stringify(result.structuredContent),
  ])
}
