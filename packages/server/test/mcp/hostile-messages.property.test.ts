import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { afterEach, expect, test, vi } from 'vitest'
import { REQUEST_META } from '../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  headersForEra,
  type McpReply,
  PING_MESSAGE,
  PROTOCOL_ERAS,
  type ProtocolEra,
} from '../support/mcp-service-under-test.js'

// Hundreds of requests each, also on a machine that has other things to do.
vi.setConfig({ testTimeout: 120_000 })

// Always the same messages, so that a change is judged by what it changes.
const RUNS = { numRuns: propertyRuns(300), seed: 7208 }

const house = createMcpServiceUnderTest()
afterEach(() => {
  expect(house.app.faults).toEqual([])
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
})

const key = fc.oneof(
  fc.string(),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'name', 'domain', '_meta'),
)
const leaf = fc.oneof(
  fc.constantFrom(null, true, 'acme.test', 'pricing', '\ud800', '\u0000'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ unit: 'binary' }),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(objectOf),
  ),
}))

/** With `__proto__` as a member like any other, as JSON.parse makes it. */
function objectOf(entries: [string, unknown][]): object {
  const made = {}
  for (const [name, member] of entries) {
    Object.defineProperty(made, name, { value: member, enumerable: true, configurable: true })
  }
  return made
}

/** These members, each sometimes, with anything in them. */
function some(...names: string[]): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
}

const ENVELOPE_KEYS = ['protocolVersion', 'clientCapabilities', 'clientInfo', 'related-task']
const meta = fc.oneof(
  value,
  some('x402/payment', 'progressToken'),
  some('x402/payment', ...ENVELOPE_KEYS.map((name) => `io.modelcontextprotocol/${name}`)),
)
const era = fc.constantFrom(...PROTOCOL_ERAS)

/** The envelope around whatever was meant to be one. */
function metaIn(which: ProtocolEra, given: unknown): unknown {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  return which === 'modern' && isObject ? { ...REQUEST_META, ...given } : given
}

/** In the right form, to which `hear` sees, and to the one who asked. */
function expectAnswer([status, answer]: McpReply, id: unknown): void {
  expect([200, 202, 400, 404]).toContain(status)
  const isTaken = status === 202
  expect(isTaken ? [null] : [id, null]).toContain(isTaken ? answer : idOf(answer))
}

function idOf(answer: unknown): unknown {
  return (answer as { id: unknown }).id
}

test('any JSON is answered', () => {
  const claim = fc.asyncProperty(era, value, async (which, body) => {
    const [status, answer] = await house.send(JSON.stringify(body), headersForEra(which, 'ping'))
    expect([status, answer]).toMatchObject([400, { id: null, error: { code: -32_600 } }])
  })
  return fc.assert(claim, RUNS)
})

test('anything that looks like a message is answered', () => {
  const members = some('id', 'method', 'params', 'result', 'error')
  const claim = fc.asyncProperty(era, members, async (which, given) => {
    const message = { jsonrpc: '2.0', ...given }
    expectAnswer(await house.send(message, headersForEra(which, 'ping')), given.id)
  })
  return fc.assert(claim, RUNS)
})

test('any method is answered, with anything', () => {
  const method = fc.constantFrom('initialize', 'ping', 'tools/list', 'server/discover', 'toString')
  const params = fc.oneof(value, some('protocolVersion', 'capabilities', 'clientInfo', 'cursor'))
  const claim = fc.asyncProperty(era, method, params, meta, async (which, method, given, meta) => {
    const params = { ...Object(given), _meta: metaIn(which, meta) }
    const message = { ...PING_MESSAGE, method, params }
    expectAnswer(await house.send(message, headersForEra(which, method)), 1)
  })
  return fc.assert(claim, RUNS)
})

const TOOLS = [
  'check_domain_email_security',
  'pricing',
  'email_security_score',
  'check_email_address',
  'email_fix_plan',
]

test('any tool is answered for, with anything', () => {
  const tool = fc.oneof({ weight: 9, arbitrary: fc.constantFrom<unknown>(...TOOLS) }, value)
  const given = fc.oneof(value, some('domain', 'email'))
  const claim = fc.asyncProperty(era, tool, given, meta, async (which, name, given, meta) => {
    const params = { name, arguments: given, _meta: metaIn(which, meta) }
    const message = { ...PING_MESSAGE, method: 'tools/call', params }
    expectAnswer(await house.send(message, headersForEra(which, 'tools/call', params)), 1)
  })
  return fc.assert(claim, RUNS)
})

test('any params of a call are answered', () => {
  const claim = fc.asyncProperty(era, value, async (which, params) => {
    const message = { ...PING_MESSAGE, method: 'tools/call', params }
    expectAnswer(await house.send(message, headersForEra(which, 'tools/call')), 1)
  })
  return fc.assert(claim, RUNS)
})
