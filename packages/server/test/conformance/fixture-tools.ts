/** The tools that the suite calls by name, with the results its scenarios expect. */
import type { McpTool } from '@mailgrade/operations/mcp/mcp-tool'
import type { CallToolResult } from '@modelcontextprotocol/server'

/** One red pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
/** The header of a file without sound. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

/** JSON Schema 2020-12 keywords that tools/list must keep (SEP-1613, SEP-2106). */
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
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword; never awaited.
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

type Content = CallToolResult['content'][number]

const textContent = (text: string): Content => ({ type: 'text', text })
const image: Content = { type: 'image', data: PNG, mimeType: 'image/png' }
const audio: Content = { type: 'audio', data: WAV, mimeType: 'audio/wav' }
const resource = (name: string, mimeType: string, text: string): Content => ({
  type: 'resource',
  resource: { uri: `test://${name}`, mimeType, text },
})

export const FIXTURE_TOOLS: readonly McpTool[] = [
  fixtureTool('test_simple_text', textContent('This is a simple text response for testing.')),
  fixtureTool('test_image_content', image),
  fixtureTool('test_audio_content', audio),
  fixtureTool(
    'test_embedded_resource',
    resource('embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  fixtureTool(
    'test_multiple_content_types',
    textContent('Multiple content types test:'),
    image,
    resource('mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  {
    definition: fixtureDefinition('test_error_handling'),
    async call() {
      throw new Error('This tool intentionally returns an error for testing')
    },
  },
  // The suite expects no other message than the result of these two.
  fixtureTool('test_streaming_elicitation', textContent('No input was elicited.')),
  fixtureTool('test_logging_tool', textContent('Nothing was logged.')),
  {
    ...fixtureTool('json_schema_2020_12_tool', textContent('Only its definition matters.')),
    definition: { ...fixtureDefinition('json_schema_2020_12_tool'), inputSchema: RICH_SCHEMA },
  },
]

function fixtureTool(name: string, ...content: Content[]): McpTool {
  return { definition: fixtureDefinition(name), call: async () => ({ content }) }
}

function fixtureDefinition(name: string): McpTool['definition'] {
  return { name, description: 'A tool of the conformance suite.', inputSchema: { type: 'object' } }
}
