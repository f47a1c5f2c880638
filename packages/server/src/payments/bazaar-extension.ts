/**
 * The x402 bazaar extension: how to call a resource and what it returns, for catalogs.
 * The official package builds the same object but adds eight dependencies.
 */
import { z } from 'zod'
import { outlineSchema } from '../operations/schema-fields.js'

export interface BazaarSample {
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly query: Readonly<Record<string, string>>
  /** The result for that query. */
  readonly result: object
}

type JsonSchema = Record<string, unknown> & { properties: Record<string, JsonSchema> }

export function httpBazaarExtension(sample: BazaarSample) {
  const { properties, required } = toInputSchema(sample.input)
  const input = { type: 'http', method: 'GET', queryParams: sample.query }
  return createExtension(sample, input, {
    type: 'object',
    properties: {
      type: { type: 'string', const: 'http' },
      method: { type: 'string', enum: ['GET'] },
      queryParams: { type: 'object', properties, required },
    },
    required: ['type', 'method'],
    additionalProperties: false,
  })
}

export function mcpBazaarExtension(sample: BazaarSample, toolName: string) {
  const { type, properties, required } = toInputSchema(sample.input)
  const transport = 'streamable-http'
  const inputSchema = { type, properties, required }
  const input = { type: 'mcp', toolName, transport, inputSchema, example: sample.query }
  return createExtension(sample, input, {
    type: 'object',
    properties: {
      type: { type: 'string', const: 'mcp' },
      toolName: { type: 'string' },
      transport: { type: 'string', enum: [transport] },
      inputSchema: { type: 'object' },
      example: { type: 'object' },
    },
    required: ['type', 'toolName', 'inputSchema'],
    additionalProperties: false,
  })
}

function createExtension<Input, Schema>(
  { output, result }: BazaarSample,
  input: Input,
  schema: Schema,
) {
  return {
    bazaar: {
      info: { input, output: { type: 'json', example: pickScalars(result) } },
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          input: schema,
          output: {
            type: 'object',
            properties: {
              type: { type: 'string' },
              example: { type: 'object', properties: outlineSchema(output).properties },
            },
            required: ['type'],
          },
        },
        required: ['input'],
      },
    },
  }
}

function toInputSchema(schema: z.ZodObject): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
}

/** PaymentRequired travels in a header, so the example keeps top-level scalars only. */
function pickScalars(result: object): object {
  return Object.fromEntries(Object.entries(result).filter(([, value]) => Object(value) !== value))
}
