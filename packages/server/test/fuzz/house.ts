/** A running service with everything that is needed to fuzz it: who is there, what it sells, its rules. */
import type { PaymentRequired } from '@x402/core/types'
import { type Service, startService } from '../support/service.js'
import { type Judge, judgeBy } from './answers.js'
import { type Books, openBooks } from './books.js'
import { rpcAnswerIn, type ToolResult } from './mcp-answers.js'
import type { ListedTool } from './mcp-messages.js'
import { type OpenApi, operationsIn } from './open-api.js'
import type { Premises } from './plans.js'
import { openWallet, type Wallet } from './wallet.js'

export interface House {
  readonly name: string
  readonly service: Service
  readonly port: number
  readonly premises: Premises
  readonly judge: Judge
  readonly wallet: Wallet
  readonly books: Books
  /** What it had said when it opened. */
  readonly banner: string
}

const DOCUMENTS = ['/openapi.json', '/.well-known/x402', '/llms.txt', '/robots.txt', '/sitemap.xml']
const PROBES = ['/healthz', '/readyz', '/.well-known/api-catalog', '/favicon.svg']

export async function openHouse(name: string, env: Record<string, string>): Promise<House> {
  const service = await startService({ RATE_LIMIT_PER_MINUTE: '1000000', ...env })
  const { url } = service
  if (!URL.canParse(url)) throw new Error(service.output.stderr)
  const get = (path: string) => fetch(url + path)
  const document = (await (await get('/openapi.json')).json()) as OpenApi

  async function call(
    method: string,
    params: object,
  ): Promise<ToolResult & { tools?: ListedTool[] }> {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { status } = response
    return rpcAnswerIn({ status, headers: new Map(), body: await response.text() }).result ?? {}
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
    premises: {
      operations: operationsIn(document),
      tools: await Promise.all(
        tools.map(async (tool) => ({
          ...tool,
          isPaid: 'accepts' in ((await priceOf(tool.name)) ?? {}),
        })),
      ),
      pages: [...pathsIn(sitemap), ...DOCUMENTS, ...PROBES],
    },
    judge: judgeBy(document),
    wallet: openWallet(offerOf),
    books: openBooks(),
    banner: service.output.stderr,
  }
}

function pathsIn(sitemap: string): string[] {
  return [...sitemap.matchAll(/<loc>([^<]+)/g)].map(([, loc = '']) => new URL(loc).pathname)
}
