import { EventEmitter, once } from 'node:events'
import net from 'node:net'
import { Hono } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import type { HttpEnv } from './http-env.js'
import { type RunningHttpServer, startHttpServer } from './http-server.js'

const limits = {
  headersTimeout: 100,
  requestTimeout: 200,
  connectionsCheckingInterval: 20,
  keepAliveTimeout: 1_000,
  maxConnections: 2,
}

let server: RunningHttpServer
const refused: [string, number][] = []
const OPTIONS = {
  host: '127.0.0.1',
  port: 0,
  limits,
  baseUrl: 'https://mailgrade.example',
  newRequestId: () => 'id-1',
  onClientError: (requestId: string, _: string, status: number) =>
    refused.push([requestId, status]),
}
afterEach(async () => {
  refused.length = 0
  await server.stop(0, 0)
})

async function start(): Promise<void> {
  const app = new Hono<HttpEnv>().get('/', (c) => c.text('hello'))
  server = await startHttpServer(app, OPTIONS)
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
  const answer = await hear(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  expect(answer).toContain('"code":"request_timeout"')
  expect(refused).toEqual([['id-1', 408]])
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

test('a HEAD that cannot be read is refused without a body, as any other', async () => {
  await start()
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write('HEAD /?domain=b\u00fccher.de HTTP/1.1\r\nhost: a\r\n\r\n')
  const [head, body] = (await hear(socket)).split('\r\n\r\n')
  expect(head).toContain('HTTP/1.1 400 Bad Request')
  expect(body).toBe('')
})

test('what else is expected of us is not what we answer by', async () => {
  await start()
  const socket = net.connect(server.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nexpect: cake\r\nconnection: close\r\n\r\n')
  expect(await hear(socket)).toContain('HTTP/1.1 200 OK')
})

describe('what never becomes a request is refused with a problem all the same', () => {
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
    ['no HTTP at all', '\x16\x03\x01nonsense\r\n\r\n', 400, 'malformed_request'],
    [
      'an address that is not encoded',
      'GET /?domain=b\u00fccher.de HTTP/1.1\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'a host that is none',
      'GET / HTTP/1.1\r\nhost: a b\r\nconnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    ['no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'malformed_request'],
    [
      'an asterisk',
      'OPTIONS * HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
      400,
      'malformed_request',
    ],
    [
      'headers beyond all measure',
      `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
  ])('%s', async (_, sent, status, code) => {
    await start()
    const socket = net.connect(server.port, '127.0.0.1')
    socket.write(sent)
    const [head = '', body = ''] = (await hear(socket)).split('\r\n\r\n')
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

  test('but a health check by HTTP/1.0 names no host and is welcome', async () => {
    await start()
    const socket = net.connect(server.port, '127.0.0.1')
    socket.write('GET / HTTP/1.0\r\n\r\n')
    expect(await hear(socket)).toMatch(/^HTTP\/1\.1 200 [\s\S]*hello$/)
  })
})

test('a request that outlasts the grace is the last thing waited for', async () => {
  const door = new EventEmitter()
  const app = new Hono<HttpEnv>().get('/', async (c) => {
    const released = once(door, 'release')
    door.emit('entered')
    await released
    return c.text('hello')
  })
  server = await startHttpServer(app, {
    ...OPTIONS,
    limits: { ...limits, keepAliveTimeout: 60_000 },
  })
  const entered = once(door, 'entered')
  const answer = fetch(`http://127.0.0.1:${server.port}/`)
  await entered

  // No deadline worth the name: it stops when the request is done, or this test never ends.
  const stopped = server.stop(0, 600_000)
  door.emit('release')

  expect(await (await answer).text()).toBe('hello')
  await stopped
})
