/** Unknown methods and tools, and invalid parameters: rejected without a DNS query. */
import { afterEach, describe, expect, test } from 'vitest'
import { REQUEST_META } from '../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  expectedProblemResult,
  expectedRpcError,
  expectNoSideEffects,
  headersForEra,
  nestedJson,
  PING_MESSAGE,
  PROTOCOL_ERAS,
} from '../support/mcp-service-under-test.js'

const service = createMcpServiceUnderTest()
afterEach(() => {
  expectNoSideEffects(service)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

const CHECK = 'check_domain_email_security'
const NO_TOOL =
  'There’s no tool with that name. The tools are check_domain_email_security, pricing, email_security_score, check_email_address, email_fix_plan.'
const NOT_TEXT = 'The parameter domain isn’t text. Send a domain such as example.com.'
const MISSING = 'The parameter domain is missing. Send a domain such as example.com.'
const unknownArgument = (name: string) =>
  `There’s no argument ${name}. The arguments are domain, selector, exact, ip, sender, and helo.`
/** One sentence of ours, not a validator's dump. */
const SENTENCE = expect.not.stringMatching(/invalid_type|[\n{[]/)

const UNKNOWN_METHODS = [
  '',
  'constructor',
  '__proto__',
  'toString',
  'tools/List',
  'tools/call/',
  'resources/list',
  'resources/read',
  'prompts/list',
  'logging/setLevel',
  'completion/complete',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
  'tasks/get',
  'notifications/initialized',
  'rpc.discover',
  'x'.repeat(5_000),
]

const UNKNOWN_TOOLS = [
  '',
  'constructor',
  '__proto__',
  'toString',
  'Pricing',
  'pricing ',
  'pricing\u0000',
  'pricing\r\nset-cookie: a=b',
  '\u202egnicirp',
  'x'.repeat(10_000),
  '<script>alert(1)</script>',
]

const INVALID_PARAMS: [string, Record<string, unknown>][] = [
  ['tools/list', { cursor: 5 }],
  ['tools/call', {}],
  ...[5, null, true, {}, ['pricing'], undefined].map((name): [string, Record<string, unknown>] => [
    'tools/call',
    { name, arguments: {} },
  ]),
  ...[null, [], ['acme.test'], 'acme.test', 5, true].flatMap((input) =>
    [CHECK, 'pricing', 'email_fix_plan'].map((name): [string, Record<string, unknown>] => [
      'tools/call',
      { name, arguments: input },
    ]),
  ),
]

const INVALID_DOMAINS: [string, object | undefined, string | RegExp][] = [
  ['no arguments', undefined, MISSING],
  ['empty arguments', {}, MISSING],
  ['500 other arguments', Object.fromEntries(Array(500).fill(1).entries()), unknownArgument('0')],
  ['a number', { domain: 5 }, NOT_TEXT],
  ['a boolean', { domain: true }, NOT_TEXT],
  ['null', { domain: null }, NOT_TEXT],
  ['an object', { domain: { toString: 'acme.test' } }, NOT_TEXT],
  ['an array', { domain: ['acme.test'] }, NOT_TEXT],
  ['an empty string', { domain: '' }, /^The domain is missing/],
  ['10,000 characters', { domain: 'x'.repeat(10_000) }, /^This is longer than 320 characters/],
  ['a NUL', { domain: 'acme.test\u0000' }, /^The text contains a control character/],
  ['a line break', { domain: 'acme.test\nevil.test' }, /^The text contains a control character/],
  [
    'a right-to-left override',
    { domain: '\u202eacme.test' },
    /has an invisible character, U\+202E/,
  ],
  ['a lone surrogate', { domain: '\ud800.test' }, /^This isn’t valid Unicode text/],
  ['an IPv4 address', { domain: '192.0.2.1' }, /is an IP address/],
  ['an IPv6 address', { domain: '[::1]' }, /is an IP address/],
  ['localhost', { domain: 'localhost' }, /is a reserved name without DNS records/],
  ['a script', { domain: '<script>alert(1)</script>' }, /^This looks like part of a URL/],
]

const INVALID_EMAILS: [string, unknown, RegExp][] = [
  ['a number', 5, /^The parameter email isn’t text/],
  ['null', null, /^The parameter email isn’t text/],
  ['an array', ['ann@acme.test'], /^The parameter email isn’t text/],
  ['an empty string', '', /^The address is missing/],
  ['10,000 characters', 'x'.repeat(10_000), /^This is longer than 320 characters/],
  [
    'a NUL',
    'ann\u0000@acme.test',
    /^The address contains a control, invisible, or unassigned character/,
  ],
  ['a line break', 'ann@acme.test\nBcc: bob', /^The address contains a space/],
  [
    'a right-to-left override',
    '\u202eann@acme.test',
    /control, invisible, or unassigned character/,
  ],
  ['a lone surrogate', '\ud800@acme.test', /control, invisible, or unassigned character/],
]

describe.each(PROTOCOL_ERAS)('%s', (era) => {
  test.each(UNKNOWN_METHODS)('rejects the unknown method %s', async (method) => {
    const status = era === 'legacy' ? 200 : 404
    const reply = expectedRpcError(-32_601, 1, 'Method not found')
    expect(await service.request(era, method)).toEqual([status, reply])
  })

  test.each(UNKNOWN_TOOLS)('rejects the unknown tool %j without repeating it', async (name) => {
    const reply = expectedRpcError(-32_602, 1, NO_TOOL)
    expect(await service.callTool(era, name, {})).toEqual([200, reply])
  })

  test.each(INVALID_PARAMS)(
    'rejects the params of %s %o with one sentence',
    async (method, params) => {
      const reply = expectedRpcError(-32_602, 1, SENTENCE)
      expect(await service.request(era, method, params)).toEqual([200, reply])
    },
  )

  test('rejects arguments of pricing, which has none', async () => {
    const detail = 'There’s no argument domain. This tool takes no arguments.'
    const reply = expectedProblemResult('invalid_input', detail)
    expect(await service.callTool(era, 'pricing', { domain: 'acme.test' })).toEqual([200, reply])
  })

  test.each(INVALID_DOMAINS)('rejects %s as a domain', async (_, input, detail) => {
    const matcher = typeof detail === 'string' ? detail : expect.stringMatching(detail)
    const reply = expectedProblemResult('invalid_input', matcher)
    expect(await service.callTool(era, CHECK, input)).toEqual([200, reply])
  })

  test.each(INVALID_EMAILS)('rejects %s as an email before the price', async (_, email, detail) => {
    const reply = expectedProblemResult('invalid_input', expect.stringMatching(detail))
    expect(await service.callTool(era, 'check_email_address', { email })).toEqual([200, reply])
  })

  /** The arguments as text, for JSON that JSON.stringify cannot produce. */
  const checkWith = (input: string) => {
    const meta = era === 'legacy' ? {} : REQUEST_META
    const params = `{"name":"${CHECK}","arguments":${input},"_meta":${JSON.stringify(meta)}}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
    return service.send(body, headersForEra(era, 'tools/call', { name: CHECK }))
  }

  test.each([
    ['arrays', '[', ']', 30_000],
    ['objects', '{"a":', '}', 10_000],
  ])(
    'rejects nested %s as a domain, and beyond the limit as a message',
    async (_, open, close, limit) => {
      const problem = expectedProblemResult('invalid_input', NOT_TEXT)
      const value = nestedJson(50, open, close)
      expect(await checkWith(`{"domain":${value}}`)).toEqual([200, problem])
      const unknown = expectedProblemResult('invalid_input', unknownArgument('x'))
      expect(await checkWith(`{"x":${value},"domain":"acme.test"}`)).toEqual([200, unknown])
      const deep = nestedJson(limit, open, close)
      for (const input of [deep, `{"domain":${deep}}`]) {
        expect(await checkWith(input)).toEqual([400, expectedRpcError(-32_600)])
      }
    },
  )

  test.each([
    [
      'takes nothing from __proto__ and constructor',
      '{"__proto__":{"domain":"acme.test","polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}',
      unknownArgument('constructor'),
    ],
    ['uses the last of two values', '{"domain":"acme.test","domain":5}', NOT_TEXT],
  ])('%s', async (_, input, detail) => {
    expect(await checkWith(input)).toEqual([200, expectedProblemResult('invalid_input', detail)])
  })
})

test('rejects initialize without params with one sentence', async () => {
  const [, reply] = await service.send({ ...PING_MESSAGE, method: 'initialize' })
  expect(reply).toEqual(expectedRpcError(-32_602, 1, SENTENCE))
})
