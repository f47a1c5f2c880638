/** Random messages to the MCP endpoint, in both protocol eras. */
import fc from 'fast-check'
import { MCP_PROTOCOL_VERSION, REQUEST_META } from '../support/mcp-message.js'
import type { FuzzHeader, FuzzRequest } from './fuzz-request.js'
import { anyJsonValue, replaceAtPath } from './json-values.js'
import { paymentVariant } from './payment-variants.js'
import { parameterValue } from './query-strings.js'
import { requestHeaders } from './request-headers.js'

export interface ListedTool {
  readonly name: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> }
  readonly isPaid: boolean
}

type FuzzedMcpMessage = Readonly<Record<string, unknown>>

const METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'server/discover',
  'resources/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'notifications/initialized',
  'notifications/cancelled',
  'subscriptions/listen',
  '__proto__',
]
/** Members that are replaced with another value. */
const REPLACEABLE_PATHS: readonly (readonly string[])[] = [
  ['jsonrpc'],
  ['id'],
  ['method'],
  ['params'],
  ['params', 'name'],
  ['params', 'arguments'],
  ['params', '_meta'],
  ['params', '_meta', 'progressToken'],
  ...Object.keys(REQUEST_META).map((name) => ['params', '_meta', name]),
]

const id = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom<unknown>(1, 2, 'a', '') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(-1, null, 1.5) },
)

function fuzzedToolCall(tool: ListedTool): fc.Arbitrary<FuzzedMcpMessage> {
  const names = Object.keys(tool.inputSchema.properties ?? {})
  const given = fc.record(Object.fromEntries(names.map((name) => [name, parameterValue(name)])), {
    requiredKeys: [],
  })
  return fc
    .record({
      id,
      given: fc.oneof({ weight: 6, arbitrary: given }, { weight: 1, arbitrary: anyJsonValue }),
    })
    .map(({ id, given }) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name: tool.name, arguments: given },
    }))
}

const otherMcpMessage: fc.Arbitrary<FuzzedMcpMessage> = fc
  .record({ id, method: fc.constantFrom(...METHODS), params: anyJsonValue })
  .map((message) => ({ jsonrpc: '2.0', ...message }))

/** Another value, or none, for one member. */
const replacement = fc.record({
  path: fc.constantFrom(...REPLACEABLE_PATHS),
  value: fc.oneof(fc.constant(undefined), anyJsonValue),
})

const MODERN: readonly FuzzHeader[] = [['MCP-Protocol-Version', MCP_PROTOCOL_VERSION]]

function createHeaders(message: FuzzedMcpMessage, isModern: boolean): readonly FuzzHeader[] {
  if (!isModern) return []
  const { name } = Object(message.params) as { name?: unknown }
  const named: FuzzHeader[] = typeof name === 'string' ? [['Mcp-Name', name]] : []
  return [...MODERN, ['Mcp-Method', String(message.method)], ...named]
}

function withMeta(message: FuzzedMcpMessage, isModern: boolean, payment: unknown): unknown {
  if (!isModern && payment === undefined) return message
  const meta = {
    ...(isModern && REQUEST_META),
    ...(payment !== undefined && { 'x402/payment': payment }),
  }
  return replaceAtPath(message, ['params', '_meta'], meta)
}

/** Changes to the text of a message, which make it invalid or too large JSON. */
const TEXT_CHANGES: readonly ((text: string) => string)[] = [
  ...Array.from({ length: 60 }, () => (text: string) => text),
  (text) => text.slice(0, -1),
  (text) => `[${text}]`,
  (text) => `${text}${text}`,
  (text) => `\ufeff${text}`,
  () => '',
  () => '['.repeat(30_000),
  () => `{"a":${'[1],'.repeat(10)}1}`,
  (text) => text.padEnd(70_000),
]

export function mcpRequest(tools: readonly ListedTool[]): fc.Arbitrary<FuzzRequest> {
  const toolCall = fc.constantFrom(...tools).chain((tool) =>
    fc.record({
      message: fuzzedToolCall(tool),
      resource: fc.constant<string | null>(tool.name),
      payment: tool.isPaid ? fc.option(paymentVariant, { freq: 2 }) : fc.constant(null),
    }),
  )
  const other = fc.record({
    message: otherMcpMessage,
    resource: fc.constant<string | null>(null),
    payment: fc.constant(null),
  })
  return fc
    .record({
      call: fc.oneof({ weight: 4, arbitrary: toolCall }, { weight: 1, arbitrary: other }),
      isModern: fc.boolean(),
      replacement: fc.oneof(
        { weight: 5, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: replacement },
      ),
      changeText: fc.constantFrom(...TEXT_CHANGES),
      extraHeaders: fc.oneof(
        { weight: 3, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: requestHeaders },
      ),
      type: fc.oneof(
        { weight: 12, arbitrary: fc.constant('application/json') },
        {
          weight: 1,
          arbitrary: fc.constantFrom('text/plain', 'application/json; charset=utf-16', ''),
        },
      ),
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant('POST') },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'PUT', 'DELETE', 'OPTIONS') },
      ),
      copies: fc.oneof(
        { weight: 9, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.constant(2) },
      ),
    })
    .map(
      ({
        call,
        isModern,
        replacement,
        changeText,
        extraHeaders,
        type,
        method,
        copies,
      }): FuzzRequest => {
        const { message, resource, payment: variant } = call
        const { path, value } = replacement ?? { path: [], value: undefined }
        return {
          kind: 'mcp',
          label: `${method} /mcp`,
          method,
          target: '/mcp',
          headers: [...createHeaders(message, isModern), ['Content-Type', type], ...extraHeaders],
          resource,
          payment: variant,
          body: (payment) => {
            const whole = withMeta(message, isModern, payment)
            return changeText(
              JSON.stringify(path.length > 0 ? replaceAtPath(whole, path, value) : whole),
            )
          },
          copies,
        }
      },
    )
}
