/**
 * The x402 bazaar extension: how to call a resource and what it returns, for catalogs. It travels
 * in a header with the whole offer, so it says only what helps to decide.
 */

import { outlineSchema } from '@mailgrade/operations/schema-fields'
import { z } from 'zod'

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
              example: { type: 'object', properties: alwaysPresent(output) },
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
  return z.toJSONSchema(schema, { io: 'input', override: removeDetails }) as JsonSchema
}

function removeDetails({
  jsonSchema,
}: {
  readonly jsonSchema: z.core.JSONSchema.JSONSchema
}): void {
  delete jsonSchema.examples
  delete jsonSchema.maxLength
}

function alwaysPresent(output: z.ZodObject): object {
  const { properties, required } = outlineSchema(output)
  return Object.fromEntries(Object.entries(properties).filter(([name]) => required.includes(name)))
}

const MAX_EXAMPLE_CHARACTERS = 100

/** Top-level values without prose. */
function pickScalars(result: object): object {
  const isScalar = (value: unknown) => Object(value) !== value
  return Object.fromEntries(
    Object.entries(result).filter(
      ([, value]) => isScalar(value) && String(value).length <= MAX_EXAMPLE_CHARACTERS,
    ),
  )
}
