import net from 'node:net'
import { Hono } from 'hono'
import { afterEach, expect, test } from 'vitest'
import type { HttpEnv } from './http-env.js'
import { type RunningServer, startServer } from './server.js'

const limits = {
  headersTimeout: 100,
  requestTimeout: 200,
  connectionsCheckingInterval: 20,
  keepAliveTimeout: 1_000,
  maxConnections: 2,
}

let server: RunningServer
afterEach(() => server.stop(0, 0))

async function start(): Promise<void> {
  const app = new Hono<HttpEnv>().get('/', (c) => c.text('hello'))
  server = await startServer(app, { host: '127.0.0.1', port: 0 }, limits)
}

/** Everything the server says until it hangs up. */
async function hear(socket: net.Socket): Promise<string> {
  let heard = ''
  for await (const chunk of socket) heard += chunk
  return heard
}

test('a peer that never finishes its headers is cut off', async () => {
  await start()
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
  expect(await hear(socket)).toMatch(/^HTTP\/1\.1 408 /)
})

test('so is one that never finishes its body', async () => {
  await start()
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write('POST /nothing HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nslow')
  expect(await hear(socket)).toContain('HTTP/1.1 408 ')
})

test('one connection more than allowed is refused', async () => {
  await start()
  const connect = () =>
    new Promise<net.Socket>((resolve) => {
      const socket = net.connect(server.port, '127.0.0.1', () => resolve(socket))
    })
  const [first, second] = [await connect(), await connect()]
  expect(await hear(await connect())).toBe('')
  first.end('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  expect(await hear(first)).toContain('hello')
  second.destroy()
})
