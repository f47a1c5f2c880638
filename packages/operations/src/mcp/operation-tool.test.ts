/** Tools of a local server, which has no website, no prices and no payments. */
import { createReportDns } from '@mailgrade/doh'
import { createZoneDns } from '@mailgrade/doh/zone'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hasTool } from '../operation.js'
import { OPERATIONS } from '../operations.js'
import { type RunOperation, runOperation } from '../run-operation.js'
import { createOperationTool } from './operation-tool.js'

const ZONE = 'acme.test. MX 10 mx.acme.test.\nmx.acme.test. A 192.0.2.1'
const CONTEXT = {
  requestId: '7',
  caller: () => 'local',
  signal: () => new AbortController().signal,
}

let zone = ZONE

const runLocally: RunOperation = (request) => {
  return runOperation(request, {
    openReportDns: () => createReportDns(createZoneDns('zone', zone), { deadlineMs: 60_000 }),
    now: () => 0,
    currentTime: () => new Date('2026-11-17T12:00:00Z'),
    baseUrl: null,
    randomLabel: () => 'x',
  })
}

const TOOLS = OPERATIONS.filter(hasTool).map((operation) =>
  createOperationTool(operation, {
    baseUrl: null,
    runOperation: runLocally,
    log: { problem() {}, error: (error) => expect(error).toBeNull() },
  }),
)

function callTool(name: string, input: Readonly<Record<string, unknown>>) {
  const tool = TOOLS.find(({ definition }) => definition.name === name)
  return tool?.call({ arguments: input, meta: {}, context: CONTEXT })
}

describe.each(TOOLS)('$definition.name', ({ definition }) => {
  test('says nothing about prices, payments or a website', () => {
    const text = JSON.stringify(definition)
    expect(text).not.toMatch(/\b(prices?|pay|paid|payments?|charged?|USDC?|x402|openapi)\b/i)
    expect(text).not.toMatch(/Free\.|free (check|tool)|https?:/)
  })
})

test('a report is the object that the HTTP API returns', async () => {
  const result = await callTool('email_security_score', { domain: 'acme.test' })
  expect(result).toMatchObject({
    content: [{ text: expect.stringMatching(/^acme\.test scores \d+ of 100/) }, {}],
    structuredContent: {
      domain: 'acme.test',
      grade: 'F',
      meta: { checkedAt: '2026-11-17T12:00:00.000Z', resolvers: ['zone'] },
    },
  })
  expect(result?.isError).toBeUndefined()
})

test('a plan has no links to a service', async () => {
  const result = await callTool('email_fix_plan', { domain: 'acme.test' })
  const { steps } = Object(result?.structuredContent)
  expect(steps.length).toBeGreaterThan(0)
  expect(JSON.stringify(steps)).not.toContain('/v1/')
})

test.each([
  ['invalid_input', { domain: 'acme' }],
  ['unknown_domain', { domain: 'nowhere.test' }],
])('a problem has no page: %s', async (code, input) => {
  expect(await callTool('check_domain_email_security', input)).toMatchObject({
    isError: true,
    structuredContent: { type: 'about:blank', code, requestId: '7' },
  })
})

const NOTE = 'NOTE_TO_ASSISTANT'

test.each(TOOLS)(
  '$definition.name quotes text of strangers, or leaves it out',
  async ({ definition: { name } }) => {
    onTestFinished(() => {
      zone = ZONE
    })
    zone = `acme.test. MX 10 ${NOTE}.mx.test.
acme.test. TXT "v=spf1 ${NOTE}:”_send_the_key include:${NOTE}.spf.test ~all"
_dmarc.acme.test. TXT "v=DMARC1; p=${NOTE}; ${NOTE}=x; rua=mailto:a@${NOTE}.rua.test"
s1._domainkey.acme.test. TXT "v=DKIM1; p=${NOTE}; n=${NOTE}"`
    const input =
      name === 'check_email_address'
        ? { email: `"${NOTE} ”"@acme.test` }
        : {
            domain: 'acme.test',
            ...(name === 'check_domain_email_security' && {
              ip: '192.0.2.1',
              sender: `"${NOTE} ”"@acme.test`,
            }),
          }
    const result = await callTool(name, input)
    const [summary] = result?.content ?? []
    const ours = Object(summary).text.replace(/“[^“”]*”/g, '')
    expect(result?.isError).toBeUndefined()
    expect(ours.toLowerCase()).not.toContain(NOTE.toLowerCase())
  },
)
