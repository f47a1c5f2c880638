/** Servers that break the rules of HTTP/2: they lose the connection, and nothing else happens. */
import { describe, expect, test, vi } from 'vitest'
import {
  connectToPeer,
  encodeFrame,
  encodeSettings,
  encodeU32,
  RAW_FRAME_TYPE,
  type RawHttp2Peer,
} from '../../test/support/raw-http2.js'
import type { DohResult } from '../doh-connection.js'
import { createHttp2Connection } from './http2-connection.js'

const OK = Buffer.of(0x88)
const END_HEADERS = 4
const PADDED = 8
const ACK = 1

const PROTOCOL_ERROR = 1
const FLOW_CONTROL_ERROR = 3
const FRAME_SIZE_ERROR = 6
const COMPRESSION_ERROR = 9
const ENHANCE_YOUR_CALM = 11

async function setUp() {
  const { socket, peer } = await connectToPeer()
  const connection = createHttp2Connection(socket, 'resolver.test')
  const answer = new Promise<DohResult>((resolve) => connection.get('/', resolve))
  await peer.next(RAW_FRAME_TYPE.headers)
  return { connection, peer, answer }
}

/** The question is lost and the connection is over. */
async function expectEnd({ connection, peer, answer }: Awaited<ReturnType<typeof setUp>>) {
  expect(await answer).toMatchObject({
    kind: 'failure',
    reason: 'unreachable',
    detail: expect.stringContaining('violates HTTP/2'),
    isConnectionLost: true,
  })
  expect(connection.isUsable()).toBe(false)
  await peer.closed
}

/** The reason we gave. With much of what it sent still unread, it may not have reached the server. */
function reasonGiven({ frames }: RawHttp2Peer): Buffer | undefined {
  return frames.find(({ type }) => type === RAW_FRAME_TYPE.goaway)?.payload
}

describe('a server that begins', () => {
  test.each([
    [
      'with another frame than its settings',
      encodeFrame(RAW_FRAME_TYPE.ping, 0, 0, Buffer.alloc(8)),
      PROTOCOL_ERROR,
    ],
    ['with an acknowledgement', encodeFrame(RAW_FRAME_TYPE.settings, ACK, 0), PROTOCOL_ERROR],
    ['with HTTP/1.1', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), FRAME_SIZE_ERROR],
    [
      'with frames larger than we allow',
      Buffer.from('004001040000000000', 'hex'),
      FRAME_SIZE_ERROR,
    ],
    [
      'with half a setting',
      encodeFrame(RAW_FRAME_TYPE.settings, 0, 0, Buffer.alloc(5)),
      FRAME_SIZE_ERROR,
    ],
    ['with settings on a stream', encodeFrame(RAW_FRAME_TYPE.settings, 0, 1), PROTOCOL_ERROR],
    ['with push', encodeSettings([2, 1]), PROTOCOL_ERROR],
    ['with a window too large', encodeSettings([4, 0x80000000]), FLOW_CONTROL_ERROR],
    ['with frames too small', encodeSettings([5, 16_383]), PROTOCOL_ERROR],
    ['with frames too large', encodeSettings([5, 0x1000000]), PROTOCOL_ERROR],
  ])('%s', async (_, bytes, code) => {
    const met = await setUp()
    met.peer.write(bytes)
    await expectEnd(met)
    expect(reasonGiven(met.peer)).toEqual(encodeU32(0, code))
  })
})

