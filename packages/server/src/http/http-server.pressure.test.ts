import { once } from 'node:events'
import net from 'node:net'
import { Hono } from 'hono'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createHold } from '../../test/support/hold.js'
import { type HttpServerOptions, startHttpServer } from './http-server.js'
import type { HttpEnv } from './respond.js'

/** More than the buffers of both kernels hold. */
const LARGE = 'x'.repeat(32_000_000)

/** `/held` waits for the test, `/large` is larger than any buffer, POST sends back the body. */
async function start(options: Partial<HttpServerOptions> = {}) {
  const hold = createHold()
  const started: string[] = []
  const app = new Hono<HttpEnv>()
  app.get('/held', async (c) => {
    started.push(c.req.path)
    await hold.wait()
    return c.text('held')
  })
  app.get('/large', (c) => {
    started.push(c.req.path)
    return c.text(LARGE)
  })
  app.get('/', (c) => c.text('hello'))
  app.post('/', async (c) => {
    const body = await c.req.arrayBuffer()
    started.push(c.req.path)
    return c.body(body)
  })
  const rejected: [string, number][] = []
  const { limits, ...others } = options
  const server = await startHttpServer(app, {
    host: '127.0.0.1',
    port: 0,
    // Whatever else the machine does, no request is late.
    limits: {
      headersTimeout: 600_000,
      requestTimeout: 600_000,
      connectionsCheckingInterval: 20,
      ...limits,
    },
    baseUrl: 'https://mailgrade.example',
    newRequestId: () => 'id-1',
    onClientError: (_, code, status) => rejected.push([code, status]),
    ...others,
  })
  onTestFinished(async () => {
    hold.release()
    await server.stop(0, 0)
  })
  return {
    hold,
    rejected,
    started,
    async connect(socketOptions: { allowHalfOpen?: boolean } = {}) {
      const socket = net.connect({ port: server.port, host: '127.0.0.1', ...socketOptions })
      socket.on('error', () => {})
      onTestFinished(() => void socket.destroy())
      await once(socket, 'connect')
      return socket
    },
  }
}

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'host: a', ...headers, '', ''].join('\r\n')
const getAndClose = (path: string, ...headers: string[]) =>
  get(path, 'connection: close', ...headers)

/** Without an error if the connection is broken off. */
async function readAll(socket: net.Socket): Promise<string> {
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  socket.resume()
  if (!socket.closed) await once(socket, 'close')
  return received
}

const statusOf = async (socket: net.Socket) => (await readAll(socket)).slice(9, 12)

async function readAnswers(socket: net.Socket, count: number): Promise<void> {
  let received = ''
  while ((received.match(/hello/g) ?? []).length < count) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    received += chunk.toString()
  }
}

async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve))
}

describe('requests that one connection sends ahead', () => {
  test('close it above 20, and the work on them stops', async () => {
    const { connect, started } = await start({ limits: { unansweredPerCaller: 21 } })
    const socket = await connect()
    socket.write(get('/held').repeat(21))
    expect(await readAll(socket)).toBe('')
    expect(started).toHaveLength(20)
    // None of them counts for the caller any more: there is room for 21 others.
    const held = await connect()
    held.write(get('/held').repeat(20))
    await waitFor(() => started.length === 40)
    const next = await connect()
    next.write(getAndClose('/'))
    expect(await statusOf(next)).toBe('200')
  })

  test('are answered up to 20, and then again', async () => {
    const { connect } = await start()
    const socket = await connect()
    socket.write(get('/').repeat(20))
    await readAnswers(socket, 20)
    socket.write(get('/').repeat(19) + getAndClose('/'))
    expect((await readAll(socket)).match(/hello/g)).toHaveLength(20)
  })
})

