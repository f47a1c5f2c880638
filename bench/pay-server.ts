/** One of those who are compared, as a process of its own. */
import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { startServer } from '../packages/server/src/http/server.js'
import { BASE_URL } from './pay-aims.js'
import { ourApp } from './pay-ours.js'
import { reportApp } from './pay-shell.js'
import { stockGate } from './pay-stock.js'

const { BENCH_SERVER, BENCH_RPC, BENCH_OFFER = '{}', BENCH_ANSWER = '{}' } = process.env
const rpcUrl = BENCH_RPC || null

function appOf() {
  switch (BENCH_SERVER) {
    case 'ours':
      return ourApp(rpcUrl)
    case 'stock':
      return reportApp(stockGate(JSON.parse(BENCH_OFFER), rpcUrl))
    case 'free':
      return reportApp()
    default:
      return constantApp(JSON.parse(BENCH_ANSWER))
  }
}

/** The least that a challenge can cost. */
function constantApp({ body, headers }: { body: string; headers: Record<string, string> }) {
  return new Hono().get('*', (c) => c.body(body, 402, headers))
}

const { port } = await startServer((await appOf()) as never, {
  host: '127.0.0.1',
  port: 0,
  baseUrl: BASE_URL,
  newRequestId: () => randomUUID(),
  onRefused: () => {},
})
process.on('message', () => process.send?.(process.cpuUsage()))
process.on('disconnect', () => process.exit())
process.send?.(port)
