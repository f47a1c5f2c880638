/** Messages of MCP: calls of the tools that are listed, and whatever else the protocol knows. */
import fc from 'fast-check'
import { ENVELOPE } from '../support/mcp-message.js'
import { anyValue } from './json-values.js'
import { valueFor } from './queries.js'

export interface ListedTool {
  readonly name: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, unknown>> }
  readonly isPaid: boolean
}

export type Message = Readonly<Record<string, unknown>>

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
export const MEMBERS: readonly (readonly string[])[] = [
  ['jsonrpc'],
  ['id'],
  ['method'],
  ['params'],
  ['params', 'name'],
  ['params', 'arguments'],
  ['params', '_meta'],
  ['params', '_meta', 'progressToken'],
  ...Object.keys(ENVELOPE).map((name) => ['params', '_meta', name]),
]

const id = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom<unknown>(1, 2, 'a', '') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(-1, null, 1.5) },
)

export function callOf(tool: ListedTool): fc.Arbitrary<Message> {
  const names = Object.keys(tool.inputSchema.properties ?? {})
  const given = fc.record(Object.fromEntries(names.map((name) => [name, valueFor(name)])), {
    requiredKeys: [],
  })
  return fc
    .record({
      id,
      given: fc.oneof({ weight: 6, arbitrary: given }, { weight: 1, arbitrary: anyValue }),
    })
    .map((it) => ({
      jsonrpc: '2.0',
      id: it.id,
      method: 'tools/call',
      params: { name: tool.name, arguments: it.given },
    }))
}

export const other: fc.Arbitrary<Message> = fc
  .record({ id, method: fc.constantFrom(...METHODS), params: anyValue })
  .map((message) => ({ jsonrpc: '2.0', ...message }))