describe('requests in progress', () => {
  test('of one caller are limited, on any number of connections', async () => {
    const { connect, hold, started, rejected } = await start({ limits: { unansweredPerCaller: 2 } })
    const held = [await connect(), await connect()]
    for (const socket of held) socket.write(getAndClose('/held'))
    await waitFor(() => started.length === 2)
    const third = await connect()
    third.write(getAndClose('/'))
    const answer = await readAll(third)
    expect(answer).toContain('HTTP/1.1 429 ')
    expect(answer).toContain('Retry-After: 1')
    expect(answer).toContain('"code":"rate_limited"')
    expect(answer).toContain('"retryAfterSeconds":1')
    expect(rejected).toEqual([['rate_limited', 429]])
    hold.release()
    expect(await Promise.all(held.map(statusOf))).toEqual(['200', '200'])
    const fourth = await connect()
    fourth.write(getAndClose('/'))
    expect(await statusOf(fourth)).toBe('200')
  })

  test('behind a proxy are those of the address that it adds', async () => {
    const { connect, hold } = await start({
      trustProxyHops: 1,
      limits: { unansweredPerCaller: 1, connectionsPerCaller: 1 },
    })
    const first = await connect()
    first.write(getAndClose('/held', 'x-forwarded-for: 192.0.2.1'))
    await hold.reached
    const statuses: string[] = []
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.2, 192.0.2.1']) {
      const socket = await connect()
      socket.write(getAndClose('/', `x-forwarded-for: ${address}`))
      statuses.push(await statusOf(socket))
    }
    expect(statuses).toEqual(['429', '200', '429'])
  })

  test('that are rejected behind an unread answer close their connection and fill nothing', async () => {
    const { connect, hold } = await start({
      trustProxyHops: 1,
      limits: { unansweredPerCaller: 2, unanswered: 4 },
    })
    const from = (address: string) => `x-forwarded-for: ${address}`
    const held = [await connect(), await connect()]
    for (const socket of held) socket.write(get('/held', from('192.0.2.1')))
    await hold.reached
    for (const socket of held) {
      socket.write(get('/', from('192.0.2.1')).repeat(10))
      expect(await readAll(socket)).toBe('')
    }
    const other = await connect()
    other.write(getAndClose('/', from('192.0.2.2')))
    expect(await statusOf(other)).toBe('200')
  })

  test('of all callers leave room to ask whether the process is alive', async () => {
    const { connect, hold } = await start({ trustProxyHops: 1, limits: { unanswered: 1 } })
    const first = await connect()
    first.write(getAndClose('/held', 'x-forwarded-for: 192.0.2.1'))
    await hold.reached
    const probe = await connect()
    probe.write(getAndClose('/healthz', 'x-forwarded-for: 192.0.2.2'))
    expect(await statusOf(probe)).toBe('404')
  })

  test('of all callers are limited, too', async () => {
    const { connect, hold } = await start({ trustProxyHops: 1, limits: { unanswered: 1 } })
    const first = await connect()
    first.write(getAndClose('/held', 'x-forwarded-for: 192.0.2.1'))
    await hold.reached
    const second = await connect()
    second.write(getAndClose('/', 'x-forwarded-for: 192.0.2.2'))
    const answer = await readAll(second)
    expect(answer).toContain('HTTP/1.1 503 ')
    expect(answer).toContain('"code":"overloaded"')
  })
})

test('connections of one caller are limited', async () => {
  const { connect } = await start({ limits: { connectionsPerCaller: 2 } })
  const [first] = [await connect(), await connect()]
  expect(await readAll(await connect())).toBe('')
  first.end(getAndClose('/'))
  expect(await readAll(first)).toContain('hello')
  const again = await connect()
  again.write(getAndClose('/'))
  expect(await statusOf(again)).toBe('200')
})

