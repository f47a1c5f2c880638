/** Servers that violate HTTP/2: the connection ends and nothing else happens. */
import { describe, expect, test, vi } from 'vitest'
import {
  connectToPeer,
  encodeFrame,
  encodeSettings,
  encodeU32,
  framesFromGoAway,
  goAwayFrame,
  RAW_FRAME_TYPE,
  type RawHttp2Peer,
} from '../../test/support/raw-http2.js'
import type { DohConnection, DohResult } from '../doh-connection.js'
import { createHttp2Connection } from './http2-connection.js'

const OK = Buffer.of(0x88)
const END_HEADERS = 4
const PADDED = 8
const ACK = 1
const END_STREAM = 1
/** With the acknowledgement of ours, so that the test may take longer than the time for it. */
const SETTINGS = Buffer.concat([encodeSettings(), encodeFrame(RAW_FRAME_TYPE.SETTINGS, ACK, 0)])
/** Must not be delivered after a violation. */
const RESPONSE = encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS | END_STREAM, 1, OK)

const PROTOCOL_ERROR = 1
const FLOW_CONTROL_ERROR = 3
const FRAME_SIZE_ERROR = 6
const COMPRESSION_ERROR = 9
const ENHANCE_YOUR_CALM = 11

interface Setup {
  readonly connection: DohConnection
  readonly peer: RawHttp2Peer
  readonly answer: Promise<DohResult>
}

/** Checks the connection's liveness and lets the time for the answer pass. */
function failLivenessCheck(connection: DohConnection): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    connection.checkLiveness()
    connection.checkLiveness()
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
    vi.advanceTimersByTime(1_000)
  } finally {
    vi.useRealTimers()
  }
}

