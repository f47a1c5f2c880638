/** PAYMENTS=off: free checks, pages, tools and documents, and nothing for sale in any of them. */

import { isPaid } from '@mailgrade/operations/operation'
import { OPERATIONS } from '@mailgrade/operations/operations'
import { endpointDocsPath, PATHS, reportPagePath } from '@mailgrade/operations/service-paths'
import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { describe, expect, test } from 'vitest'
import { DISCOVERY_DOCUMENTS } from '../support/discovery-fixture.js'
import { connectMcpClient } from '../support/mcp-client.js'
import { createAppFetch } from '../support/mcp-message.js'
import { createTestApp } from '../support/test-app.js'

const BASE_URL = 'https://mailgrade.example'
const BROWSER = { accept: 'text/html' }
const FREE = OPERATIONS.filter((operation) => !isPaid(operation))
const PAID = OPERATIONS.filter(isPaid)

const dns = {
  ...zoneDns('acme.test. MX 0 .\nacme.test. TXT "v=spf1 -all"\nexample.com. MX 0 .'),
  resolvers: [{ name: 'zone', isAnswering: async () => true, isPaused: () => false }],
}
const app = createTestApp(dns, { env: { PAYMENTS: 'off', NODE_ENV: 'production' } })

const readJson = async (path: string) => (await app.get(path)).json()
const readText = async (path: string, headers = {}) => (await app.get(path, headers)).text()

describe('requests', () => {
  test('free checks work', async () => {
    const response = await app.get('/v1/mx?domain=acme.test')
    expect([response.status, await response.json()]).toMatchObject([200, { nullMx: true }])
  })

  test.each(PAID)(
    '$path returns 404 and says that nothing is for sale',
    async ({ path, example }) => {
      const url = `${path}?${new URLSearchParams(example)}`
      for (const headers of [{}, { 'PAYMENT-SIGNATURE': 'e30=' }, BROWSER]) {
        const response = await app.get(url, headers)
        expect([response.status, await response.json()]).toMatchObject([
          404,
          {
            code: 'not_found',
            detail:
              'This instance doesn’t sell reports. You weren’t charged. For its free checks, see /openapi.json.',
          },
        ])
        expect(response.headers.has('payment-required')).toBe(false)
      }
      expect((await app.request(url, { method: 'HEAD' })).status).toBe(404)
    },
  )

  test('/readyz says that payments are off', async () => {
    expect(await readJson('/readyz')).toEqual({
      status: 'ready',
      resolver: 'zone',
      payments: 'off',
    })
  })
})

describe('pages', () => {
  test.each(['/', '/?domain=acme.test', '/docs'])('%s has nothing to buy', async (path) => {
    const response = await app.get(path, BROWSER)
    const html = await response.text()
    expect(response.status).toBe(200)
    expect(html).not.toMatch(/data-buy|#reports|id="reports"|USDC?\b|\/reports\/|x402/)
    for (const operation of PAID) expect(html).not.toContain(operation.path)
  })

  test.each(PAID)('there is no page for $path', async (operation) => {
    for (const path of [reportPagePath(operation), endpointDocsPath(operation)]) {
      const response = await app.get(path, BROWSER)
      expect([path, response.status]).toEqual([path, 404])
    }
  })

  test('the documentation says why guides mention reports', async () => {
    expect(await readText('/docs', BROWSER)).toContain('This instance doesn’t sell reports')
  })
})

describe('documents', () => {
  test('the x402 manifest lists no resource', async () => {
    expect(await readJson(PATHS.manifest)).toMatchObject({
      resources: [],
      items: [],
      instructions: 'This instance doesn’t sell anything.',
      mcp: { url: `${BASE_URL}/mcp`, instructions: 'This instance doesn’t sell anything.' },
    })
  })

  test('the service description has free endpoints only', async () => {
    const description = await readJson(PATHS.description)
    expect(description).toMatchObject({
      sandbox: false,
      network: null,
      asset: null,
      payTo: null,
      payment: null,
      paid: [],
    })
    expect(description.free.map(({ id }: { id: string }) => id)).toEqual(FREE.map(({ id }) => id))
  })

  test('the OpenAPI document has free endpoints only, and says what the others return', async () => {
    const document = await readJson(PATHS.openapi)
    expect(Object.keys(document.paths)).toEqual(FREE.map(({ path }) => path))
    expect(document.tags.map(({ name }: { name: string }) => name)).toEqual(['free'])
    expect(document.info.description).toContain(
      'This instance does not sell reports, so endpoints that are paid elsewhere return 404 `not_found` here.',
    )
    expect(Object.keys(document.components.headers)).toEqual([
      'X-Request-Id',
      'RateLimit-Policy',
      'RateLimit',
      'Retry-After',
    ])
    expect(document.info['x-guidance']).not.toMatch(/USD|402|PAYMENT/)
  })

  test('llms.txt names no price and no paid endpoint', async () => {
    const text = await readText(PATHS.llms)
    expect(text).not.toMatch(/USD|x402|PAYMENT|## Paid/)
    for (const { path } of PAID) expect(text).not.toContain(path)
    expect(text).toContain('Everything here is free.')
  })

  test('the sitemap and the catalog have no paid endpoint', async () => {
    const text = (await readText(PATHS.sitemap)) + (await readText(PATHS.apiCatalog))
    for (const operation of FREE) expect(text).toContain(endpointDocsPath(operation))
    for (const operation of PAID) {
      expect(text).not.toContain(endpointDocsPath(operation))
      expect(text).not.toContain(operation.path)
    }
  })

  test('every link works', async () => {
    const pages = await Promise.all(['/', '/docs'].map((path) => readText(path, BROWSER)))
    const relative = pages.flatMap((html) =>
      [...html.matchAll(/(?:href|src|action)="(\/[^"#]*)/g)].map(([, link = '']) => link),
    )
    const documents = await Promise.all(
      Object.keys(DISCOVERY_DOCUMENTS).map((path) => readText(path)),
    )
    const absolute = documents.flatMap((text) =>
      text
        .split(BASE_URL)
        .slice(1)
        .map((rest) => /^[^\s"'<>(){}`\\]*/.exec(rest)?.[0].replace(/[.,;:]$/, '') || '/'),
    )
    const paths = [...new Set([...relative, ...absolute])]
    expect(paths.length).toBeGreaterThan(60)
    const missing = await Promise.all(
      paths.map(async (path) => ((await app.get(path)).status === 404 ? [path] : [])),
    )
    expect(missing.flat()).toEqual([])
  })
})

describe('MCP', () => {
  const connect = () => connectMcpClient('current', BASE_URL, createAppFetch(app))

  test('has the free tools only', async () => {
    const { client } = await connect()
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['check_domain_email_security', 'pricing'])
    expect(JSON.stringify(tools)).not.toMatch(/Costs|x402/)
    expect(client.getInstructions()).not.toMatch(/paid|x402|price/)
  })

  test('the tool pricing says that nothing is for sale', async () => {
    const { callTool } = await connect()
    const { structuredContent, texts } = await callTool('pricing')
    expect(structuredContent).toMatchObject({
      free: { limit: 30, tools: [{ tool: 'check_domain_email_security' }] },
      paid: null,
    })
    expect(texts[0]).toBe(
      'Free: check_domain_email_security and pricing. This instance doesn’t sell anything.',
    )
  })

  test('names the tools there are if a paid one is called', async () => {
    const { callTool } = await connect()
    await expect(callTool('email_fix_plan', { domain: 'acme.test' })).rejects.toThrow(
      'There’s no tool with that name. The tools are check_domain_email_security, pricing.',
    )
  })
})
