import { describe, expect, test } from 'vitest'
import {
  connectToPeer,
  encodeFrame,
  encodeSettings,
  encodeU32,
  RAW_FRAME_TYPE,
} from '../../test/support/raw-http2.js'
import { type DohResult, unreachableResult } from '../doh-connection.js'
import { createHttp2Connection } from './http2-connection.js'

const END_STREAM = 1
const END_HEADERS = 4
const PADDED = 8
const PRIORITY = 32
const ACK = 1
/** `:status: 200`, and a content type of our own. */
const HEADER = Buffer.concat([Buffer.of(0x88, 0x0f, 0x10, 10), Buffer.from('text/plain')])

const ok = (streamId: number, body: string) => [
  encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, streamId, HEADER),
  encodeFrame(RAW_FRAME_TYPE.DATA, END_STREAM, streamId, Buffer.from(body)),
]
const response = (body: string): DohResult => ({
  kind: 'response',
  status: 200,
  contentType: 'text/plain',
  retryAfter: undefined,
  body: Buffer.from(body),
})

async function setUp(serverSettings: Buffer = encodeSettings(), firstStreamId?: number) {
  const { socket, peer } = await connectToPeer()
  const connection = createHttp2Connection(
    socket,
    'resolver.test',
    firstStreamId === undefined ? {} : { firstStreamId },
  )
  // The test may take longer than the time for the acknowledgement.
  peer.write(serverSettings, encodeFrame(RAW_FRAME_TYPE.SETTINGS, ACK, 0))
  const get = (path: string) => {
    let cancel = () => {}
    const answer = new Promise<DohResult>((resolve) => {
      const request = connection.get(path, { onResult: resolve })
      cancel = () => request.cancel()
    })
    return Object.assign(answer, { cancel: () => cancel() })
  }
  return { connection, peer, get }
}