describe('a server that goes on', () => {
  test.each([
    ['with data for the connection', encodeFrame(RAW_FRAME_TYPE.data, 0, 0), PROTOCOL_ERROR],
    [
      'with a header for the connection',
      encodeFrame(RAW_FRAME_TYPE.headers, END_HEADERS, 0, OK),
      PROTOCOL_ERROR,
    ],
    [
      'on a stream of its own',
      encodeFrame(RAW_FRAME_TYPE.headers, END_HEADERS, 2, OK),
      PROTOCOL_ERROR,
    ],
    [
      'on a stream that is not open yet',
      encodeFrame(RAW_FRAME_TYPE.headers, END_HEADERS, 3, OK),
      PROTOCOL_ERROR,
    ],
    [
      'resetting a stream that is not open yet',
      encodeFrame(RAW_FRAME_TYPE.reset, 0, 3, encodeU32(0)),
      PROTOCOL_ERROR,
    ],
    [
      'widening a stream that is not open yet',
      encodeFrame(RAW_FRAME_TYPE.window, 0, 3, encodeU32(1)),
      PROTOCOL_ERROR,
    ],
    [
      'with a push',
      encodeFrame(RAW_FRAME_TYPE.push, END_HEADERS, 1, Buffer.concat([encodeU32(2), OK])),
      PROTOCOL_ERROR,
    ],
    [
      'with a reset of the wrong size',
      encodeFrame(RAW_FRAME_TYPE.reset, 0, 1, Buffer.alloc(3)),
      FRAME_SIZE_ERROR,
    ],
    [
      'with a ping of the wrong size',
      encodeFrame(RAW_FRAME_TYPE.ping, 0, 0, Buffer.alloc(7)),
      FRAME_SIZE_ERROR,
    ],
    [
      'with a ping on a stream',
      encodeFrame(RAW_FRAME_TYPE.ping, 0, 1, Buffer.alloc(8)),
      PROTOCOL_ERROR,
    ],
    [
      'with a priority of the wrong size',
      encodeFrame(RAW_FRAME_TYPE.priority, 0, 1, Buffer.alloc(4)),
      FRAME_SIZE_ERROR,
    ],
    [
      'with a priority for the connection',
      encodeFrame(RAW_FRAME_TYPE.priority, 0, 0, Buffer.alloc(5)),
      PROTOCOL_ERROR,
    ],
    [
      'with an acknowledgement of something',
      encodeFrame(RAW_FRAME_TYPE.settings, ACK, 0, Buffer.alloc(6)),
      FRAME_SIZE_ERROR,
    ],
    [
      'with a farewell cut short',
      encodeFrame(RAW_FRAME_TYPE.goaway, 0, 0, Buffer.alloc(7)),
      FRAME_SIZE_ERROR,
    ],
    [
      'with a farewell on a stream',
      encodeFrame(RAW_FRAME_TYPE.goaway, 0, 1, Buffer.alloc(8)),
      PROTOCOL_ERROR,
    ],
    [
      'with a window that grows by nothing',
      encodeFrame(RAW_FRAME_TYPE.window, 0, 0, encodeU32(0)),
      PROTOCOL_ERROR,
    ],
    [
      'with a window of the wrong size',
      encodeFrame(RAW_FRAME_TYPE.window, 0, 0, Buffer.alloc(5)),
      FRAME_SIZE_ERROR,
    ],
    [
      'with a window beyond all bounds',
      encodeFrame(RAW_FRAME_TYPE.window, 0, 0, encodeU32(0x7fffffff)),
      FLOW_CONTROL_ERROR,
    ],
    [
      'with padding beyond its frame',
      encodeFrame(RAW_FRAME_TYPE.data, PADDED, 1, Buffer.of(1)),
      PROTOCOL_ERROR,
    ],
    [
      'with padding and no room for it',
      encodeFrame(RAW_FRAME_TYPE.data, PADDED, 1),
      PROTOCOL_ERROR,
    ],
    [
      'with a header block nobody began',
      encodeFrame(RAW_FRAME_TYPE.continuation, END_HEADERS, 1, OK),
      PROTOCOL_ERROR,
    ],
    [
      'with a header that cannot be read',
      encodeFrame(RAW_FRAME_TYPE.headers, END_HEADERS, 1, Buffer.of(0x80)),
      COMPRESSION_ERROR,
    ],
    [
      'with a frame between two parts of a header',
      Buffer.concat([
        encodeFrame(RAW_FRAME_TYPE.headers, 0, 1, OK),
        encodeFrame(RAW_FRAME_TYPE.ping, 0, 0, Buffer.alloc(8)),
      ]),
      PROTOCOL_ERROR,
    ],
    [
      'with a header that goes on elsewhere',
      Buffer.concat([
        encodeFrame(RAW_FRAME_TYPE.headers, 0, 1, OK),
        encodeFrame(RAW_FRAME_TYPE.continuation, END_HEADERS, 3, OK),
      ]),
      PROTOCOL_ERROR,
    ],
    [
      'with few octets that unfold to a large header',
      encodeFrame(
        RAW_FRAME_TYPE.headers,
        END_HEADERS,
        1,
        Buffer.concat([
          Buffer.from('4001627fa11e', 'hex'),
          Buffer.alloc(4_000, 'x'),
          Buffer.alloc(10_000, 0xbe),
        ]),
      ),
      ENHANCE_YOUR_CALM,
    ],
    [
      'with a header without an end',
      Buffer.concat([
        encodeFrame(RAW_FRAME_TYPE.headers, 0, 1),
        ...Array(5).fill(encodeFrame(RAW_FRAME_TYPE.continuation, 0, 1, Buffer.alloc(16_000))),
      ]),
      ENHANCE_YOUR_CALM,
    ],
    [
      'with parts of a header that are empty',
      Buffer.concat([
        encodeFrame(RAW_FRAME_TYPE.headers, 0, 1),
        ...Array(8_000).fill(encodeFrame(RAW_FRAME_TYPE.continuation, 0, 1)),
      ]),
      ENHANCE_YOUR_CALM,
    ],
    [
      'with padding and nothing else',
      Buffer.concat([
        encodeFrame(RAW_FRAME_TYPE.headers, END_HEADERS, 1, OK),
        ...Array(1_025).fill(encodeFrame(RAW_FRAME_TYPE.data, PADDED, 1, Buffer.alloc(256, 255))),
      ]),
      FLOW_CONTROL_ERROR,
    ],
    [
      'with pings by the thousand',
      Buffer.concat(Array(2_000).fill(encodeFrame(RAW_FRAME_TYPE.ping, 0, 0, Buffer.alloc(8)))),
      ENHANCE_YOUR_CALM,
    ],
    [
      'with settings by the thousand',
      Buffer.concat(Array(2_000).fill(encodeSettings())),
      ENHANCE_YOUR_CALM,
    ],
  ])('%s', async (_, bytes, code) => {
    const met = await setUp()
    met.peer.write(encodeSettings(), bytes)
    await expectEnd(met)
    if (bytes.length < 16_000) expect(reasonGiven(met.peer)).toEqual(encodeU32(0, code))
  })
})

