import { EventEmitter, once } from 'node:events'
import net from 'node:net'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import { type RunningHttpServer, startHttpServer } from './http-server.js'
import type { HttpEnv } from './respond.js'

/** Whatever else the machine does, no request is late. */
const limits = {
  headersTimeout: 600_000,
  requestTimeout: 600_000,
  connectionsCheckingInterval: 20,
  keepAliveTimeout: 60_000,
  maxConnections: 2,
}

let server: RunningHttpServer
const rejected: [string, number][] = []
const OPTIONS = {
  host: '127.0.0.1',
  port: 0,
  limits,
  baseUrl: 'https://mailgrade.example',
  newRequestId: () => 'id-1',
  onClientError: (requestId: string, _: string, status: number) =>
    rejected.push([requestId, status]),
}
afterEach(async () => {
  rejected.length = 0
  await server.stop(0, 0)
})

async function start(timeouts: Partial<typeof limits> = {}): Promise<void> {
  const app = new Hono<HttpEnv>().get('/', (c) => c.text('hello'))
  server = await startHttpServer(app, { ...OPTIONS, limits: { ...limits, ...timeouts } })
}

/** Reads the response until the server closes the connection. */
async function readAll(socket: net.Socket): Promise<string> {
  let received = ''
  for await (const chunk of socket) received += chunk
  return received
}

test('closes a connection that never finishes its headers', async () => {
  await start({ headersTimeout: 100, requestTimeout: 200 })
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
  const response = await readAll(socket)
  expect(response).toMatch(/^HTTP\/1\.1 408 /)
  expect(response).toContain('"code":"request_timeout"')
  expect(rejected).toEqual([['id-1', 408]])
})

test('closes a connection that never finishes its body', async () => {
  await start({ headersTimeout: 100, requestTimeout: 200 })
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write('POST /nothing HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\nslow')
  expect(await readAll(socket)).toContain('HTTP/1.1 408 ')
})

test('rejects connections above the limit', async () => {
  await start()
  const connect = () =>
    new Promise<net.Socket>((resolve) => {
      const socket = net.connect(server.port, '127.0.0.1', () => resolve(socket))
    })
  const [first, second] = [await connect(), await connect()]
  expect(await readAll(await connect())).toBe('')
  first.end('GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
  expect(await readAll(first)).toContain('hello')
  second.destroy()
})

test('a connection above the limit closes those that are idle', async () => {
  await start()
  const get = 'GET / HTTP/1.1\r\nhost: localhost\r\n'
  const idle = [net.connect(server.port, '127.0.0.1'), net.connect(server.port, '127.0.0.1')]
  for (const socket of idle) {
    socket.write(`${get}\r\n`)
    await once(socket, 'data')
  }
  expect(await readAll(net.connect(server.port, '127.0.0.1'))).toBe('')
  expect(await Promise.all(idle.map(readAll))).toEqual(['', ''])
  const next = net.connect(server.port, '127.0.0.1')
  next.write(`${get}connection: close\r\n\r\n`)
  expect(await readAll(next)).toContain('hello')
})

test('rejects a malformed HEAD without a body', async () => {
  await start()
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write('HEAD /?domain=b\u00fccher.de HTTP/1.1\r\nhost: a\r\n\r\n')
  const [head, body] = (await readAll(socket)).split('\r\n\r\n')
  expect(head).toContain('HTTP/1.1 400 Bad Request')
  expect(body).toBe('')
})

test('ignores unknown expectations', async () => {
  await start()
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nexpect: cake\r\nconnection: close\r\n\r\n')
  expect(await readAll(socket)).toContain('HTTP/1.1 200 OK')
})

test('ignores an upgrade, and closes the connection, whatever was sent behind it', async () => {
  await start()
  const socket = net.connect(server.port, '127.0.0.1')
  const get = 'GET / HTTP/1.1\r\nhost: a\r\n'
  socket.write(`${get}connection: upgrade\r\nupgrade: h2c\r\n\r\n${get}\r\n`)
  const [head, ...bodies] = (await readAll(socket)).split('\r\n\r\n')
  expect(head).toContain('HTTP/1.1 200 OK')
  expect(head?.toLowerCase()).toContain('connection: close')
  expect(bodies).toEqual(['hello'])
})

describe('answers malformed HTTP with a problem', () => {
  const problem = (status: number, code: string) => ({
    status,
    type: 'application/problem+json',
    id: 'id-1',
    body: expect.objectContaining({
      type: `https://mailgrade.example/problems/${code.replaceAll('_', '-')}`,
      code,
      status,
      requestId: 'id-1',
    }),
  })

  test.each([
    ['not HTTP', '\x16\x03\x01nonsense\r\n\r\n', 400, 'malformed_request'],
    [
      'a URL that is not encoded',
      'GET /?domain=b\u00fccher.de HTTP/1.1\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'an invalid host',
      'GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'malformed_request'],
    [
      'two hosts',
      'GET / HTTP/1.1\r\nhost: a\r\nHOST: b\r\nconnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'the same host twice',
      'GET / HTTP/1.1\r\nhost: a\r\nhost: a\r\nconnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'two hosts in HTTP/1.0',
      'GET / HTTP/1.0\r\nhost: a\r\nhost: b\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'an asterisk',
      'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    [
      'more headers than Node keeps',
      `GET / HTTP/1.1\r\nhost: a\r\n${'x: y\r\n'.repeat(99)}\r\n`,
      431,
      'headers_too_large',
    ],
  ])('%s', async (_, sent, status, code) => {
    await start()
    const socket = net.connect(server.port, '127.0.0.1')
    socket.write(sent)
    const [head = '', body = ''] = (await readAll(socket)).split('\r\n\r\n')
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim()
    expect({
      status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]),
      type: header('content-type'),
      id: header('x-request-id'),
      body: JSON.parse(body),
    }).toEqual(problem(status, code))
    expect([header('x-content-type-options'), header('access-control-allow-origin')]).toEqual([
      'nosniff',
      '*',
    ])
    const length = header('content-length')
    if (length) expect(Number(length)).toBe(Buffer.byteLength(body))
  })

  test('accepts 99 header fields, and says so above', async () => {
    await start()
    const send = async (fields: number) => {
      const socket = net.connect(server.port, '127.0.0.1')
      const others = 'x: y\r\n'.repeat(fields - 2)
      socket.write(`GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${others}\r\n`)
      return readAll(socket)
    }
    expect(await send(99)).toMatch(/hello$/)
    expect(await send(100)).toContain(
      '"detail":"The headers can have at most 16 KB in total, in at most 99 fields."',
    )
  })

  test('accepts HTTP/1.0 without a host, as health checks send it', async () => {
    await start()
    const socket = net.connect(server.port, '127.0.0.1')
    socket.write('GET / HTTP/1.0\r\n\r\n')
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*hello$/)
  })
})

test('stops as soon as the last request in flight is done', async () => {
  const events = new EventEmitter()
  const app = new Hono<HttpEnv>().get('/', async (c) => {
    const released = once(events, 'release')
    events.emit('entered')
    await released
    return c.text('hello')
  })
  server = await startHttpServer(app, OPTIONS)
  const entered = once(events, 'entered')
  const response = fetch(`http://127.0.0.1:${server.port}/`)
  await entered

  // The deadline is far away, so only the end of the request can stop it.
  const stopped = server.stop(0, 600_000)
  events.emit('release')

  expect(await (await response).text()).toBe('hello')
  await stopped
})
