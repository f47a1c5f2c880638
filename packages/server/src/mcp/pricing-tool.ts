/** The tool that lists prices and explains payment. */
import {
  type McpTool,
  READ_ONLY_ANNOTATIONS,
  toInputSchema,
  toJsonSchema,
  toolOutputSchema,
  toolResult,
} from '@mailgrade/operations/mcp/mcp-tool'
import { mcpIcons } from '@mailgrade/operations/mcp/server-identity'
import { isPaid, type ToolOperation } from '@mailgrade/operations/operation'
import { z } from 'zod'
import { toTokenAmount } from '../payments/payment-offer.js'
import type { PaymentTerms } from '../payments/payment-terms.js'
import { PAYMENT_META_KEY, PAYMENT_RESPONSE_META_KEY, PRICING_TOOL_NAME } from './server-card.js'

const itemSchema = z.object({
  tool: z.string().describe('The MCP tool name'),
  endpoint: z.string().describe('The same operation over HTTP (GET)'),
  summary: z.string(),
})

const pricingSchema = z.object({
  free: z.object({
    limit: z
      .int()
      .describe(
        'Free calls per caller in any `windowSeconds` seconds, across all free tools and endpoints',
      ),
    windowSeconds: z.int(),
    tools: z.array(itemSchema),
  }),
  paid: z
    .object({
      tools: z.array(
        itemSchema.extend({
          usd: z.string().describe('Price in US dollars'),
          amount: z.string().describe('Price in units of 1/1,000,000 USDC'),
        }),
      ),
      money: z.string().describe('The currency in words'),
      network: z.string().describe('The chain as a CAIP-2 id'),
      asset: z.string().describe('The token contract: USDC'),
      payTo: z.string(),
      how: z.string(),
    })
    .nullable()
    .describe('Null if this instance sells nothing'),
})

export interface PricingToolOptions {
  readonly baseUrl: string
  /** Null when nothing is for sale. */
  readonly terms: PaymentTerms | null
  /** The currency in words; null when nothing is for sale. */
  readonly money: string | null
  readonly limit: number
  readonly windowSeconds: number
}

const HOW_TO_PAY = `Pay with x402 version 2, scheme exact. Call the tool and sign one of the offers in accepts (EIP-3009). Then call it again with the signed payload in params._meta["${PAYMENT_META_KEY}"]. You get the settlement in the result's _meta["${PAYMENT_RESPONSE_META_KEY}"]. You are charged only for a report, and at most once per payment. If an error asks you to, send the same payment again.`

export function createPricingTool(
  operations: readonly ToolOperation[],
  options: PricingToolOptions,
): McpTool {
  const pricing = buildPricing(operations, options)
  const free = [...pricing.free.tools.map(({ tool }) => tool), PRICING_TOOL_NAME]
  const summary = `Free: ${new Intl.ListFormat('en-US').format(free)}. ${describePaid(pricing)}`
  return {
    definition: {
      name: PRICING_TOOL_NAME,
      icons: mcpIcons(options.baseUrl),
      title: pricing.paid ? 'Prices and how to pay' : 'Prices',
      description: pricing.paid
        ? 'What each tool costs, on which chain and in which token, and how an agent pays with x402. Use it before you call a paid tool, or to show someone the price. Free.'
        : 'What each tool costs. All tools on this instance are free.',
      inputSchema: toInputSchema(z.object({})),
      outputSchema: toolOutputSchema(toJsonSchema(pricingSchema)),
      annotations: { ...READ_ONLY_ANNOTATIONS, openWorldHint: false },
    },
    call: async () => toolResult(summary, pricing),
  }
}

type Pricing = z.infer<typeof pricingSchema>

function describePaid({ paid }: Pricing): string {
  if (paid === null) return 'This instance doesn’t sell anything.'
  const prices = paid.tools.map(({ tool, usd }) => `${tool} ${usd} USD`).join(', ')
  return `Paid per call in ${paid.money}: ${prices}. ${HOW_TO_PAY}`
}

function buildPricing(
  operations: readonly ToolOperation[],
  { baseUrl, terms, money, limit, windowSeconds }: PricingToolOptions,
): Pricing {
  const toItem = ({ tool, path, summary }: ToolOperation) => ({
    tool: tool.name,
    endpoint: baseUrl + path,
    summary,
  })
  return {
    free: {
      limit,
      windowSeconds,
      tools: operations.filter((operation) => !isPaid(operation)).map(toItem),
    },
    paid:
      terms === null || money === null
        ? null
        : {
            tools: operations.filter(isPaid).map((operation) => ({
              ...toItem(operation),
              usd: operation.price,
              amount: toTokenAmount(operation.price),
            })),
            money,
            ...terms,
            how: HOW_TO_PAY,
          },
  }
}
