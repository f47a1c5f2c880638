/** The tool that tells what the others cost and how to pay, from the same table. */
import { z } from 'zod'
import { isPaid, type ToolOperation } from '../operations/operation.js'
import { problemSchema } from '../operations/problem-details.js'
import { toTokenAmount } from '../payments/payment-offer.js'
import { type CurrencyOptions, describeCurrency } from '../payments/payment-terms.js'
import type { McpTool } from './mcp-tool.js'
import { PRICING_TOOL_NAME } from './server-identity.js'
import { READ_ONLY_ANNOTATIONS, toJsonSchema, toolOutputSchema } from './tool-definition.js'
import {
  PAYMENT_META_KEY,
  PAYMENT_RESPONSE_META_KEY,
  problemToolResult,
  toolResult,
} from './tool-results.js'

const itemSchema = z.object({
  tool: z.string().describe('Its name over MCP'),
  endpoint: z.string().describe('The same over HTTP, by GET'),
  summary: z.string(),
})

const pricingSchema = z.object({
  free: z.object({
    limit: z
      .int()
      .describe('Free calls that one caller has in any `windowSeconds`, over everything'),
    windowSeconds: z.int(),
    tools: z.array(itemSchema),
  }),
  paid: z.object({
    tools: z.array(
      itemSchema.extend({
        usd: z.string().describe('In US dollars'),
        amount: z.string().describe('The same in units of 1/1,000,000 USDC'),
      }),
    ),
    money: z.string().describe('What it is paid in, in words'),
    network: z.string().describe('The chain, by CAIP-2'),
    asset: z.string().describe('The token: USDC'),
    payTo: z.string(),
    how: z.string(),
  }),
})

export interface PricingToolOptions extends CurrencyOptions {
  readonly baseUrl: string
  readonly limit: number
  readonly windowSeconds: number
}

const HOW = `By x402 version 2, scheme exact: call the tool, sign one of the offers in accepts (EIP-3009), and call it again with the signed payload in params._meta["${PAYMENT_META_KEY}"]. The receipt is in the result's _meta["${PAYMENT_RESPONSE_META_KEY}"]. Only a report is charged, and a payment at most once; after an error that says so, send the same payment again.`

export function createPricingTool(
  operations: readonly ToolOperation[],
  options: PricingToolOptions,
): McpTool {
  const { baseUrl } = options
  const pricing = pricingOf(operations, options)
  const prices = pricing.paid.tools.map(({ tool, usd }) => `${tool} ${usd} USD`).join(', ')
  const digest = `Free: ${pricing.free.tools.map(({ tool }) => tool).join(', ')} and this one. Paid per call, in ${pricing.paid.money}: ${prices}. ${HOW}`
  return {
    definition: {
      name: PRICING_TOOL_NAME,
      title: 'Prices and how to pay',
      description:
        'What each tool costs, on which chain and in which token, and how an agent pays by x402. Use it before a paid tool, or to tell somebody the price. Free.',
      inputSchema: toJsonSchema(z.object({})),
      outputSchema: toolOutputSchema(pricingSchema, problemSchema),
      annotations: { ...READ_ONLY_ANNOTATIONS, openWorldHint: false },
    },
    async call({ context }) {
      const refusal = await context.consumeRateLimit()
      if (refusal) return problemToolResult(refusal, { baseUrl, requestId: context.requestId })
      return toolResult(digest, pricing)
    },
  }
}

function pricingOf(
  operations: readonly ToolOperation[],
  options: PricingToolOptions,
): z.infer<typeof pricingSchema> {
  const { baseUrl, terms, limit, windowSeconds } = options
  const itemOf = ({ tool, path, summary }: ToolOperation) => ({
    tool: tool.name,
    endpoint: baseUrl + path,
    summary,
  })
  return {
    free: {
      limit,
      windowSeconds,
      tools: operations.filter((operation) => !isPaid(operation)).map(itemOf),
    },
    paid: {
      tools: operations.filter(isPaid).map((operation) => ({
        ...itemOf(operation),
        usd: operation.price,
        amount: toTokenAmount(operation.price),
      })),
      money: describeCurrency(options),
      ...terms,
      how: HOW,
    },
  }
}
