import { describe, expect, test } from 'vitest'
import {
  connectToPeer,
  encodeFrame,
  encodeSettings,
  encodeU32,
  RAW_FRAME_TYPE,
} from '../../test/support/raw-http2.js'
import { type Cancel, type DohResult, unreachableResult } from '../doh-connection.js'
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
const reply = (body: string): DohResult => ({
  kind: 'response',
  status: 200,
  contentType: 'text/plain',
  retryAfter: undefined,
  body: Buffer.from(body),
})

async function setUp(theirs: Buffer = encodeSettings(), firstStreamId?: number) {
  const { socket, peer } = await connectToPeer()
  const connection = createHttp2Connection(socket, 'resolver.test', firstStreamId)
  peer.write(theirs)
  const ask = (path: string) => {
    let cancel: Cancel = () => {}
    const answer = new Promise<DohResult>((resolve) => {
      cancel = connection.get(path, resolve)
    })
    return Object.assign(answer, { cancel: () => cancel() })
  }
  return { connection, peer, ask }
}

/** What was to happen in this turn of the event loop has happened. */
const turned = () => new Promise((resolve) => setImmediate(resolve))

describe('what we say', () => {
  test('begins with our settings, without push, and a large window', async () => {
    const { peer } = await setUp()
    const ours = await peer.next(RAW_FRAME_TYPE.SETTINGS)
    expect(ours.payload.toString('hex')).toBe('000200000000' + '000400040000' + '000600010000')
    expect(await peer.next(RAW_FRAME_TYPE.WINDOW_UPDATE)).toMatchObject({
      streamId: 0,
      payload: encodeU32(256 * 65_536 - 65_535),
    })
  })

  test('acknowledges their settings and answers their pings', async () => {
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

  test('is on streams of odd numbers, one more for each question', async () => {
    const { peer, ask } = await setUp()
    const paths = ['/1', '/2', '/3'].map(ask)
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
    expect(await Promise.all(paths)).toEqual([reply('a'), reply('b'), reply('c')])
  })
})

describe('an answer', () => {
  async function answerTo(...frames: Buffer[]): Promise<DohResult> {
    const { peer, ask } = await setUp()
    const answer = ask('/')
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(...frames)
    return answer
  }

  test('may come in any pieces', async () => {
    const { peer, ask } = await setUp()
    const answer = ask('/')
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    for (const octet of Buffer.concat(ok(1, 'in pieces'))) {
      peer.write(Buffer.of(octet))
      await turned()
    }
    expect(await answer).toEqual(reply('in pieces'))
  })

  test('may be padded and bear a priority', async () => {
    const wrapped = Buffer.concat([Buffer.of(3), Buffer.alloc(5), HEADER, Buffer.alloc(3)])
    const body = Buffer.concat([Buffer.of(2), Buffer.from('body'), Buffer.alloc(2)])
    expect(
      await answerTo(
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS | PADDED | PRIORITY, 1, wrapped),
        encodeFrame(RAW_FRAME_TYPE.DATA, PADDED, 1, body),
        encodeFrame(RAW_FRAME_TYPE.DATA, END_STREAM, 1, Buffer.from(' and more')),
      ),
    ).toEqual(reply('body and more'))
  })

  test('may have a header in several frames', async () => {
    expect(
      await answerTo(
        encodeFrame(RAW_FRAME_TYPE.HEADERS, 0, 1, HEADER.subarray(0, 3)),
        encodeFrame(RAW_FRAME_TYPE.CONTINUATION, 0, 1, HEADER.subarray(3, 9)),
        encodeFrame(RAW_FRAME_TYPE.CONTINUATION, END_HEADERS, 1, HEADER.subarray(9)),
        encodeFrame(RAW_FRAME_TYPE.DATA, END_STREAM, 1, Buffer.from('x')),
      ),
    ).toEqual(reply('x'))
  })

  test('may come after interim ones, and end with a trailer', async () => {
    const interim = Buffer.concat([Buffer.from('0803313033', 'hex'), HEADER.subarray(1)])
    const bare = Buffer.of(0x88)
    // A status in the trailer is nobody's.
    const trailer = Buffer.of(0x8d)
    expect(
      await answerTo(
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 1, interim),
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 1, bare),
        encodeFrame(RAW_FRAME_TYPE.DATA, 0, 1, Buffer.from('x')),
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS | END_STREAM, 1, trailer),
      ),
    ).toEqual({ ...reply('x'), contentType: undefined })
  })

  test('may have no body', async () => {
    const header = Buffer.from('0803353033 0f26 0131'.replaceAll(' ', ''), 'hex')
    expect(
      await answerTo(encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS | END_STREAM, 1, header)),
    ).toEqual({
      kind: 'response',
      status: 503,
      contentType: undefined,
      retryAfter: '1',
      body: Buffer.alloc(0),
    })
  })

  test('is found among frames of kinds that nobody knows, and priorities', async () => {
    expect(
      await answerTo(
        encodeFrame(0xfa, 0xff, 7, Buffer.from('grease')),
        encodeFrame(RAW_FRAME_TYPE.PRIORITY, 0, 1, Buffer.alloc(5)),
        // The top bit of a stream's number means nothing.
        encodeFrame(RAW_FRAME_TYPE.WINDOW_UPDATE, 0, 0x80000001, encodeU32(1_000)),
        ...ok(1, 'x'),
      ),
    ).toEqual(reply('x'))
  })

  test.each([
    ['without a status', encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 1, HEADER.subarray(1))],
    [
      'of a status that is none',
      encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 1, Buffer.from('0803303939', 'hex')),
    ],
    [
      'that is only an interim one',
      encodeFrame(RAW_FRAME_TYPE.HEADERS, 5, 1, Buffer.from('0803313030', 'hex')),
    ],
    ['with a body first', encodeFrame(RAW_FRAME_TYPE.DATA, 0, 1, Buffer.from('x'))],
    [
      'shorter than it says',
      Buffer.concat([
        encodeFrame(RAW_FRAME_TYPE.HEADERS, 4, 1, Buffer.from('880f0d0132', 'hex')),
        encodeFrame(RAW_FRAME_TYPE.DATA, 1, 1, Buffer.from('x')),
      ]),
    ],
    [
      'with two headers',
      Buffer.concat([
        encodeFrame(RAW_FRAME_TYPE.HEADERS, 4, 1, HEADER),
        encodeFrame(RAW_FRAME_TYPE.HEADERS, 4, 1, HEADER),
      ]),
    ],
    ['that is taken back', encodeFrame(RAW_FRAME_TYPE.RST_STREAM, 0, 1, encodeU32(8))],
  ])('%s is none, and the next question is asked over the same connection', async (_, bytes) => {
    const { peer, ask, connection } = await setUp()
    const bad = ask('/bad')
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(bytes)
    expect(await bad).toMatchObject({ kind: 'failure', isConnectionLost: true })
    expect(connection.isUsable()).toBe(true)
    const good = ask('/good')
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(...ok(3, 'x'))
    expect(await good).toEqual(reply('x'))
  })
})

