import { expect, test } from 'vitest'
import type { Problem } from '../run-operation.js'
import type { McpTool, ToolReplyOptions } from './mcp-tool.js'
import { withKnownArguments } from './operation-tool.js'

const CONTEXT = {
  requestId: 'r1',
  caller: () => 'test',
  signal: () => new AbortController().signal,
}

function setUp(...names: readonly string[]) {
  const calls: unknown[] = []
  const problems: string[] = []
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const tool: McpTool = {
    definition: { name: 'tool', inputSchema: { type: 'object', properties } },
    async call(call) {
      calls.push(call.arguments)
      return { content: [] }
    },
  }
  const options: ToolReplyOptions = {
    baseUrl: 'https://mailgrade.example',
    log: { problem: (code: Problem['code']) => problems.push(code), error() {} },
  }
  const { call } = withKnownArguments(tool, options)
  return {
    calls,
    problems,
    send: async (input: object) =>
      (await call({ arguments: { ...input }, meta: {}, context: CONTEXT })).structuredContent,
  }
}

const invalid = (parameter: string, detail: string) =>
  expect.objectContaining({ code: 'invalid_input', status: 400, parameter, detail })

test('passes on the arguments that the tool has', async () => {
  const { send, calls, problems } = setUp('domain', 'exact')
  await send({ domain: 'acme.test', exact: true })
  await send({})
  expect([calls, problems]).toEqual([[{ domain: 'acme.test', exact: true }, {}], []])
})

test.each([
  ['domian', 'domain'],
  ['Domain', 'domain'],
  ['domains', 'domain'],
  ['selectr', 'selector'],
  ['domain_name', 'domain'],
  ['domainName', 'domain'],
  ['dkim-selector', 'selector'],
])('an argument %s is a problem that suggests %s', async (given, meant) => {
  const { send, calls, problems } = setUp('domain', 'selector', 'ip')
  expect(await send({ domain: 'acme.test', [given]: 'x' })).toEqual(
    invalid(given, `There’s no argument ${given}. Did you mean ${meant}?`),
  )
  expect([calls, problems]).toEqual([[], ['invalid_input']])
})

test.each([
  [['domain', 'selector', 'exact'], 'The arguments are domain, selector, and exact.'],
  [['email'], 'The only argument is email.'],
  [[], 'This tool takes no arguments.'],
])('without a similar one, the problem lists the arguments: %j', async (names, list) => {
  expect(await setUp(...names).send({ session_id: 1 })).toEqual(
    invalid('session_id', `There’s no argument session_id. ${list}`),
  )
})

test.each(['x'.repeat(41), 'x402/payment', '\u202edomain', '', 'two words', '<b>'])(
  'the unusual name %j is not repeated',
  async (name) => {
    expect(await setUp('email').send({ [name]: 1 })).toEqual(
      invalid('arguments', 'There’s no argument with that name. The only argument is email.'),
    )
  },
)

test.each(['constructor', 'toString', '__proto__'])(
  '%s is not an argument, although every object has it',
  async (name) => {
    const input = JSON.parse(`{"${name}":{"email":"ann@acme.test"}}`)
    const detail = `There’s no argument ${name}. The only argument is email.`
    expect(await setUp('email').send(input)).toEqual(invalid(name, detail))
  },
)
