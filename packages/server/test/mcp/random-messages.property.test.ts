import { anyCharacter } from '@mailgrade/testing/any-character'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { REQUEST_META } from '../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  headersForEra,
  type McpReply,
  PING_MESSAGE,
  PROTOCOL_ERAS,
  type ProtocolEra,
} from '../support/mcp-service-under-test.js'

// Hundreds of requests each, also on a busy machine.

// A fixed seed, so only code changes can change the result.
const RUNS = { numRuns: propertyRuns(300), seed: 7208 }

const service = createMcpServiceUnderTest()
afterEach(() => {
  expect(service.app.faults).toEqual([])
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

const key = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'name', 'domain', '_meta'),
)
const leaf = fc.oneof(
  fc.constantFrom(null, true, 'acme.test', 'pricing', '\ud800', '\u0000'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: anyCharacter }),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(toObject),
  ),
}))

/** `__proto__` becomes an ordinary member, as with JSON.parse. */
function toObject(entries: [string, unknown][]): object {
  const made = {}
  for (const [name, member] of entries) {
    Object.defineProperty(made, name, { value: member, enumerable: true, configurable: true })
  }
  return made
}

/** Each member is optional and has any value. */
function optionalMembers(...names: string[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
}

const ENVELOPE_KEYS = ['protocolVersion', 'clientCapabilities', 'clientInfo', 'related-task']
const meta = fc.oneof(
  value,
  optionalMembers('x402/payment', 'progressToken'),
  optionalMembers(
    'x402/payment',
    ...ENVELOPE_KEYS.map((name) => `io.modelcontextprotocol/${name}`),
  ),
)
const era = fc.constantFrom(...PROTOCOL_ERAS)

/** Adds the envelope that modern messages need. */
function withEnvelope(which: ProtocolEra, input: unknown): unknown {
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
  return which === 'modern' && isObject ? { ...REQUEST_META, ...input } : input
}

/** `readMcpReply` has checked the form; this checks the status and the id. */
function expectReply([status, reply]: McpReply, id: unknown): void {
  expect([200, 202, 400, 404]).toContain(status)
  const { id: replyId } = Object(reply)
  if (status === 202) expect(reply).toBeNull()
  else expect([id, null]).toContain(replyId)
}

test('answers any JSON', () => {
  const property = fc.asyncProperty(era, value, async (which, body) => {
    const [status, reply] = await service.send(JSON.stringify(body), headersForEra(which, 'ping'))
    expect([status, reply]).toMatchObject([400, { id: null, error: { code: -32_600 } }])
  })
  return fc.assert(property, RUNS)
})

test('answers anything like a message', () => {
  const members = optionalMembers('id', 'method', 'params', 'result', 'error')
  const property = fc.asyncProperty(era, members, async (which, input) => {
    const message = { jsonrpc: '2.0', ...input }
    expectReply(await service.send(message, headersForEra(which, 'ping')), input.id)
  })
  return fc.assert(property, RUNS)
})

test('answers any method with any params', () => {
  const method = fc.constantFrom('initialize', 'ping', 'tools/list', 'server/discover', 'toString')
  const params = fc.oneof(
    value,
    optionalMembers('protocolVersion', 'capabilities', 'clientInfo', 'cursor'),
  )
  const property = fc.asyncProperty(
    era,
    method,
    params,
    meta,
    async (which, method, input, meta) => {
      const params = { ...Object(input), _meta: withEnvelope(which, meta) }
      const message = { ...PING_MESSAGE, method, params }
      expectReply(await service.send(message, headersForEra(which, method)), 1)
    },
  )
  return fc.assert(property, RUNS)
})

const TOOLS = [
  'check_domain_email_security',
  'pricing',
  'email_security_score',
  'check_email_address',
  'email_fix_plan',
]

test('answers any tool call with any arguments', () => {
  const tool = fc.oneof({ weight: 9, arbitrary: fc.constantFrom<unknown>(...TOOLS) }, value)
  const input = fc.oneof(value, optionalMembers('domain', 'email'))
  const property = fc.asyncProperty(era, tool, input, meta, async (which, name, input, meta) => {
    const params = { name, arguments: input, _meta: withEnvelope(which, meta) }
    const message = { ...PING_MESSAGE, method: 'tools/call', params }
    expectReply(await service.send(message, headersForEra(which, 'tools/call', params)), 1)
  })
  return fc.assert(property, RUNS)
})

test('answers a tool call with any params', () => {
  const property = fc.asyncProperty(era, value, async (which, params) => {
    const message = { ...PING_MESSAGE, method: 'tools/call', params }
    expectReply(await service.send(message, headersForEra(which, 'tools/call')), 1)
  })
  return fc.assert(property, RUNS)
})
