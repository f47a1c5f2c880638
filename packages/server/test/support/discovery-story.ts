/** The service as a machine comes upon it: live, in the sandbox, and under a path of a host. */

import { world } from '@mailgrade/testing/world'
import { NETWORKS } from '../../src/payments/terms.js'
import { CLOSED_TILL, type TestApp, testApp } from './test-app.js'

const LIVE = {
  PAY_TO_ADDRESS: CLOSED_TILL.terms.payTo,
  FACILITATOR_URL: 'http://127.0.0.1:9',
}

/** Its own chain has the id of the test network. */
const SANDBOX_TILL = {
  ...CLOSED_TILL,
  terms: {
    ...CLOSED_TILL.terms,
    network: 'eip155:84532',
    asset: NETWORKS['eip155:84532'].usdc,
  },
} as const

export interface Deployment {
  readonly kind: string
  readonly baseUrl: string
  readonly isSandbox: boolean
}

export const DEPLOYMENTS: readonly Deployment[] = [
  { kind: 'a live service', baseUrl: 'https://mailgrade.example', isSandbox: false },
  { kind: 'a live service under a path', baseUrl: 'https://x.example/mail', isSandbox: false },
  { kind: 'a sandbox', baseUrl: 'http://localhost:3000', isSandbox: true },
]

/** All documents, and the media type of each. */
export const DOCUMENTS: Readonly<Record<string, string>> = {
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

export interface Visit extends TestApp {
  /** What stands at an address of ours, as whatever is in front of us would have it fetched. */
  follow(url: string): Promise<Response>
}

export function visit(
  { baseUrl, isSandbox }: Omit<Deployment, 'kind'>,
  env: Record<string, string> = {},
): Visit {
  const dns = {
    ...world('example.com. TXT "v=spf1 -all"'),
    resolvers: [{ name: 'zone', isAnswering: async () => true, isResting: () => false }],
  }
  const app = testApp(dns, {
    env: { BASE_URL: baseUrl, ...(isSandbox ? {} : LIVE), ...env },
    till: isSandbox ? SANDBOX_TILL : CLOSED_TILL,
  })
  return {
    ...app,
    follow: async (url) => {
      if (!url.startsWith(baseUrl)) throw new Error(`${url} leads away from ${baseUrl}`)
      return app.get(url.slice(baseUrl.length) || '/')
    },
  }
}

/** The links of a header (RFC 8288), by relation. */
export function linksIn(header: string | null): Record<string, string> {
  const links = (header ?? '').split(/, (?=<)/).map((link) => {
    const [, url = '', relation = ''] =
      /^<([^<>]+)>; rel="([a-z-]+)"(; type="[^"]+")?$/.exec(link) ?? []
    return [relation, url]
  })
  return Object.fromEntries(links)
}
