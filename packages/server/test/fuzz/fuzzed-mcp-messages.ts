/** Messages of MCP: calls of the tools that are listed, and whatever else the protocol knows. */
import fc from 'fast-check'
import { REQUEST_META } from '../support/mcp-message.js'
import { anyJsonValue } from './json-values.js'
import { parameterValue } from './query-strings.js'

export interface ListedTool {
  readonly name: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> }
  readonly isPaid: boolean
}

export type FuzzedMcpMessage = Readonly<Record<string, unknown>>

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
/** Whose value another may take. */
export const REPLACEABLE_PATHS: readonly (readonly string[])[] = [
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

export function fuzzedToolCall(tool: ListedTool): fc.Arbitrary<FuzzedMcpMessage> {
  const names = Object.keys(tool.inputSchema.properties ?? {})
  const given = fc.record(Object.fromEntries(names.map((name) => [name, parameterValue(name)])), {
    requiredKeys: [],
  })
  return fc
    .record({
      id,
      given: fc.oneof({ weight: 6, arbitrary: given }, { weight: 1, arbitrary: anyJsonValue }),
    })
    .map((it) => ({
      jsonrpc: '2.0',
      id: it.id,
      method: 'tools/call',
      params: { name: tool.name, arguments: it.given },
    }))
}

export const otherMcpMessage: fc.Arbitrary<FuzzedMcpMessage> = fc
  .record({ id, method: fc.constantFrom(...METHODS), params: anyJsonValue })
  .map((message) => ({ jsonrpc: '2.0', ...message }))
