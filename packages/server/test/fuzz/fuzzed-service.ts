/** A running service with what the fuzz test needs: its API, a wallet and the checks. */
import type { PaymentRequired } from '@x402/core/types'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import type { ApiSurface } from './any-request.js'
import { type FuzzedToolResult, parseRpcResponse } from './check-mcp-response.js'
import { type CheckResponse, createResponseChecker } from './check-response.js'
import { type DescribedApi, describedOperations } from './described-api.js'
import { createFuzzWallet, type FuzzWallet } from './fuzz-wallet.js'
import { readMember } from './json-values.js'
import type { ListedTool } from './mcp-requests.js'

export type FuzzedServiceName = 'sandbox' | 'hostile'

export interface FuzzedService {
  readonly name: FuzzedServiceName
  readonly service: ServiceProcess
  readonly port: number
  readonly surface: ApiSurface
  readonly checkResponse: CheckResponse
  readonly wallet: FuzzWallet
  readonly accounting: SettlementAccounting
  /** Its standard error right after the start. */
  readonly startupStderr: string
}

const DOCUMENTS = ['/openapi.json', '/.well-known/x402', '/llms.txt', '/robots.txt', '/sitemap.xml']
const PROBES = ['/healthz', '/readyz', '/.well-known/api-catalog', '/favicon.svg']

export async function startFuzzedService(
  name: FuzzedServiceName,
  env: Record<string, string>,
): Promise<FuzzedService> {
  const service = await startServiceProcess({ RATE_LIMIT_PER_MINUTE: '1000000', ...env })
  const { url } = service
  if (!URL.canParse(url)) throw new Error(service.output.stderr)
  const get = (path: string) => fetch(url + path)
  const document = (await (await get('/openapi.json')).json()) as DescribedApi

  async function call(
    method: string,
    params: object,
  ): Promise<FuzzedToolResult & { tools?: ListedTool[] }> {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { status } = response
    return (
      parseRpcResponse({ status, headers: new Map(), body: await response.text() }).result ?? {}
    )
  }
  const callUnpaid = async (tool: string) =>
    (await call('tools/call', { name: tool, arguments: {} })).structuredContent
  const fetchPaymentRequired = async (resource: string) =>
    (resource.startsWith('/')
      ? await (await get(resource)).json()
      : await callUnpaid(resource)) as PaymentRequired

  const { tools = [] } = await call('tools/list', {})
  const sitemap = await (await get('/sitemap.xml')).text()
  return {
    name,
    service,
    port: Number(new URL(url).port),
    surface: {
      operations: describedOperations(document),
      tools: await Promise.all(
        tools.map(async (tool) => ({
          ...tool,
          isPaid: 'accepts' in ((await callUnpaid(tool.name)) ?? {}),
        })),
      ),
      pages: [...sitemapPaths(sitemap), ...DOCUMENTS, ...PROBES],
    },
    checkResponse: createResponseChecker(document),
    wallet: createFuzzWallet(fetchPaymentRequired),
    accounting: createSettlementAccounting(),
    startupStderr: service.output.stderr,
  }
}

function sitemapPaths(sitemap: string): string[] {
  return [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, loc = '']) => new URL(loc).pathname)
}

/** Records which transaction settled which payment. */
interface SettlementAccounting {
  record(payment: unknown, settlement: unknown): void
  /** Payments that were settled more than once. */
  doubleSettlements(): string[]
  settledCount(): number
}

function createSettlementAccounting(): SettlementAccounting {
  const byNonce = new Map<string, Set<string>>()
  return {
    record(payment, settlement) {
      if (readMember(settlement, 'success') !== true) return
      const nonce = String(readMember(payment, 'payload', 'authorization', 'nonce'))
      const transactions = byNonce.get(nonce) ?? new Set()
      byNonce.set(nonce, transactions.add(String(readMember(settlement, 'transaction'))))
    },
    doubleSettlements: () =>
      [...byNonce]
        .filter(([, transactions]) => transactions.size > 1)
        .map(
          ([nonce, transactions]) => `${nonce} was charged twice: ${[...transactions].join(' ')}`,
        ),
    settledCount: () => byNonce.size,
  }
}
