/** Domains and addresses that nobody should send: problems in words, and no question to the DNS. */
import { afterEach, describe, expect, test } from 'vitest'
import { REQUEST_META } from '../support/mcp-message.js'
import {
  createMcpServiceUnderTest,
  expectedProblemResult,
  expectedRpcError,
  expectNoSideEffects,
  headersForEra,
  nestedJson,
  PROTOCOL_ERAS,
} from '../support/mcp-service-under-test.js'

const house = createMcpServiceUnderTest()
afterEach(() => expectNoSideEffects(house))

const CHECK = 'check_domain_email_security'
const NOT_TEXT = 'The parameter domain is not text. Send a domain such as example.com.'
const MISSING = 'The parameter domain is missing. Send a domain such as example.com.'

describe.each(PROTOCOL_ERAS)('%s', (era) => {
  test.each([
    ['none', undefined, MISSING],
    ['none at all', {}, MISSING],
    ['5,000 others', Object.fromEntries(Array(5_000).entries()), MISSING],
    ['a number', { domain: 5 }, NOT_TEXT],
    ['a boolean', { domain: true }, NOT_TEXT],
    ['null', { domain: null }, NOT_TEXT],
    ['an object', { domain: { toString: 'acme.test' } }, NOT_TEXT],
    ['an array', { domain: ['acme.test'] }, NOT_TEXT],
    ['nothing', { domain: '' }, /^No domain was given/],
    ['10,000 characters', { domain: 'x'.repeat(10_000) }, /^This is longer than 320 characters/],
    ['a NUL', { domain: 'acme.test\u0000' }, /^The text contains a control character/],
    ['a line break', { domain: 'acme.test\nevil.test' }, /^The text contains a control character/],
    [
      'writing from the right',
      { domain: '\u202eacme.test' },
      /has an invisible character, U\+202E/,
    ],
    ['half a character', { domain: '\ud800.test' }, /^This is not valid Unicode text/],
    ['an IP address', { domain: '192.0.2.1' }, /is an IP address/],
    ['another IP address', { domain: '[::1]' }, /is an IP address/],
    ['the machine itself', { domain: 'localhost' }, /is not a public mail domain/],
    ['a script', { domain: '<script>alert(1)</script>' }, /^This looks like part of a URL/],
  ])('%s for a domain is a problem in words', async (_, given, detail) => {
    const words = typeof detail === 'string' ? detail : expect.stringMatching(detail)
    expect(await house.callTool(era, CHECK, given)).toEqual([
      200,
      expectedProblemResult('invalid_input', words),
    ])
  })

  test.each([
    ['a number', 5, /^The parameter email is not text/],
    ['null', null, /^The parameter email is not text/],
    ['an array', ['ann@acme.test'], /^The parameter email is not text/],
    ['nothing', '', /^No address was given/],
    ['10,000 characters', 'x'.repeat(10_000), /^This is longer than 320 characters/],
    [
      'a NUL',
      'ann\u0000@acme.test',
      /^The address contains a control, invisible or unassigned character/,
    ],
    ['a line break', 'ann@acme.test\nBcc: bob', /^The address contains a space/],
    ['writing from the right', '\u202eann@acme.test', /control, invisible or unassigned character/],
    ['half a character', '\ud800@acme.test', /control, invisible or unassigned character/],
  ])('%s for an address is a problem before any price', async (_, email, detail) => {
    const problem = expectedProblemResult('invalid_input', expect.stringMatching(detail))
    expect(await house.callTool(era, 'check_email_address', { email })).toEqual([200, problem])
  })

  const callWith = (given: string) => {
    const meta = era === 'legacy' ? {} : REQUEST_META
    const params = `{"name":"${CHECK}","arguments":${given},"_meta":${JSON.stringify(meta)}}`
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`
    return house.send(body, headersForEra(era, 'tools/call', { name: CHECK }))
  }

  test.each([
    ['arrays', '[', ']', 30_000],
    ['objects', '{"a":', '}', 10_000],
  ])('%s in one another are no domain, and without end no message', async (_, open, close, end) => {
    const problem = expectedProblemResult('invalid_input', NOT_TEXT)
    const value = nestedJson(50, open, close)
    expect(await callWith(`{"domain":${value}}`)).toEqual([200, problem])
    expect(await callWith(`{"x":${value},"domain":5}`)).toEqual([200, problem])
    const endless = nestedJson(end, open, close)
    for (const given of [endless, `{"domain":${endless}}`]) {
      expect(await callWith(given)).toEqual([400, expectedRpcError(-32_600)])
    }
  })

  test('names that mean something to JavaScript do nothing', async () => {
    const prototypes = '"constructor":{"prototype":{"polluted":true}},"toString":1'
    const given = `{"__proto__":{"domain":"acme.test","polluted":true},${prototypes}}`
    expect(await callWith(given)).toEqual([200, expectedProblemResult('invalid_input', MISSING)])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  test('of a name that is given twice, the last counts', async () => {
    const given = '{"domain":"acme.test","domain":5}'
    expect(await callWith(given)).toEqual([200, expectedProblemResult('invalid_input', NOT_TEXT)])
  })
})
