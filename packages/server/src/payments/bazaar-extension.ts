/**
 * The bazaar extension of an offer: how to call what is sold and what comes back, so that catalogues
 * can list it. The official package makes the same object and brings eight others with it.
 */
import { z } from 'zod'

export interface BazaarSample {
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly query: Readonly<Record<string, string>>
  /** The answer to that query. */
  readonly answer: object
}

type JsonSchema = Record<string, unknown> & { properties: Record<string, JsonSchema> }

/** For a resource that is asked for by GET. */
export function httpBazaarExtension(sample: BazaarSample) {
  const { properties, required } = schemaOf(sample.input)
  const input = { type: 'http', method: 'GET', queryParams: sample.query }
  return extension(sample, input, {
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

/** For a tool that is called over MCP. */
export function mcpBazaarExtension(sample: BazaarSample, toolName: string) {
  const { type, properties, required } = schemaOf(sample.input)
  const transport = 'streamable-http'
  const inputSchema = { type, properties, required }
  const input = { type: 'mcp', toolName, transport, inputSchema, example: sample.query }
  return extension(sample, input, {
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

function extension<Input, Schema>({ output, answer }: BazaarSample, input: Input, schema: Schema) {
  return {
    bazaar: {
      info: { input, output: { type: 'json', example: scalarsOf(answer) } },
      schema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {
          input: schema,
          output: {
            type: 'object',
            properties: {
              type: { type: 'string' },
              example: { type: 'object', properties: outlineOf(output) },
            },
            required: ['type'],
          },
        },
        required: ['input'],
      },
    },
  }
}

function schemaOf(schema: z.ZodObject): JsonSchema {
  return z.toJSONSchema(schema, { io: 'input' }) as JsonSchema
}

/** The challenge travels in a header: the outermost level has to do. */
function scalarsOf(answer: object): object {
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => Object(value) !== value))
}

function outlineOf(output: z.ZodObject): object {
  const outline = Object.entries(schemaOf(output).properties).map(
    ([name, { type, enum: values }]) =>
      [name, { ...(type ? { type } : {}), ...(values ? { enum: values } : {}) }] as const,
  )
  return Object.fromEntries(outline)
}
