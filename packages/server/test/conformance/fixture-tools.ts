/** The tools that the suite calls by name and no product has: each answers as its scenario says. */
import type { CallToolResult } from '@modelcontextprotocol/server'
import type { McpTool } from '../../src/mcp/mcp-tool.js'

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** The header of a file without sound. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

/** What a schema can say in JSON Schema 2020-12, to be listed untouched (SEP-1613, SEP-2106). */
const RICH_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nobody awaits this.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

type Content = CallToolResult['content'][number]

const text = (words: string): Content => ({ type: 'text', text: words })
const image: Content = { type: 'image', data: PNG, mimeType: 'image/png' }
const audio: Content = { type: 'audio', data: WAV, mimeType: 'audio/wav' }
const resource = (name: string, mimeType: string, words: string): Content => ({
  type: 'resource',
  resource: { uri: `test://${name}`, mimeType, text: words },
})

export const FIXTURE_TOOLS: readonly McpTool[] = [
  answering('test_simple_text', text('This is a simple text response for testing.')),
  answering('test_image_content', image),
  answering('test_audio_content', audio),
  answering(
    'test_embedded_resource',
    resource('embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  answering(
    'test_multiple_content_types',
    text('Multiple content types test:'),
    image,
    resource('mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  {
    definition: listing('test_error_handling'),
    async call() {
      throw new Error('This tool intentionally returns an error for testing')
    },
  },
  // Of these two the suite wants to see that nothing but the result comes back.
  answering('test_streaming_elicitation', text('Nobody was asked anything.')),
  answering('test_logging_tool', text('Nothing was logged.')),
  {
    ...answering('json_schema_2020_12_tool', text('Only its listing matters.')),
    definition: { ...listing('json_schema_2020_12_tool'), inputSchema: RICH_SCHEMA },
  },
]

function answering(name: string, ...content: Content[]): McpTool {
  return { definition: listing(name), call: async () => ({ content }) }
}

function listing(name: string): McpTool['definition'] {
  return { name, description: 'For the suite.', inputSchema: { type: 'object' } }
}
