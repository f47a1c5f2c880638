/** Whether a response reached the network, seen with real connections. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ServerType, serve } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test } from 'vitest'
import { createReadRequestContext } from './request-context.js'
import type { HttpEnv } from './respond.js'

/** More than the buffers of a connection hold. */
const BODY = 'x'.repeat(20_000_000)

async function startServer() {
  const readContext = createReadRequestContext(() => 'caller')
  let sent = 0
  let closed: Promise<unknown> = Promise.resolve()
  const app = new Hono<HttpEnv>().get('/', (c) => {
    readContext(c).onSent(() => sent++)
    if (c.env.outgoing) closed = once(c.env.outgoing, 'close')
    return c.text(BODY)
  })
  const server: ServerType = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, app, closed: () => closed, sent: () => sent }
}

test.each([
  ['kept', 'keep-alive'],
  ['closed then', 'close'],
])(
  'a response counts as sent when it was written, on a connection that is %s',
  async (_, connection) => {
    const { url, closed, sent } = await startServer()
    const [response] = await once(http.get(url, { headers: { connection } }), 'response')
    expect(sent()).toBe(0)
    response.resume()
    await Promise.all([once(response, 'end'), closed()])
    expect(sent()).toBe(1)
  },
)

test('a response does not count as sent when the connection is lost', async () => {
  const { url, closed, sent } = await startServer()
  const [response] = await once(http.get(url), 'response')
  response.on('error', () => {})
  response.destroy()
  await closed()
  expect(sent()).toBe(0)
})

test('a response without a connection is sent', async () => {
  const { app, sent } = await startServer()
  await app.request('/', {}, {})
  expect(sent()).toBe(1)
})
