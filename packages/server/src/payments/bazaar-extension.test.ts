import {
  type DiscoveryExtension,
  declareDiscoveryExtension,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from '@x402/extensions/bazaar'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { httpBazaarExtension, mcpBazaarExtension } from './bazaar-extension.js'

const sample = {
  input: z.object({
    domain: z.string().describe('A domain.'),
    depth: z.string().optional(),
  }),
  output: z.object({
    domain: z.string(),
    score: z.number().int(),
    grade: z.enum(['A', 'F']),
    note: z.string().nullable(),
    findings: z.array(z.object({ id: z.string() })),
    meta: z.object({ checkedAt: z.string() }),
  }),
  query: { domain: 'acme.test' },
  result: {
    domain: 'acme.test',
    score: 94,
    grade: 'A',
    note: null,
    findings: [{ id: 'spf.missing' }],
    meta: { checkedAt: '2026-01-01' },
  },
}
const { bazaar } = httpBazaarExtension(sample)
const asOfficial = (extension: object) => extension as DiscoveryExtension

test('describes the request and the response', () => {
  expect(bazaar.info).toEqual({
    input: { type: 'http', method: 'GET', queryParams: { domain: 'acme.test' } },
    output: {
      type: 'json',
      example: { domain: 'acme.test', score: 94, grade: 'A', note: null },
    },
  })
})

describe('the official bazaar package', () => {
  test('accepts the extension', () => {
    expect(validateDiscoveryExtension(asOfficial(bazaar))).toEqual({ valid: true })
    expect(validateDiscoveryExtensionSpec(bazaar)).toEqual({ valid: true })
  })

  test('rejects an example that does not match the schema', () => {
    const { bazaar: wrong } = httpBazaarExtension({ ...sample, result: { grade: 'Z' } })
    expect(validateDiscoveryExtension(asOfficial(wrong))).toEqual({
      valid: false,
      errors: ['/output/example/grade: must be equal to one of the allowed values'],
    })
  })

  test('builds the same extension, except for the methods it adds later', () => {
    const official = declareDiscoveryExtension({
      input: sample.query,
      inputSchema: {
        properties: {
          domain: { type: 'string', description: 'A domain.' },
          depth: { type: 'string' },
        },
        required: ['domain'],
      },
      output: {
        example: bazaar.info.output.example,
        schema: bazaar.schema.properties.output.properties.example,
      },
    })
    const { input, ...properties } = bazaar.schema.properties
    const { method, ...inputProperties } = input.properties
    expect(method).toEqual({ type: 'string', enum: ['GET'] })
    const { method: _, ...info } = bazaar.info.input
    expect({
      bazaar: {
        info: { ...bazaar.info, input: info },
        schema: {
          ...bazaar.schema,
          properties: {
            ...properties,
            input: {
              ...input,
              properties: {
                ...inputProperties,
                method: { type: 'string', enum: ['GET', 'HEAD', 'DELETE'] },
              },
            },
          },
        },
      },
    }).toEqual(official)
  })
})

test('includes only the top level of the output schema', () => {
  expect(bazaar.schema.properties.output.properties.example).toEqual({
    type: 'object',
    properties: {
      domain: { type: 'string' },
      score: { type: 'integer' },
      grade: { type: 'string', enum: ['A', 'F'] },
      note: { type: ['string', 'null'] },
      findings: { type: 'array' },
      meta: { type: 'object' },
    },
  })
})

describe('an MCP tool', () => {
  const { bazaar: tool } = mcpBazaarExtension(sample, 'email_security_score')
  const inputSchema = {
    type: 'object',
    properties: {
      domain: { type: 'string', description: 'A domain.' },
      depth: { type: 'string' },
    },
    required: ['domain'],
  }

  test('describes its name and how to call it', () => {
    expect(tool.info.input).toEqual({
      type: 'mcp',
      toolName: 'email_security_score',
      transport: 'streamable-http',
      inputSchema,
      example: { domain: 'acme.test' },
    })
  })

  test('the official package accepts the extension and builds the same one', () => {
    expect(validateDiscoveryExtension(asOfficial(tool))).toEqual({ valid: true })
    expect(validateDiscoveryExtensionSpec(tool)).toEqual({ valid: true })
    const official = declareDiscoveryExtension({
      toolName: 'email_security_score',
      transport: 'streamable-http',
      inputSchema,
      example: sample.query,
      output: {
        example: tool.info.output.example,
        schema: tool.schema.properties.output.properties.example,
      },
    })
    expect(tool).toEqual(official.bazaar)
  })
})
