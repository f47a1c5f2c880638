/** The official clients, against the service as its operators run it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectMcpClient, MCP_CLIENTS } from '../../support/mcp-client.js'
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.js'

const CHECK = 'check_domain_email_security'
const TOOLS = [CHECK, 'pricing', 'email_security_score', 'check_email_address', 'email_fix_plan']

let service: ServiceProcess
beforeAll(async () => {
  service = await startServiceProcess({
    RATE_LIMIT_PER_MINUTE: '1000',
    DOH_URLS: 'http://127.0.0.1:9/dns-query',
  })
})
afterAll(() => void service.process.kill('SIGKILL'))

describe.each(MCP_CLIENTS)('the client of MCP: %s', (kind, revision) => {
  const meet = () => connectMcpClient(kind, service.url)

  test('learns whom it talks to, in its own revision', async () => {
    const met = await meet()
    expect(met.protocolVersion).toBe(revision)
    expect(met.client.getServerVersion()).toMatchObject({
      name: 'local/mailgrade',
      title: 'Mailgrade',
      version: '0.2.0',
    })
    expect(met.client.getServerCapabilities()).toEqual({ tools: { listChanged: false } })
    expect(met.client.getInstructions()).toMatch(/^Mailgrade reads the live DNS .*x402/)
  })

  test('lists the tools in the order of the contract, with what to choose them by', async () => {
    const { client } = await meet()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOLS)
    expect(tools.map(({ title }) => title)).toEqual([
      'Check a domain’s email security',
      'Prices and how to pay',
      'Score a domain’s email security',
      'Check whether an email address can get mail',
      'Plan the DNS records that secure a domain’s email',
    ])
    for (const { name, description, inputSchema, outputSchema, annotations } of tools) {
      expect(description).toMatch(/\. Use it.* .*(Free|only a report is charged)\.$/)
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: name !== 'pricing',
      })
      const parameter = name === 'check_email_address' ? 'email' : 'domain'
      expect(inputSchema.required ?? []).toEqual(name === 'pricing' ? [] : [parameter])
      expect(outputSchema?.type).toBe('object')
    }
    expect(tools[4]?.description).toContain('Costs 1 USD in USDC')
  })

  test('calls a free tool: a summary, the JSON, and the same as an object', async () => {
    const { client, callTool } = await meet()
    await client.listTools()
    const { isError, texts, structuredContent } = await callTool(CHECK, {
      domain: 'https://Monitoring.test/x',
    })
    expect([isError, structuredContent.domain, structuredContent.dmarc.policy]).toEqual([
      undefined,
      'monitoring.test',
      'none',
    ])
    expect(texts[0]).toBe(structuredContent.summary)
    expect(texts[0]).toMatch(/^monitoring\.test: /)
    expect(JSON.parse(texts[1] ?? '')).toEqual(structuredContent)
    expect(texts).toHaveLength(2)
  })

  test('asks for the prices', async () => {
    const { client, callTool } = await meet()
    await client.listTools()
    const { structuredContent, texts } = await callTool('pricing')
    expect(structuredContent.free).toMatchObject({
      limit: 1_000,
      windowSeconds: 60,
      tools: [{ tool: CHECK }],
    })
    expect(structuredContent.paid).toMatchObject({
      money: 'play money on the demo chain',
      network: 'eip155:84532',
      tools: [
        { tool: 'email_security_score', usd: '0.01', amount: '10000' },
        { tool: 'check_email_address', usd: '0.01', amount: '10000' },
        { tool: 'email_fix_plan', usd: '1', amount: '1000000' },
      ],
    })
    expect(texts[0]).toContain('email_security_score 0.01 USD, check_email_address 0.01 USD')
  })

  test.each([
    ['a domain that does not exist', CHECK, { domain: 'nowhere.test' }, 404, 'unknown_domain'],
    ['what is no domain', CHECK, { domain: '192.0.2.1' }, 400, 'invalid_input'],
    ['no domain', CHECK, {}, 400, 'invalid_input'],
    ['a DNS that is down', CHECK, { domain: 'acme.example' }, 502, 'dns_unavailable'],
    ['what is no address', 'check_email_address', { email: 'ann' }, 400, 'invalid_input'],
  ])('reads what is wrong: %s', async (_, name, given, status, code) => {
    const { client, callTool } = await meet()
    await client.listTools()
    const { isError, texts, structuredContent } = await callTool(name, given)
    expect([isError, structuredContent.status, structuredContent.code]).toEqual([
      true,
      status,
      code,
    ])
    expect(structuredContent.type).toMatch(/\/problems\/[a-z-]+$/)
    expect(texts).toEqual([
      `${structuredContent.title}. ${structuredContent.detail}`,
      JSON.stringify(structuredContent),
    ])
  })

  test('reads the price of a paid tool, as x402 has it', async () => {
    const { client, callTool } = await meet()
    await client.listTools()
    const { isError, texts, structuredContent, paymentResponse } = await callTool(
      'email_fix_plan',
      {
        domain: 'good.test',
      },
    )
    expect([
      isError,
      paymentResponse,
      structuredContent.x402Version,
      structuredContent.error,
    ]).toEqual([true, null, 2, 'payment_required'])
    expect(structuredContent.accepts).toMatchObject([{ scheme: 'exact', amount: '1000000' }])
    expect(structuredContent.resource.url).toMatch(/\/mcp$/)
    expect(JSON.parse(texts[0] ?? '')).toEqual(structuredContent)
    expect(texts[1]).toBe(
      'This tool costs 1 USD in play money on the demo chain (an amount of 1000000, with 6 decimals). Sign one of the offers in accepts and call the tool again with it in params._meta["x402/payment"]. Whoever cannot pay by x402 tells the price to the user instead.',
    )
  })

  test('is told which tools there are when it asks for another', async () => {
    const { callTool } = await meet()
    await expect(callTool('check_weather')).rejects.toThrow(
      `There is no tool of this name; there are ${TOOLS.join(', ')}.`,
    )
  })

  test('calls ten tools in parallel, and gets each answer to its own question', async () => {
    const { client, callTool } = await meet()
    await client.listTools()
    const domains = ['good', 'monitoring', 'lookups', 'parked', 'locked', 'nothing', 'nowhere']
    const answers = await Promise.all([
      ...domains.map((name) => callTool(CHECK, { domain: `${name}.test` })),
      callTool('pricing'),
      callTool('email_security_score', { domain: 'good.test' }),
      callTool('check_email_address', { email: 'ann@good.test' }),
    ])
    expect(
      answers.map(
        ({ structuredContent }) =>
          structuredContent.domain ??
          structuredContent.code ??
          structuredContent.error ??
          'pricing',
      ),
    ).toEqual([
      ...domains.slice(0, 6).map((name) => `${name}.test`),
      'unknown_domain',
      'pricing',
      'payment_required',
      'payment_required',
    ])
  })
})