describe.each(['TLS', 'TCP'] as const)('over %s', (transport) => {
  async function setUp() {
    const { socket, peer } = await connectToPeer({ transport })
    const connection = createHttp2Connection(socket, 'resolver.test')
    const answer = new Promise<DohResult>((resolve) => connection.get('/', { onResult: resolve }))
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    return { connection, peer, answer }
  }

  /** The request fails and the connection is closed. */
  async function expectEnd({ connection, peer, answer }: Setup) {
    expect(await answer).toMatchObject({
      kind: 'failure',
      reason: 'unreachable',
      isConnectionLost: true,
      detail: expect.stringContaining('violates HTTP/2'),
    })
    expect(connection.isUsable()).toBe(false)
    // A reset could make the server lose the GOAWAY.
    expect(await peer.closed).toBeNull()
  }

  function expectGoAway({ frames }: RawHttp2Peer, code: number): void {
    expect(framesFromGoAway(frames)).toEqual([goAwayFrame(code)])
  }

  describe('closes the connection when the server starts', () => {
    test.each([
      [
        'with a frame other than SETTINGS',
        encodeFrame(RAW_FRAME_TYPE.PING, 0, 0, Buffer.alloc(8)),
        PROTOCOL_ERROR,
      ],
      [
        'with a SETTINGS acknowledgement',
        encodeFrame(RAW_FRAME_TYPE.SETTINGS, ACK, 0),
        PROTOCOL_ERROR,
      ],
      ['with HTTP/1.1', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), FRAME_SIZE_ERROR],
      [
        'with a frame larger than 16 KiB',
        Buffer.from('004001040000000000', 'hex'),
        FRAME_SIZE_ERROR,
      ],
      [
        'with an incomplete setting',
        encodeFrame(RAW_FRAME_TYPE.SETTINGS, 0, 0, Buffer.alloc(5)),
        FRAME_SIZE_ERROR,
      ],
      ['with SETTINGS on a stream', encodeFrame(RAW_FRAME_TYPE.SETTINGS, 0, 1), PROTOCOL_ERROR],
      ['with ENABLE_PUSH set', encodeSettings([2, 1]), PROTOCOL_ERROR],
      [
        'with an INITIAL_WINDOW_SIZE that is too large',
        encodeSettings([4, 0x80000000]),
        FLOW_CONTROL_ERROR,
      ],
      ['with a MAX_FRAME_SIZE that is too small', encodeSettings([5, 16_383]), PROTOCOL_ERROR],
      ['with a MAX_FRAME_SIZE that is too large', encodeSettings([5, 0x1000000]), PROTOCOL_ERROR],
    ])('%s', async (_, bytes, code) => {
      const setup = await setUp()
      setup.peer.write(bytes, RESPONSE)
      await expectEnd(setup)
      expectGoAway(setup.peer, code)
    })
  })

  describe('closes the connection when the server sends', () => {
    const violations: [string, Buffer, number][] = [
      ['DATA on stream 0', encodeFrame(RAW_FRAME_TYPE.DATA, 0, 0), PROTOCOL_ERROR],
      [
        'HEADERS on stream 0',
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 0, OK),
        PROTOCOL_ERROR,
      ],
      [
        'HEADERS on a stream with an even id',
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 2, OK),
        PROTOCOL_ERROR,
      ],
      [
        'HEADERS on a stream that is not open',
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 3, OK),
        PROTOCOL_ERROR,
      ],
      [
        'RST_STREAM on a stream that is not open',
        encodeFrame(RAW_FRAME_TYPE.RST_STREAM, 0, 3, encodeU32(0)),
        PROTOCOL_ERROR,
      ],
      [
        'WINDOW_UPDATE on a stream that is not open',
        encodeFrame(RAW_FRAME_TYPE.WINDOW_UPDATE, 0, 3, encodeU32(1)),
        PROTOCOL_ERROR,
      ],
      [
        'RST_STREAM of the wrong size',
        encodeFrame(RAW_FRAME_TYPE.RST_STREAM, 0, 1, Buffer.alloc(3)),
        FRAME_SIZE_ERROR,
      ],
      [
        'PING of the wrong size',
        encodeFrame(RAW_FRAME_TYPE.PING, 0, 0, Buffer.alloc(7)),
        FRAME_SIZE_ERROR,
      ],
      ['PING on a stream', encodeFrame(RAW_FRAME_TYPE.PING, 0, 1, Buffer.alloc(8)), PROTOCOL_ERROR],
      [
        'PRIORITY of the wrong size',
        encodeFrame(RAW_FRAME_TYPE.PRIORITY, 0, 1, Buffer.alloc(4)),
        FRAME_SIZE_ERROR,
      ],
      [
        'PRIORITY on stream 0',
        encodeFrame(RAW_FRAME_TYPE.PRIORITY, 0, 0, Buffer.alloc(5)),
        PROTOCOL_ERROR,
      ],
      [
        'a SETTINGS acknowledgement with a payload',
        encodeFrame(RAW_FRAME_TYPE.SETTINGS, ACK, 0, Buffer.alloc(6)),
        FRAME_SIZE_ERROR,
      ],
      [
        'GOAWAY that is too short',
        encodeFrame(RAW_FRAME_TYPE.GOAWAY, 0, 0, Buffer.alloc(7)),
        FRAME_SIZE_ERROR,
      ],
      [
        'GOAWAY on a stream',
        encodeFrame(RAW_FRAME_TYPE.GOAWAY, 0, 1, Buffer.alloc(8)),
        PROTOCOL_ERROR,
      ],
      [
        'WINDOW_UPDATE by 0 octets',
        encodeFrame(RAW_FRAME_TYPE.WINDOW_UPDATE, 0, 0, encodeU32(0)),
        PROTOCOL_ERROR,
      ],
      [
        'WINDOW_UPDATE of the wrong size',
        encodeFrame(RAW_FRAME_TYPE.WINDOW_UPDATE, 0, 0, Buffer.alloc(5)),
        FRAME_SIZE_ERROR,
      ],
      [
        'WINDOW_UPDATE beyond the largest window',
        encodeFrame(RAW_FRAME_TYPE.WINDOW_UPDATE, 0, 0, encodeU32(0x7fffffff)),
        FLOW_CONTROL_ERROR,
      ],
      [
        'padding longer than its frame',
        encodeFrame(RAW_FRAME_TYPE.DATA, PADDED, 1, Buffer.of(1)),
        PROTOCOL_ERROR,
      ],
      ['padding without a length', encodeFrame(RAW_FRAME_TYPE.DATA, PADDED, 1), PROTOCOL_ERROR],
      [
        'CONTINUATION without HEADERS',
        encodeFrame(RAW_FRAME_TYPE.CONTINUATION, END_HEADERS, 1, OK),
        PROTOCOL_ERROR,
      ],
      [
        'a header block that HPACK cannot decode',
        encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 1, Buffer.of(0x80)),
        COMPRESSION_ERROR,
      ],
      [
        'a frame between two parts of a header block',
        Buffer.concat([
          encodeFrame(RAW_FRAME_TYPE.HEADERS, 0, 1, OK),
          encodeFrame(RAW_FRAME_TYPE.PING, 0, 0, Buffer.alloc(8)),
        ]),
        PROTOCOL_ERROR,
      ],
      [
        'CONTINUATION on another stream',
        Buffer.concat([
          encodeFrame(RAW_FRAME_TYPE.HEADERS, 0, 1, OK),
          encodeFrame(RAW_FRAME_TYPE.CONTINUATION, END_HEADERS, 3, OK),
        ]),
        PROTOCOL_ERROR,
      ],
      [
        'a header block without an end',
        Buffer.concat([
          encodeFrame(RAW_FRAME_TYPE.HEADERS, 0, 1),
          ...Array(5).fill(encodeFrame(RAW_FRAME_TYPE.CONTINUATION, 0, 1, Buffer.alloc(16_000))),
        ]),
        ENHANCE_YOUR_CALM,
      ],
      [
        'CONTINUATION frames without content',
        Buffer.concat([
          encodeFrame(RAW_FRAME_TYPE.HEADERS, 0, 1),
          ...Array(8_000).fill(encodeFrame(RAW_FRAME_TYPE.CONTINUATION, 0, 1)),
        ]),
        ENHANCE_YOUR_CALM,
      ],
      [
        '12,000 PING frames at once',
        Buffer.concat(Array(12_000).fill(encodeFrame(RAW_FRAME_TYPE.PING, 0, 0, Buffer.alloc(8)))),
        ENHANCE_YOUR_CALM,
      ],
      [
        '12,000 SETTINGS frames at once',
        Buffer.concat(Array(12_000).fill(encodeSettings())),
        ENHANCE_YOUR_CALM,
      ],
    ]
    test.each(violations)('%s', async (_, bytes, code) => {
      const setup = await setUp()
      setup.peer.write(SETTINGS, bytes, RESPONSE)
      await expectEnd(setup)
      expectGoAway(setup.peer, code)
    })
  })

  test('answers 1,500 PING frames as long as the server reads the answers', async () => {
    const { peer, connection } = await setUp()
    peer.write(SETTINGS)
    for (let time = 0; time < 15; time++) {
      peer.write(...Array(100).fill(encodeFrame(RAW_FRAME_TYPE.PING, 0, 0, Buffer.alloc(8))))
      for (let count = 0; count < 100; count++) await peer.next(RAW_FRAME_TYPE.PING)
    }
    expect(connection.isUsable()).toBe(true)
  })

  test('closes a connection whose server does not answer a PING', async () => {
    const { peer, connection, answer } = await setUp()
    peer.write(SETTINGS)
    peer.stopReading()
    failLivenessCheck(connection)
    expect(await answer).toMatchObject({
      kind: 'failure',
      detail: 'the resolver did not answer a PING',
    })
    expect(connection.isUsable()).toBe(false)
  })

  test('keeps a connection whose server answers a PING', async () => {
    const { peer, connection } = await setUp()
    peer.write(SETTINGS)
    connection.checkLiveness()
    const ping = await peer.next(RAW_FRAME_TYPE.PING)
    expect(ping).toMatchObject({ flags: 0, payload: { length: 8 } })
    // The acknowledgement of the second PING shows that the first was read.
    peer.write(
      encodeFrame(RAW_FRAME_TYPE.PING, ACK, 0, ping.payload),
      encodeFrame(RAW_FRAME_TYPE.PING, 0, 0, Buffer.alloc(8, 1)),
    )
    await peer.next(RAW_FRAME_TYPE.PING)
    connection.checkLiveness()
    expect(await peer.next(RAW_FRAME_TYPE.PING)).toMatchObject({ flags: 0 })
    expect(connection.isUsable()).toBe(true)
  })
})

