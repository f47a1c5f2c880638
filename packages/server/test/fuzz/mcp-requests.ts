/** Messages to the MCP endpoint, in both eras of the protocol. */
import fc from 'fast-check'
import { MCP_PROTOCOL_VERSION, REQUEST_META } from '../support/mcp-message.js'
import type { FuzzHeader, FuzzRequest } from './fuzz-request.js'
import {
  type FuzzedMcpMessage,
  fuzzedToolCall,
  type ListedTool,
  otherMcpMessage,
  REPLACEABLE_PATHS,
} from './fuzzed-mcp-messages.js'
import { anyJsonValue, replaceAtPath } from './json-values.js'
import { paymentVariant } from './payment-variants.js'
import { requestHeaders } from './request-headers.js'

/** Another value, or none, for one of its members. */
const bending = fc.record({
  path: fc.constantFrom(...REPLACEABLE_PATHS),
  value: fc.oneof(fc.constant(undefined), anyJsonValue),
})

const MODERN: readonly FuzzHeader[] = [['MCP-Protocol-Version', MCP_PROTOCOL_VERSION]]

function headersFor(message: FuzzedMcpMessage, isModern: boolean): readonly FuzzHeader[] {
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

/** Breaks the text of a message, which then is JSON no more, or too much of it. */
const SPOILERS: readonly ((text: string) => string)[] = [
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
  const call = fc.constantFrom(...tools).chain((tool) =>
    fc.record({
      message: fuzzedToolCall(tool),
      asks: fc.constant<string | null>(tool.name),
      pay: tool.isPaid ? fc.option(paymentVariant, { freq: 2 }) : fc.constant(null),
    }),
  )
  const talk = fc.record({
    message: otherMcpMessage,
    asks: fc.constant<string | null>(null),
    pay: fc.constant(null),
  })
  return fc
    .record({
      asked: fc.oneof({ weight: 4, arbitrary: call }, { weight: 1, arbitrary: talk }),
      isModern: fc.boolean(),
      bending: fc.oneof(
        { weight: 5, arbitrary: fc.constant(null) },
        { weight: 1, arbitrary: bending },
      ),
      spoil: fc.constantFrom(...SPOILERS),
      more: fc.oneof(
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
    .map(({ asked, isModern, bending, spoil, more, type, method, copies }): FuzzRequest => {
      const { message, asks, pay } = asked
      const { path, value } = bending ?? { path: [], value: undefined }
      return {
        kind: 'mcp',
        label: `${method} /mcp`,
        method,
        target: '/mcp',
        headers: [...headersFor(message, isModern), ['Content-Type', type], ...more],
        resource: asks,
        payment: pay,
        body: (payment) => {
          const whole = withMeta(message, isModern, payment)
          return spoil(JSON.stringify(path.length > 0 ? replaceAtPath(whole, path, value) : whole))
        },
        copies,
      }
    })
}
