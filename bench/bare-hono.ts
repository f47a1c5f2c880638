/**
 * Hono and nothing else, on the same server: the ceiling. It answers with a short JSON, or with
 * whatever it is given, to the letter: what the service sends as 402 and 429.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import './report-usage.js'

export interface ConstantResponse {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

const constants: Record<string, ConstantResponse> = JSON.parse(process.env.BENCH_CONSTANTS ?? '{}')
const app = new Hono()
app.get('/short', (c) => c.json({ status: 'ok' }))
for (const [path, { status, headers, body }] of Object.entries(constants)) {
  app.get(path, () => new Response(body, { status, headers }))
}
const server = createServer(getRequestListener(app.fetch))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