describe('questions', () => {
  test('are as many at once as one likes, once the server has set no limit', async () => {
    const { peer, ask } = await setUp()
    await peer.next(RAW_FRAME_TYPE.SETTINGS)
    await peer.next(RAW_FRAME_TYPE.SETTINGS)
    for (let count = 0; count < 150; count++) ask('/')
    for (let count = 0; count < 150; count++) await peer.next(RAW_FRAME_TYPE.HEADERS)
  })

  test('beyond what the server takes at once wait for their turn', async () => {
    const { peer, ask } = await setUp(encodeSettings([3, 2]))
    const acknowledged = async () => {
      await peer.next(RAW_FRAME_TYPE.SETTINGS)
      await peer.next(RAW_FRAME_TYPE.SETTINGS)
    }
    await acknowledged()
    const [first, second, third, fourth] = ['/1', '/2', '/3', '/4'].map(ask)
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    third?.cancel()
    peer.write(...ok(3, 'b'))
    expect(await second).toEqual(reply('b'))
    const sent = await peer.next(RAW_FRAME_TYPE.HEADERS)
    expect(sent.streamId).toBe(5)
    expect(sent.payload.toString('latin1')).toContain('/4')
    peer.write(...ok(5, 'd'), ...ok(1, 'a'))
    expect([await fourth, await first]).toEqual([reply('d'), reply('a')])
    expect(peer.frames.filter(({ type }) => type === RAW_FRAME_TYPE.HEADERS)).toHaveLength(3)
  })

  test('that are taken back are reset, and late answers to them are passed over', async () => {
    const { peer, ask } = await setUp()
    ask('/left').cancel()
    expect(await peer.next(RAW_FRAME_TYPE.RST_STREAM)).toMatchObject({
      streamId: 1,
      payload: encodeU32(8),
    })
    const next = ask('/next')
    peer.write(
      ...ok(1, 'late'),
      encodeFrame(RAW_FRAME_TYPE.RST_STREAM, 0, 1, encodeU32(0)),
      ...ok(3, 'x'),
    )
    expect(await next).toEqual(reply('x'))
  })

  test('are all lost when the header of one goes on as that of another', async () => {
    const { peer, ask } = await setUp()
    const answers = [ask('/1'), ask('/2')]
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(
      encodeFrame(RAW_FRAME_TYPE.HEADERS, 0, 1),
      encodeFrame(RAW_FRAME_TYPE.CONTINUATION, END_HEADERS, 3, HEADER),
    )
    for (const answer of answers) expect(await answer).toMatchObject({ kind: 'failure' })
    await peer.closed
  })

  test('on streams that the server will not look at are lost; the others are answered', async () => {
    const { peer, ask, connection } = await setUp()
    const [first, second] = [ask('/1'), ask('/2')]
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(encodeFrame(RAW_FRAME_TYPE.GOAWAY, 0, 0, encodeU32(1, 0)))
    expect(await second).toEqual(
      unreachableResult('the resolver is closing the connection (code 0)'),
    )
    expect(connection.isUsable()).toBe(false)
    peer.write(...ok(1, 'a'))
    expect(await first).toEqual(reply('a'))
    expect(await peer.next(RAW_FRAME_TYPE.GOAWAY)).toMatchObject({
      streamId: 0,
      payload: encodeU32(0, 0),
    })
    await peer.closed
  })

  test('asked too late are told so, later and once, unless they are taken back', async () => {
    const { connection } = await setUp()
    connection.close()
    const replies: DohResult[] = []
    connection.get('/told', (one) => replies.push(one))
    connection.get('/taken-back', (one) => replies.push(one))()
    expect(replies).toEqual([])
    await turned()
    expect(replies).toEqual([unreachableResult('the connection takes no more requests')])
  })

  test('come to an end when the numbers of streams do', async () => {
    const { peer, ask, connection } = await setUp(encodeSettings(), 0x7fffffff)
    const last = ask('/last')
    expect(connection.isUsable()).toBe(false)
    expect((await peer.next(RAW_FRAME_TYPE.HEADERS)).streamId).toBe(0x7fffffff)
    expect(await ask('/one-too-many')).toMatchObject({ kind: 'failure', isConnectionLost: true })
    peer.write(...ok(0x7fffffff, 'x'))
    expect(await last).toEqual(reply('x'))
    await peer.closed
  })

  test('too long for a frame are not asked', async () => {
    const { ask } = await setUp()
    expect(await ask(`/${'x'.repeat(16_384)}`)).toMatchObject({ kind: 'failure' })
  })

  test('are all lost when the server hangs up in the middle of a frame, sent or not', async () => {
    const { peer, ask, connection } = await setUp(encodeSettings([3, 1]))
    await peer.next(RAW_FRAME_TYPE.SETTINGS)
    await peer.next(RAW_FRAME_TYPE.SETTINGS)
    const answers = [ask('/1'), ask('/2')]
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(Buffer.concat(ok(1, 'cut')).subarray(0, 20))
    peer.end()
    for (const answer of answers) {
      expect(await answer).toEqual(unreachableResult('the resolver closed the connection'))
    }
    expect(connection.isUsable()).toBe(false)
  })
})