test('a server may ask for any number of pongs if it takes them', async () => {
  const { peer, connection } = await setUp()
  peer.write(encodeSettings())
  for (let time = 0; time < 15; time++) {
    peer.write(...Array(100).fill(encodeFrame(RAW_FRAME_TYPE.ping, 0, 0, Buffer.alloc(8))))
    for (let count = 0; count < 100; count++) await peer.next(RAW_FRAME_TYPE.ping)
  }
  expect(connection.isUsable()).toBe(true)
})

test('a server that reads nothing is found out by a ping', async () => {
  const { peer, connection, answer } = await setUp()
  peer.write(encodeSettings())
  peer.stopReading()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    connection.checkLiveness()
    connection.checkLiveness()
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1_000)
  } finally {
    vi.useRealTimers()
  }
  expect(await answer).toMatchObject({
    kind: 'failure',
    detail: 'the resolver did not answer a PING',
  })
  expect(connection.isUsable()).toBe(false)
})

test('a server that answers a ping is trusted again', async () => {
  const { peer, connection } = await setUp()
  peer.write(encodeSettings())
  connection.checkLiveness()
  const ping = await peer.next(RAW_FRAME_TYPE.ping)
  expect(ping).toMatchObject({ flags: 0, payload: Buffer.alloc(8) })
  // What comes behind the pong shows that it has been heard.
  peer.write(
    encodeFrame(RAW_FRAME_TYPE.ping, ACK, 0, Buffer.alloc(8)),
    encodeFrame(RAW_FRAME_TYPE.ping, 0, 0, Buffer.alloc(8, 1)),
  )
  await peer.next(RAW_FRAME_TYPE.ping)
  connection.checkLiveness()
  expect(await peer.next(RAW_FRAME_TYPE.ping)).toMatchObject({ flags: 0 })
  expect(connection.isUsable()).toBe(true)
})
