/** How an operation is listed as a tool: all from its row in the table. */
import type { Tool as Listing } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { isPaid, metaSchema, type ToolOperation } from '../operations/operation.js'
import { problemSchema } from '../operations/problem-details.js'
import { paymentRequiredSchema } from '../payments/payment-offer.js'

export const READ_ONLY_ANNOTATIONS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}

export function toolDefinition(operation: ToolOperation): Listing {
  const { tool, summary, description, input, output } = operation
  const report = output.extend({ meta: metaSchema })
  const price = isPaid(operation)
    ? `Costs ${operation.price} USD in USDC, paid by x402 with the call; without a payment the answer is the price, and only a report is charged.`
    : 'Free.'
  return {
    name: tool.name,
    title: tool.title,
    description: `${summary}. ${tool.useWhen} ${description} ${price}`,
    inputSchema: toJsonSchema(input),
    outputSchema: isPaid(operation)
      ? toolOutputSchema(report, problemSchema, paymentRequiredSchema)
      : toolOutputSchema(report, problemSchema),
    annotations: READ_ONLY_ANNOTATIONS,
  }
}

/**
 * Whatever stands in `structuredContent`, errors too: clients before 2026-07-28 check those as well,
 * and throw away what does not fit.
 */
export function toolOutputSchema(...kinds: [z.ZodObject, ...z.ZodObject[]]): SchemaObject {
  return { ...toJsonSchema(z.union(kinds)), type: 'object' }
}

type SchemaObject = Listing['inputSchema']

/** As of input, where objects stay open: a member that we add must not break a client. */
export function toJsonSchema(schema: z.ZodType): SchemaObject {
  // The dialect is MCP's own; to name it puts off validators that know older ones alone.
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', override: tidy })
  return json as SchemaObject
}

function tidy({ jsonSchema }: { jsonSchema: Record<string, unknown> }): void {
  // Not a keyword of JSON Schema since draft 4; Ajv refuses a schema that has it.
  delete jsonSchema.id
  // What a number in JavaScript can hold says nothing about ours.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}
