/** A running service with everything that is needed to fuzz it: who is there, what it sells, its rules. */
import type { PaymentRequired } from '@x402/core/types'
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js'
import type { ApiSurface } from './any-request.js'
import { type FuzzedToolResult, parseRpcResponse } from './check-mcp-response.js'
import { type CheckResponse, createResponseChecker } from './check-response.js'
import { type DescribedApi, describedOperations } from './described-api.js'
import { createFuzzWallet, type FuzzWallet } from './fuzz-wallet.js'
import type { ListedTool } from './fuzzed-mcp-messages.js'
import { createSettlementAccounting, type SettlementAccounting } from './settlement-accounting.js'

export interface FuzzedService {
  readonly name: string
  readonly service: ServiceProcess
  readonly port: number
  readonly surface: ApiSurface
  readonly checkResponse: CheckResponse
  readonly wallet: FuzzWallet
  readonly accounting: SettlementAccounting
  /** What it had said when it opened. */
  readonly startupStderr: string
}

const DOCUMENTS = ['/openapi.json', '/.well-known/x402', '/llms.txt', '/robots.txt', '/sitemap.xml']
const PROBES = ['/healthz', '/readyz', '/.well-known/api-catalog', '/favicon.svg']

export async function startFuzzedService(
  name: string,
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
  const priceOf = async (tool: string) =>
    (await call('tools/call', { name: tool, arguments: {} })).structuredContent
  const offerOf = async (asked: string) =>
    (asked.startsWith('/')
      ? await (await get(asked)).json()
      : await priceOf(asked)) as PaymentRequired

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
          isPaid: 'accepts' in ((await priceOf(tool.name)) ?? {}),
        })),
      ),
      pages: [...pathsIn(sitemap), ...DOCUMENTS, ...PROBES],
    },
    checkResponse: createResponseChecker(document),
    wallet: createFuzzWallet(offerOf),
    accounting: createSettlementAccounting(),
    startupStderr: service.output.stderr,
  }
}

function pathsIn(sitemap: string): string[] {
  return [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, loc = '']) => new URL(loc).pathname)
}