describe('answers that nobody reads', () => {
  test('are given up above the limit, beginning with the caller that has the most', async () => {
    const { connect, started } = await start({
      trustProxyHops: 1,
      limits: { unsentBytes: 70_000_000 },
    })
    const request = async (caller: string) => {
      const socket = await connect()
      socket.pause()
      socket.write(getAndClose('/large', `x-forwarded-for: ${caller}`))
      const count = started.length + 1
      await waitFor(() => started.length === count)
      return socket
    }
    const patient = await request('192.0.2.1')
    const greedy = [await request('192.0.2.2'), await request('192.0.2.2')]
    const received = await Promise.all([patient, ...greedy].map(readAll))
    expect(received.map((answer) => answer.endsWith(LARGE))).toEqual([true, false, true])
  })

  test('close their connection when they take too long', async () => {
    const { connect, started } = await start({ limits: { answerMs: 50, unansweredPerCaller: 1 } })
    const slow = await connect()
    slow.pause()
    slow.write(get('/large'))
    await waitFor(() => started.length === 1)
    // Another request of this caller is accepted only when that one is over.
    let status = ''
    while (status !== '200') {
      const next = await connect()
      next.write(getAndClose('/'))
      status = await statusOf(next)
    }
    expect((await readAll(slow)).length).toBeLessThan(LARGE.length)
  })
})

test('a connection that sends nothing is closed, also if its client keeps it open', async () => {
  const { connect } = await start({ limits: { headersTimeout: 50, requestTimeout: 100 } })
  const socket = await connect({ allowHalfOpen: true })
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  await once(socket, 'end')
  expect(received).toContain(' 408 ')
  expect(socket.writable).toBe(true)
  // Our side is gone: what it sends is refused.
  while (!socket.destroyed) {
    socket.write('x')
    await new Promise((resolve) => setImmediate(resolve))
  }
})

test('a malformed request is not answered before the requests ahead of it', async () => {
  const { connect, hold } = await start()
  const socket = await connect()
  socket.write(get('/held'))
  await hold.reached
  socket.write('no request\r\n\r\n')
  expect(await readAll(socket)).toBe('')
})

describe('a request that waits for 100 Continue', () => {
  const post = (...headers: string[]) =>
    ['POST / HTTP/1.1', 'host: a', 'expect: 100-continue', ...headers, '', ''].join('\r\n')
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

  test('gets it before its answer', async () => {
    const { connect } = await start()
    const socket = await connect()
    socket.write(post('content-length: 4', 'connection: close'))
    expect(String(await once(socket, 'data'))).toBe(CONTINUE)
    socket.write('body')
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 200 OK\r\n.*\r\n\r\nbody$/s)
  })

  test('gets it after the answer to the request ahead of it', async () => {
    const { connect, hold } = await start()
    const socket = await connect()
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write(get('/held') + post('content-length: 4', 'connection: close'))
    await hold.reached
    expect(received).toBe('')
    hold.release()
    await waitFor(() => received.endsWith(`held${CONTINUE}`))
    socket.write('body')
    await once(socket, 'close')
    expect(received).toMatch(/\r\n\r\nbody$/)
  })

  test('does not get it within its answer when it did not wait', async () => {
    const { connect, hold, started } = await start()
    const socket = await connect()
    socket.write(`${get('/held')}${post('content-length: 4', 'connection: close')}body`)
    await hold.reached
    await waitFor(() => started.length === 2)
    hold.release()
    const answer = (await readAll(socket)).split('held')[1]
    expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(answer).toMatch(/\r\n\r\nbody$/)
    expect(answer).not.toContain('100 Continue')
  })

  test('does not get it when it is answered without its body', async () => {
    const { connect, hold } = await start({ limits: { unansweredPerCaller: 1 } })
    const held = await connect()
    held.write(get('/held'))
    await hold.reached
    const socket = await connect()
    socket.write(post('content-length: 4'))
    expect(await readAll(socket)).toMatch(/^HTTP\/1.1 429 /)
  })

  test('counts for its caller', async () => {
    const { connect, rejected } = await start({ limits: { unansweredPerCaller: 1 } })
    const waiting = await connect()
    waiting.write(post('content-length: 4', 'connection: close'))
    await once(waiting, 'data')
    const next = await connect()
    next.write(getAndClose('/'))
    expect(await statusOf(next)).toBe('429')
    expect(rejected).toEqual([['rate_limited', 429]])
    waiting.write('body')
    expect(await readAll(waiting)).toMatch(/\r\n\r\nbody$/)
  })
})
