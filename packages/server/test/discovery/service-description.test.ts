/** The description at `/` is enough for an agent to know what to call and what it costs. */

import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { expect, test } from 'vitest'
import { DEPLOYMENTS, deployApp } from '../support/discovery-fixture.js'
import { connectMcpClient } from '../support/mcp-client.js'
import { createAppFetch } from '../support/mcp-message.js'

const BASE_URL = 'https://mailgrade.example'

async function fetchDescription(env: Record<string, string> = {}, isSandbox = false) {
  return (await deployApp({ baseUrl: BASE_URL, isSandbox }, env).get('/')).json()
}

test('has every field of the contract', async () => {
  const description = await fetchDescription()
  expect(description).toMatchObject({
    name: 'Mailgrade',
    summary: expect.stringContaining('can be forged'),
    version: '1.0.0',
    sandbox: false,
    site: BASE_URL,
    contact: null,
    network: 'eip155:8453',
    asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
    payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
    payment: { protocol: 'x402', x402Version: 2, money: 'USDC on Base', decimals: 6 },
    freeLimit: { requests: 30, windowSeconds: 60 },
    mcp: { url: `${BASE_URL}/mcp`, transport: 'streamable-http' },
    discovery: {
      openapi: `${BASE_URL}/openapi.json`,
      x402: `${BASE_URL}/.well-known/x402`,
      llms: `${BASE_URL}/llms.txt`,
      apiCatalog: `${BASE_URL}/.well-known/api-catalog`,
      sitemap: `${BASE_URL}/sitemap.xml`,
      robots: `${BASE_URL}/robots.txt`,
    },
    monitoring: null,
  })
})

test('lists every operation once, with its price in dollars and in token units', async () => {
  const { free, paid } = await fetchDescription()
  const urls = (endpoints: { url: string }[]) => endpoints.map(({ url }) => url)
  const paths = (operations: typeof OPERATIONS) => operations.map(({ path }) => BASE_URL + path)
  expect(urls(free)).toEqual(paths(OPERATIONS.filter((operation) => !isPaid(operation))))
  expect(urls(paid)).toEqual(paths(OPERATIONS.filter(isPaid)))
  expect(paid).toMatchObject([
    { id: 'score', usd: '0.01', amount: '10000', tool: 'email_security_score' },
    { id: 'emailCheck', usd: '0.01', amount: '10000', tool: 'check_email_address' },
    { id: 'fixPlan', usd: '1', amount: '1000000', tool: 'email_fix_plan' },
  ])
})

test('lists the parameters of each endpoint', async () => {
  const { free } = await fetchDescription()
  expect(free[3]).toMatchObject({
    id: 'dkim',
    method: 'GET',
    urlTemplate: `${BASE_URL}/v1/dkim{?domain,selector,exact}`,
    parameters: [
      { name: 'domain', required: true, description: expect.stringContaining('A domain') },
      { name: 'selector', required: false, description: expect.stringContaining('DKIM-Signature') },
      { name: 'exact', required: false, description: expect.stringContaining('www.') },
    ],
    docs: `${BASE_URL}/docs/api/dkim`,
  })
  const { paid } = await fetchDescription()
  expect(paid[2]).toMatchObject({
    urlTemplate: `${BASE_URL}/v1/fix-plan{?domain,selector*,rua,uses*,unused*,exact}`,
  })
})

test('shows what the operator configured', async () => {
  const description = await fetchDescription({
    SERVICE_NAME: 'Postmark Office',
    SITE_URL: 'https://site.example',
    MONITORING_URL: 'https://watch.example',
    CONTACT_EMAIL: 'ops@site.example',
    RATE_LIMIT_PER_MINUTE: '7',
  })
  expect(description).toMatchObject({
    name: 'Postmark Office',
    site: 'https://site.example',
    contact: 'ops@site.example',
    freeLimit: { requests: 7, windowSeconds: 60 },
    monitoring: { url: 'https://watch.example' },
  })
})

test('says that sandbox payments are worth nothing', async () => {
  expect(await fetchDescription({}, true)).toMatchObject({
    sandbox: true,
    network: 'eip155:84532',
    payment: { money: expect.stringContaining('play money') },
  })
})

test.each(DEPLOYMENTS)('lists the same tools as MCP: $name', async (deployment) => {
  const service = deployApp(deployment)
  const { mcp } = (await (await service.get('/')).json()) as { mcp: { tools: string[] } }
  const { host, origin } = new URL(deployment.baseUrl)
  const { client } = await connectMcpClient('current', origin, createAppFetch(service, host))
  const { tools } = await client.listTools()
  expect(mcp.tools.toSorted()).toEqual(tools.map(({ name }) => name).toSorted())
})