/** Waits for the next turn of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('connection', () => {
  test('starts with SETTINGS without push and a large window', async () => {
    const { peer } = await setUp()
    const settings = await peer.next(RAW_FRAME_TYPE.SETTINGS)
    expect(settings.payload.toString('hex')).toBe('000200000000' + '000400040000' + '000600010000')
    expect(await peer.next(RAW_FRAME_TYPE.WINDOW_UPDATE)).toMatchObject({
      streamId: 0,
      payload: encodeU32(256 * 65_536 - 65_535),
    })
  })

  test('acknowledges SETTINGS and PING', async () => {
    const { peer } = await setUp()
    await peer.next(RAW_FRAME_TYPE.SETTINGS)
    expect(await peer.next(RAW_FRAME_TYPE.SETTINGS)).toMatchObject({
      flags: ACK,
      payload: { length: 0 },
    })
    peer.write(encodeFrame(RAW_FRAME_TYPE.PING, 0, 0, Buffer.from('12345678')))
    expect(await peer.next(RAW_FRAME_TYPE.PING)).toMatchObject({
      flags: ACK,
      payload: Buffer.from('12345678'),
    })
  })

  test('opens one stream with an odd id per request', async () => {
    const { peer, get } = await setUp()
    const paths = ['/1', '/2', '/3'].map(get)
    const sent = [
      await peer.next(RAW_FRAME_TYPE.HEADERS),
      await peer.next(RAW_FRAME_TYPE.HEADERS),
      await peer.next(RAW_FRAME_TYPE.HEADERS),
    ]
    expect(sent.map(({ streamId, flags }) => [streamId, flags])).toEqual([
      [1, END_STREAM | END_HEADERS],
      [3, END_STREAM | END_HEADERS],
      [5, END_STREAM | END_HEADERS],
    ])
    peer.write(...ok(5, 'c'), ...ok(1, 'a'), ...ok(3, 'b'))
    expect(await Promise.all(paths)).toEqual([response('a'), response('b'), response('c')])
  })
})

describe('response', () => {
  async function receive(...frames: Buffer[]): Promise<DohResult> {
    const { peer, get } = await setUp()
    const answer = get('/')
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(...frames)
    return answer
  }

  test('may arrive octet by octet', async () => {
    const { peer, get } = await setUp()
    const answer = get('/')
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    for (const octet of Buffer.concat(ok(1, 'in pieces'))) {
      peer.write(Buffer.of(octet))
      await nextTurn()
    }
    expect(await answer).toEqual(response('in pieces'))
  })

  test('may have padding and priority', async () => {
    const wrapped = Buffer.concat([Buffer.of(3), Buffer.alloc(5), HEADER, Buffer.alloc(3)])
    const body = Buffer.concat([Buffer.of(2), Buffer.from('body'), Buffer.alloc(2)])
    expect(
      await receive(
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS | PADDED | PRIORITY, 1, wrapped),
        encodeFrame(RAW_FRAME_TYPE.DATA, PADDED, 1, body),
        encodeFrame(RAW_FRAME_TYPE.DATA, END_STREAM, 1, Buffer.from(' and more')),
      ),
    ).toEqual(response('body and more'))
  })

  test('may have a header block in several frames', async () => {
    expect(
      await receive(
        encodeFrame(RAW_FRAME_TYPE.HEADERS, 0, 1, HEADER.subarray(0, 3)),
        encodeFrame(RAW_FRAME_TYPE.CONTINUATION, 0, 1, HEADER.subarray(3, 9)),
        encodeFrame(RAW_FRAME_TYPE.CONTINUATION, END_HEADERS, 1, HEADER.subarray(9)),
        encodeFrame(RAW_FRAME_TYPE.DATA, END_STREAM, 1, Buffer.from('x')),
      ),
    ).toEqual(response('x'))
  })

  test('may follow interim responses and end with a trailer', async () => {
    const interim = Buffer.concat([Buffer.from('0803313033', 'hex'), HEADER.subarray(1)])
    const bare = Buffer.of(0x88)
    // A content type in the trailer is ignored.
    const trailer = HEADER.subarray(1)
    expect(
      await receive(
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 1, interim),
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 1, bare),
        encodeFrame(RAW_FRAME_TYPE.DATA, 0, 1, Buffer.from('x')),
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS | END_STREAM, 1, trailer),
      ),
    ).toEqual({ ...response('x'), contentType: undefined })
  })

  test('may have no body', async () => {
    const header = Buffer.from('0803353033 0f26 0131'.replaceAll(' ', ''), 'hex')
    expect(
      await receive(encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS | END_STREAM, 1, header)),
    ).toEqual({
      kind: 'response',
      status: 503,
      contentType: undefined,
      retryAfter: '1',
      body: Buffer.alloc(0),
    })
  })

  test('may come between frames of unknown types and PRIORITY frames', async () => {
    expect(
      await receive(
        encodeFrame(0xfa, 0xff, 7, Buffer.from('grease')),
        encodeFrame(RAW_FRAME_TYPE.PRIORITY, 0, 1, Buffer.alloc(5)),
        // The top bit of a stream id is reserved.
        encodeFrame(RAW_FRAME_TYPE.WINDOW_UPDATE, 0, 0x80000001, encodeU32(1_000)),
        ...ok(1, 'x'),
      ),
    ).toEqual(response('x'))
  })

  test('that is reset fails, and the next request uses the same connection', async () => {
    const { peer, get, connection } = await setUp()
    const bad = get('/bad')
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(encodeFrame(RAW_FRAME_TYPE.RST_STREAM, 0, 1, encodeU32(8)))
    expect(await bad).toEqual(unreachableResult('the resolver reset the stream (code 8)'))
    expect(connection.isUsable()).toBe(true)
    const good = get('/good')
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(...ok(3, 'x'))
    expect(await good).toEqual(response('x'))
  })
})

describe('requests', () => {
  test('have no limit when the server sets none', async () => {
    const { peer, get } = await setUp()
    await peer.next(RAW_FRAME_TYPE.SETTINGS)
    await peer.next(RAW_FRAME_TYPE.SETTINGS)
    for (let count = 0; count < 150; count++) get('/')
    for (let count = 0; count < 150; count++) await peer.next(RAW_FRAME_TYPE.HEADERS)
  })

  test('beyond the server’s limit are queued', async () => {
    const { peer, get } = await setUp(encodeSettings([3, 2]))
    const acknowledged = async () => {
      await peer.next(RAW_FRAME_TYPE.SETTINGS)
      await peer.next(RAW_FRAME_TYPE.SETTINGS)
    }
    await acknowledged()
    const [first, second, third, fourth] = ['/1', '/2', '/3', '/4'].map(get)
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    third?.cancel()
    peer.write(...ok(3, 'b'))
    expect(await second).toEqual(response('b'))
    const sent = await peer.next(RAW_FRAME_TYPE.HEADERS)
    expect(sent.streamId).toBe(5)
    expect(sent.payload.toString('latin1')).toContain('/4')
    peer.write(...ok(5, 'd'), ...ok(1, 'a'))
    expect([await fourth, await first]).toEqual([response('d'), response('a')])
    expect(peer.frames.filter(({ type }) => type === RAW_FRAME_TYPE.HEADERS)).toHaveLength(3)
  })

  test('are reset when cancelled, and late responses to them are ignored', async () => {
    const { peer, get } = await setUp()
    get('/left').cancel()
    expect(await peer.next(RAW_FRAME_TYPE.RST_STREAM)).toMatchObject({
      streamId: 1,
      payload: encodeU32(8),
    })
    const next = get('/next')
    peer.write(
      ...ok(1, 'late'),
      encodeFrame(RAW_FRAME_TYPE.RST_STREAM, 0, 1, encodeU32(0)),
      ...ok(3, 'x'),
    )
    expect(await next).toEqual(response('x'))
  })

  test('all fail when CONTINUATION names another stream', async () => {
    const { peer, get } = await setUp()
    const answers = [get('/1'), get('/2')]
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(
      encodeFrame(RAW_FRAME_TYPE.HEADERS, 0, 1),
      encodeFrame(RAW_FRAME_TYPE.CONTINUATION, END_HEADERS, 3, HEADER),
    )
    for (const answer of answers) expect(await answer).toMatchObject({ kind: 'failure' })
    await peer.closed
  })

  test('after the last stream of a GOAWAY fail; the others are answered', async () => {
    const { peer, get, connection } = await setUp()
    const [first, second] = [get('/1'), get('/2')]
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(encodeFrame(RAW_FRAME_TYPE.GOAWAY, 0, 0, encodeU32(1, 0)))
    expect(await second).toEqual(
      unreachableResult('the resolver is closing the connection (code 0)'),
    )
    expect(connection.isUsable()).toBe(false)
    peer.write(...ok(1, 'a'))
    expect(await first).toEqual(response('a'))
    expect(await peer.next(RAW_FRAME_TYPE.GOAWAY)).toMatchObject({
      streamId: 0,
      payload: encodeU32(0, 0),
    })
    await peer.closed
  })

  test('on a closed connection fail asynchronously and once, unless cancelled', async () => {
    const { connection } = await setUp()
    connection.close()
    const results: DohResult[] = []
    const sink = { onResult: (result: DohResult) => results.push(result) }
    connection.get('/kept', sink)
    connection.get('/cancelled', sink).cancel()
    expect(results).toEqual([])
    await nextTurn()
    expect(results).toEqual([unreachableResult('the connection takes no more requests')])
  })

  test('end when no stream id is left', async () => {
    const { peer, get, connection } = await setUp(encodeSettings(), 0x7fffffff)
    const last = get('/last')
    expect(connection.isUsable()).toBe(false)
    expect((await peer.next(RAW_FRAME_TYPE.HEADERS)).streamId).toBe(0x7fffffff)
    expect(await get('/one-too-many')).toMatchObject({ kind: 'failure', isConnectionLost: true })
    peer.write(...ok(0x7fffffff, 'x'))
    expect(await last).toEqual(response('x'))
    await peer.closed
  })

  test('too long for a frame fail', async () => {
    const { get } = await setUp()
    expect(await get(`/${'x'.repeat(16_384)}`)).toMatchObject({ kind: 'failure' })
  })

  test('all fail when the server hangs up inside a frame, sent or queued', async () => {
    const { peer, get, connection } = await setUp(encodeSettings([3, 1]))
    await peer.next(RAW_FRAME_TYPE.SETTINGS)
    await peer.next(RAW_FRAME_TYPE.SETTINGS)
    const answers = [get('/1'), get('/2')]
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(Buffer.concat(ok(1, 'cut')).subarray(0, 20))
    peer.end()
    for (const answer of answers) {
      expect(await answer).toEqual(unreachableResult('the resolver closed the connection'))
    }
    expect(connection.isUsable()).toBe(false)
  })
})
