/** Our HTTP/2 against that of Node, which is nghttp2: each reads what the other writes. */
import { once } from 'node:events'
import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2'
import { type AddressInfo, connect } from 'node:net'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createFrameCollector,
  encodeFrame,
  encodeSettings,
  RAW_FRAME_TYPE,
  type RawFrame,
} from '../../test/support/raw-http2.js'
import type { DohConnection, DohResult } from '../doh-connection.js'
import { createHpackDecoder } from './hpack-decoder.js'
import { createHpackEncoder } from './hpack-encoder.js'
import { createHttp2Connection } from './http2-connection.js'

type OnStream = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void

async function listen(server: Http2Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function connectTo(server: Http2Server): Promise<DohConnection> {
  const socket = connect(await listen(server), '127.0.0.1')
  await once(socket, 'connect')
  onTestFinished(() => {
    socket.destroy()
  })
  return createHttp2Connection(socket, 'resolver.test:8443')
}

function serve(onStream: OnStream, options: Parameters<typeof createServer>[0] = {}): Http2Server {
  return createServer(options).on('stream', onStream)
}

const ask = (connection: DohConnection, path: string) =>
  new Promise<DohResult>((resolve) => connection.get(path, resolve))

const echo: OnStream = (stream, headers) => {
  stream.respond({ ':status': 200, 'content-type': 'text/plain' })
  stream.end(headers[':path'])
}

test('more than the server takes at once wait, also while others are taken back', async () => {
  const refused: unknown[] = []
  let seen = 0
  let takeBack = () => {}
  const server = serve(
    (stream, headers) => {
      stream.on('error', () => {})
      seen++
      // By now the server is full, and most of the rest waits.
      if (seen === 250) takeBack()
      setImmediate(() => stream.destroyed || echo(stream, headers))
    },
    { settings: { maxConcurrentStreams: 100 } },
  )
  server.on('sessionError', (error) => refused.push(error))
  const connection = await connectTo(server)
  const questions = Array.from({ length: 400 }, (_, index) => {
    let cancel = () => {}
    const answer = new Promise<DohResult>((resolve) => {
      cancel = connection.get(`/${index}`, resolve)
    })
    return { answer, cancel }
  })
  takeBack = () => {
    for (const { cancel } of questions.slice(250, 350)) cancel()
  }
  const kept = [...questions.slice(0, 250), ...questions.slice(350)]
  const replies = await Promise.all(kept.map(({ answer }) => answer))
  expect(replies.filter(({ kind }) => kind === 'broken')).toEqual([])
  expect(refused).toEqual([])
})

describe('questions to Node’s server', () => {
  test.each([
    ['as it is', {}],
    ['without a table for headers', { settings: { headerTableSize: 0 } }],
    ['with a small table', { settings: { headerTableSize: 150 } }],
    ['with a table too small for what is to be kept', { settings: { headerTableSize: 100 } }],
    ['that takes three at once', { settings: { maxConcurrentStreams: 3 } }],
    ['with the largest frames there are', { settings: { maxFrameSize: 16_777_215 } }],
  ])('%s have the header we mean, first and later', async (_, options) => {
    const seen: IncomingHttpHeaders[] = []
    const server = serve((stream, headers) => {
      seen.push(Object.fromEntries(Object.entries(headers)))
      echo(stream, headers)
    }, options)
    const connection = await connectTo(server)
    const paths = Array.from(
      { length: 20 },
      (_, index) => `/dns-query?dns=${'x'.repeat(index * 20)}`,
    )
    // With the first answer we have its settings.
    for (const some of [paths.slice(0, 1), paths.slice(1)]) {
      const replies = await Promise.all(some.map((path) => ask(connection, path)))
      expect(replies.map((reply) => reply.kind === 'reply' && reply.body.toString())).toEqual(some)
    }
    expect(seen).toEqual(
      paths.map((path) => ({
        ':method': 'GET',
        ':scheme': 'https',
        ':authority': 'resolver.test:8443',
        ':path': path,
        accept: 'application/dns-message',
      })),
    )
  })

  test('may be so many at once that no one block holds them', async () => {
    const connection = await connectTo(serve(echo))
    const paths = Array.from({ length: 90 }, (_, index) => `/${index}${'x'.repeat(700)}`)
    const replies = await Promise.all(paths.map((path) => ask(connection, path)))
    expect(replies.map((reply) => reply.kind === 'reply' && reply.body.toString())).toEqual(paths)
  })

  test('are answered by more than any window holds', async () => {
    const body = Buffer.alloc(65_000, 'x')
    const server = serve((stream) => {
      stream.respond({ ':status': 200 })
      stream.end(body)
    })
    const connection = await connectTo(server)
    let octets = 0
    for (let round = 0; round < 10; round++) {
      const replies = await Promise.all(Array.from({ length: 30 }, () => ask(connection, '/')))
      for (const reply of replies) if (reply.kind === 'reply') octets += reply.body.length
    }
    expect(octets).toBe(300 * 65_000)
  })
})

/** Asks over a bare socket, and hands over the header block of the response as it was sent. */
async function rawAsker(port: number): Promise<() => Promise<RawFrame[]>> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => {
    socket.destroy()
  })
  const { write } = createHpackEncoder('resolver.test', 'text/plain')
  const blocks: RawFrame[] = []
  let tell = () => {}
  const collect = createFrameCollector((one) => {
    if (one.type !== RAW_FRAME_TYPE.headers && one.type !== RAW_FRAME_TYPE.continuation) return
    blocks.push(one)
    if (one.flags & 4) tell()
  })
  socket.on('data', collect)
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  socket.write(encodeSettings())
  let streamId = -1
  return async () => {
    streamId += 2
    blocks.length = 0
    const request = Buffer.alloc(200)
    const answered = new Promise<void>((resolve) => {
      tell = resolve
    })
    socket.write(
      encodeFrame(RAW_FRAME_TYPE.headers, 5, streamId, request.subarray(0, write('/', request, 0))),
    )
    await answered
    return [...blocks]
  }
}

test('headers that nghttp2 writes are read as they were meant', async () => {
  const name = fc.stringMatching(/^x-[a-z\d-]{1,30}$/)
  // What HTTP lets a value hold; nghttp2 writes it in Huffman code where that is shorter.
  const value = fc.stringMatching(
    /^[!-~\u0080-\u00ff](?:[ -~\u0080-\u00ff]{0,60}[!-~\u0080-\u00ff])?$/,
  )
  const header = fc.dictionary(name, value, { maxKeys: 12, noNullPrototype: true })
  let meant: Record<string, string> = {}
  const server = serve((stream) => {
    stream.respond({ ':status': 200, ...meant }, { endStream: true, sendDate: false } as object)
  })
  const askRaw = await rawAsker(await listen(server))
  const { decode } = createHpackDecoder()
  await fc.assert(
    fc.asyncProperty(header, async (fields) => {
      meant = fields
      const block = Buffer.concat((await askRaw()).map(({ payload }) => payload))
      const read: Record<string, string> = {}
      decode(block, 0, block.length, {
        onField: (field) => {
          read[field.name] = field.value
        },
      })
      const latin1 = Object.entries(fields).map(([key, text]) => [
        key,
        Buffer.from(text, 'latin1').toString('latin1'),
      ])
      const { date: _, ...others } = read
      expect(others).toEqual({ ':status': '200', ...Object.fromEntries(latin1) })
    }),
    { numRuns: propertyRuns(300) },
  )
})
