/** Hono alone on the same HTTP server, as a ceiling. It sends a short JSON or fixed responses. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import './report-usage.js'
import type { FixedResponse } from './http-load.js'

const responses: Record<string, FixedResponse> = JSON.parse(process.env.BENCH_RESPONSES ?? '{}')
const app = new Hono()
app.get('/short', (c) => c.json({ status: 'ok' }))
for (const [path, { status, headers, body }] of Object.entries(responses)) {
  app.get(path, () => new Response(body, { status, headers }))
}
const server = createServer(getRequestListener(app.fetch))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
