/** One of those who are compared, as a process of its own. */
import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { startHttpServer } from '../packages/server/src/http/http-server.js'
import { BENCH_BASE_URL } from './pay-aims.js'
import { createMailgradeApp } from './pay-ours.js'
import { createScoreApp } from './pay-shell.js'
import { stockPaymentMiddleware } from './pay-stock.js'

const { BENCH_SERVER, BENCH_RPC, BENCH_OFFER = '{}', BENCH_ANSWER = '{}' } = process.env
const rpcUrl = BENCH_RPC || null

function appOf() {
  switch (BENCH_SERVER) {
    case 'ours':
      return createMailgradeApp(rpcUrl)
    case 'stock':
      return createScoreApp(stockPaymentMiddleware(JSON.parse(BENCH_OFFER), rpcUrl))
    case 'free':
      return createScoreApp()
    default:
      return constantApp(JSON.parse(BENCH_ANSWER))
  }
}

/** The least that a challenge can cost. */
function constantApp({ body, headers }: { body: string; headers: Record<string, string> }) {
  return new Hono().get('*', (c) => c.body(body, 402, headers))
}

const { port } = await startHttpServer((await appOf()) as never, {
  host: '127.0.0.1',
  port: 0,
  baseUrl: BENCH_BASE_URL,
  newRequestId: () => randomUUID(),
  onClientError: () => {},
})
process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => process.exit())
process.send?.(port)