describe('closes the connection when a response has', () => {
  const PUSH = encodeFrame(
    RAW_FRAME_TYPE.PUSH_PROMISE,
    END_HEADERS,
    1,
    Buffer.concat([encodeU32(2), OK]),
  )
  /** A field of 4,000 octets and 10,000 references to it. */
  const HPACK_BOMB = encodeFrame(
    RAW_FRAME_TYPE.HEADERS,
    END_HEADERS,
    1,
    Buffer.concat([
      Buffer.from('4001627fa11e', 'hex'),
      Buffer.alloc(4_000, 'x'),
      Buffer.alloc(10_000, 0xbe),
    ]),
  )
  /** More than the stream's window. */
  const PADDING = Buffer.concat([
    encodeFrame(RAW_FRAME_TYPE.HEADERS, END_HEADERS, 1, OK),
    ...Array(1_025).fill(encodeFrame(RAW_FRAME_TYPE.DATA, PADDED, 1, Buffer.alloc(256, 255))),
  ])

  async function receive(...frames: Buffer[]) {
    const { socket, peer } = await connectToPeer()
    const connection = createHttp2Connection(socket, 'resolver.test')
    const answer = new Promise<DohResult>((resolve) => connection.get('/', { onResult: resolve }))
    await peer.next(RAW_FRAME_TYPE.HEADERS)
    peer.write(encodeSettings(), ...frames)
    return { result: await answer, connection, peer }
  }

  test.each([
    ['a pushed stream', PUSH, PROTOCOL_ERROR],
    ['a header block that expands to more than 64 KiB', HPACK_BOMB, ENHANCE_YOUR_CALM],
    ['padding beyond the stream’s window', PADDING, FLOW_CONTROL_ERROR],
  ])('%s', async (_, bytes, code) => {
    const { result, connection, peer } = await receive(bytes)
    expect(result).toMatchObject({ kind: 'failure', isConnectionLost: true })
    expect(connection.isUsable()).toBe(false)
    expect(await peer.closed).toBeNull()
    expect(framesFromGoAway(peer.frames)).toEqual([goAwayFrame(code)])
  })
})
