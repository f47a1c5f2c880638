/** The service as discovery clients see it: live, live under a path, and in the sandbox. */

import { zoneDns } from '@mailgrade/testing/test-zone-dns'
import { NETWORKS } from '../../src/payments/payment-terms.js'
import { CLOSED_PAYMENT_BACKEND, createTestApp, type TestApp } from './test-app.js'

const LIVE = {
  PAY_TO_ADDRESS: CLOSED_PAYMENT_BACKEND.terms.payTo,
  FACILITATOR_URL: 'http://127.0.0.1:9',
}

/** The sandbox chain has the id of the test network. */
const SANDBOX_PAYMENT_BACKEND = {
  ...CLOSED_PAYMENT_BACKEND,
  terms: {
    ...CLOSED_PAYMENT_BACKEND.terms,
    network: 'eip155:84532',
    asset: NETWORKS['eip155:84532'].usdc,
  },
} as const

export interface Deployment {
  readonly name: string
  readonly baseUrl: string
  readonly isSandbox: boolean
}

export const DEPLOYMENTS: readonly Deployment[] = [
  { name: 'a live service', baseUrl: 'https://mailgrade.example', isSandbox: false },
  { name: 'a live service under a path', baseUrl: 'https://x.example/mail', isSandbox: false },
  { name: 'a sandbox', baseUrl: 'http://localhost:3000', isSandbox: true },
]

/** All documents with their media types. */
export const DISCOVERY_DOCUMENTS: Readonly<Record<string, string>> = {
  '/': 'application/json',
  '/openapi.json': 'application/json',
  '/.well-known/x402': 'application/json',
  '/.well-known/x402.json': 'application/json',
  '/llms.txt': 'text/plain; charset=utf-8',
  '/.well-known/api-catalog':
    'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
  '/sitemap.xml': 'application/xml',
  '/robots.txt': 'text/plain; charset=utf-8',
  '/.well-known/ai-catalog.json': 'application/ai-catalog+json',
  '/mcp/server-card': 'application/mcp-server-card+json',
  '/.well-known/mcp/server-card.json': 'application/mcp-server-card+json',
}

export interface DeployedApp extends TestApp {
  /** Fetches one of our public URLs, as a proxy in front of the service would. */
  fetchUrl(url: string): Promise<Response>
}

export function deployApp(
  { baseUrl, isSandbox }: Omit<Deployment, 'name'>,
  env: Record<string, string> = {},
): DeployedApp {
  const dns = {
    ...zoneDns('example.com. TXT "v=spf1 -all"'),
    resolvers: [{ name: 'zone', isAnswering: async () => true, isPaused: () => false }],
  }
  const app = createTestApp(dns, {
    env: { BASE_URL: baseUrl, ...(isSandbox ? {} : LIVE), ...env },
    paymentBackend: isSandbox ? SANDBOX_PAYMENT_BACKEND : CLOSED_PAYMENT_BACKEND,
  })
  return {
    ...app,
    fetchUrl: async (url) => {
      if (!url.startsWith(baseUrl)) throw new Error(`${url} is not below ${baseUrl}`)
      return app.get(url.slice(baseUrl.length) || '/')
    },
  }
}

/** The links of a Link header (RFC 8288), by relation. */
export function parseLinkHeader(header: string | null): Record<string, string> {
  const links = (header ?? '').split(/, (?=<)/).map((link) => {
    const [, url = '', relation = ''] =
      /^<([^<>]+)>; rel="([a-z-]+)"(; type="[^"]+")?$/.exec(link) ?? []
    return [relation, url]
  })
  return Object.fromEntries(links)
}
