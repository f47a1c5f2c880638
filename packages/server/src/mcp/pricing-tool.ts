/** The tool that tells what the others cost and how to pay, from the same table. */
import { z } from 'zod'
import { isPaid, type ToolOperation } from '../operations/operation.js'
import { problemSchema } from '../operations/problem-details.js'
import { type MoneyOptions, moneyOf } from '../payments/money.js'
import { amountOf } from '../payments/offer.js'
import { PRICING_TOOL } from './identity.js'
import { answerSchema, jsonSchemaOf, LOOKS_ONLY } from './listing.js'
import { PAYMENT, problemReply, RECEIPT, reply } from './replies.js'
import type { Tool } from './tool.js'

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

export interface PricingOptions extends MoneyOptions {
  readonly baseUrl: string
  readonly limit: number
  readonly windowSeconds: number
}

const HOW = `By x402 version 2, scheme exact: call the tool, sign one of the offers in accepts (EIP-3009), and call it again with the signed payload in params._meta["${PAYMENT}"]. The receipt is in the result's _meta["${RECEIPT}"]. Only a report is charged, and a payment at most once; after an error that says so, send the same payment again.`

export function pricingTool(operations: readonly ToolOperation[], options: PricingOptions): Tool {
  const { baseUrl } = options
  const pricing = pricingOf(operations, options)
  const prices = pricing.paid.tools.map(({ tool, usd }) => `${tool} ${usd} USD`).join(', ')
  const digest = `Free: ${pricing.free.tools.map(({ tool }) => tool).join(', ')} and this one. Paid per call, in ${pricing.paid.money}: ${prices}. ${HOW}`
  return {
    listing: {
      name: PRICING_TOOL,
      title: 'Prices and how to pay',
      description:
        'What each tool costs, on which chain and in which token, and how an agent pays by x402. Use it before a paid tool, or to tell somebody the price. Free.',
      inputSchema: jsonSchemaOf(z.object({})),
      outputSchema: answerSchema(pricingSchema, problemSchema),
      annotations: { ...LOOKS_ONLY, openWorldHint: false },
    },
    async call({ visit }) {
      const refusal = await visit.takeTurn()
      if (refusal) return problemReply(refusal, { baseUrl, requestId: visit.requestId })
      return reply(digest, pricing)
    },
  }
}

function pricingOf(
  operations: readonly ToolOperation[],
  options: PricingOptions,
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
        amount: amountOf(operation.price),
      })),
      money: moneyOf(options),
      ...terms,
      how: HOW,
    },
  }
}
