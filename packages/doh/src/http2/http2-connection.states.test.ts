/** What a connection does with streams that are over, and how it ends itself. */
import { once } from 'node:events'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createMemorySocket } from '../../test/support/memory-socket.js'
import {
  encodeField,
  encodeFrame,
  encodeSettings,
  encodeU32,
  RAW_FRAME_TYPE,
} from '../../test/support/raw-http2.js'
import type { DohResult } from '../doh-connection.js'
import { createHttp2Connection } from './http2-connection.js'
import { Http2ConnectionError } from './http2-protocol.js'

const { DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE } =
  RAW_FRAME_TYPE
const END_STREAM = 1
const END_HEADERS = 4
const ACK = 1
const OK = Buffer.of(0x88)
const INTERNAL_ERROR = 2
const SETTINGS_TIMEOUT = 4
const STREAM_CLOSED = 5
const REFUSED_STREAM = 7

const header = (streamId: number) => encodeFrame(HEADERS, END_HEADERS, streamId, OK)
const end = (streamId: number) => encodeFrame(DATA, END_STREAM, streamId)
const reset = (streamId: number, code: number) =>
  encodeFrame(RST_STREAM, 0, streamId, encodeU32(code))
const answer = (streamId: number) => Buffer.concat([header(streamId), end(streamId)])

function setUp() {
  const memory = createMemorySocket()
  const errors: unknown[] = []
  const connection = createHttp2Connection(memory.socket, 'resolver.test', {
    onError: (error) => errors.push(error),
  })
  const get = () => {
    const results: DohResult[] = []
    const request = connection.get('/', { onResult: (result) => results.push(result) })
    return { results, cancel: () => request.cancel() }
  }
  const goAwayCodes = () =>
    memory.sent.filter(({ type }) => type === GOAWAY).map(({ payload }) => payload.readUInt32BE(4))
  return { ...memory, connection, errors, get, goAwayCodes }
}

const RESPONSE = { kind: 'response', status: 200 }
const LOST = { kind: 'failure', reason: 'unreachable', isConnectionLost: true }

describe('on a stream that the server has closed', () => {
  const CLOSINGS: [string, Buffer][] = [
    ['END_STREAM in DATA', answer(1)],
    ['END_STREAM in HEADERS', encodeFrame(HEADERS, END_HEADERS | END_STREAM, 1, OK)],
    ['RST_STREAM', reset(1, 8)],
  ]
  const FRAMES: [string, Buffer][] = [
    ['DATA', end(1)],
    ['HEADERS', header(1)],
  ]
  const cases = CLOSINGS.flatMap(([closing, first]) =>
    FRAMES.map(([type, second]) => [type, closing, first, second] as const),
  )

  test.each(cases)('%s after %s closes the connection', (_type, _closing, first, second) => {
    const { receive, get, goAwayCodes, isDestroyed, errors } = setUp()
    const [one, two] = [get(), get()]
    receive(encodeSettings(), first)
    expect(one.results).toHaveLength(1)
    receive(second)
    expect(goAwayCodes()).toEqual([STREAM_CLOSED])
    expect(isDestroyed()).toBe(true)
    expect(two.results).toMatchObject([LOST])
    expect(errors).toEqual([expect.any(Http2ConnectionError)])
  })

  test.each([
    ['RST_STREAM', reset(1, 0)],
    ['WINDOW_UPDATE', encodeFrame(WINDOW_UPDATE, 0, 1, encodeU32(1))],
    ['PRIORITY', encodeFrame(PRIORITY, 0, 1, Buffer.alloc(5))],
  ])('%s is ignored', (_, frame) => {
    const { receive, get, connection } = setUp()
    const { results } = get()
    receive(encodeSettings(), answer(1), frame)
    expect(results).toMatchObject([RESPONSE])
    expect(connection.isUsable()).toBe(true)
  })
})

describe('on a stream that we have reset', () => {
  test('frames are ignored until the server ends it', () => {
    const { receive, get, connection, goAwayCodes } = setUp()
    receive(encodeSettings())
    get().cancel()
    receive(header(1), encodeFrame(DATA, 0, 1, Buffer.from('late')), end(1))
    expect(connection.isUsable()).toBe(true)
    receive(end(1))
    expect(goAwayCodes()).toEqual([STREAM_CLOSED])
  })

  test('frames are ignored until the server resets it', () => {
    const { receive, get, connection, goAwayCodes } = setUp()
    receive(encodeSettings())
    get().cancel()
    receive(reset(1, 8))
    expect(connection.isUsable()).toBe(true)
    receive(header(1))
    expect(goAwayCodes()).toEqual([STREAM_CLOSED])
  })

  test('frames are ignored after 2,000 later resets', () => {
    const { receive, get, connection } = setUp()
    receive(encodeSettings())
    for (let count = 0; count < 2_000; count++) get().cancel()
    receive(answer(1), answer(3_999))
    expect(connection.isUsable()).toBe(true)
  })
})

describe('GOAWAY', () => {
  const goAway = (lastStreamId: number, code = 0) =>
    encodeFrame(GOAWAY, 0, 0, encodeU32(lastStreamId, code))

  test('that announces the end, then names the last stream, loses only later requests', () => {
    const { receive, get, connection, isDestroyed } = setUp()
    receive(encodeSettings())
    const [one, two, three] = [get(), get(), get()]
    receive(goAway(0x7fffffff))
    expect(connection.isUsable()).toBe(false)
    receive(answer(3), goAway(3))
    expect([one, two, three].map(({ results }) => results)).toMatchObject([[], [RESPONSE], [LOST]])
    // What was sent before the GOAWAY may still arrive on a stream above the last one.
    receive(header(5), answer(1))
    expect(one.results).toMatchObject([RESPONSE])
    expect(isDestroyed()).toBe(true)
  })

  test('moves requests that wait for a stream', () => {
    const { receive, get } = setUp()
    receive(encodeSettings([3, 1]))
    const [sent, queued] = [get(), get()]
    receive(goAway(1))
    expect(sent.results).toEqual([])
    expect(queued.results).toMatchObject([LOST])
    receive(answer(1))
    expect(sent.results).toMatchObject([RESPONSE])
  })
})

describe('REFUSED_STREAM', () => {
  test('moves the request and later ones to another connection; the others are answered', () => {
    const { receive, get, connection, isDestroyed } = setUp()
    receive(encodeSettings())
    const [refused, other] = [get(), get()]
    receive(reset(1, REFUSED_STREAM))
    expect(refused.results).toMatchObject([LOST])
    expect(connection.isUsable()).toBe(false)
    receive(answer(3))
    expect(other.results).toMatchObject([RESPONSE])
    expect(isDestroyed()).toBe(true)
  })

  test('keeps the connection when we have exceeded a limit that we did not know', () => {
    const { receive, get, connection } = setUp()
    const [one, two] = [get(), get()]
    receive(encodeSettings([3, 1]), reset(3, REFUSED_STREAM))
    expect(two.results).toMatchObject([LOST])
    expect(connection.isUsable()).toBe(true)
    receive(answer(1))
    expect(one.results).toMatchObject([RESPONSE])
  })
})

test('status 421 moves later requests to another connection', () => {
  const { receive, get, connection, isDestroyed } = setUp()
  receive(encodeSettings())
  const [misdirected, other] = [get(), get()]
  const block = encodeField(':status', '421')
  receive(encodeFrame(HEADERS, END_HEADERS | END_STREAM, 1, block))
  expect(misdirected.results).toMatchObject([{ kind: 'response', status: 421 }])
  expect(connection.isUsable()).toBe(false)
  receive(answer(3))
  expect(other.results).toMatchObject([RESPONSE])
  expect(isDestroyed()).toBe(true)
})

describe('SETTINGS', () => {
  const acknowledgement = encodeFrame(SETTINGS, ACK, 0)

  /** Time passes only when the test says so. */
  function setUpWithoutTime() {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    return setUp()
  }

  test.each([
    ['the server sends none', []],
    ['the server does not acknowledge ours', [encodeSettings()]],
  ])('closes the connection after three seconds when %s', (_, frames) => {
    const setup = setUpWithoutTime()
    const { results } = setup.get()
    if (frames.length > 0) setup.receive(...frames)
    vi.advanceTimersByTime(2_999)
    expect(setup.isDestroyed()).toBe(false)
    vi.advanceTimersByTime(1)
    expect(setup.isDestroyed()).toBe(true)
    expect(setup.goAwayCodes()).toEqual([SETTINGS_TIMEOUT])
    expect(results).toEqual([
      {
        ...LOST,
        detail: 'the resolver did not send or acknowledge SETTINGS within 3000 ms',
      },
    ])
  })

  test('that arrive and are acknowledged leave no timer', () => {
    const setup = setUpWithoutTime()
    setup.receive(encodeSettings(), acknowledgement)
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(10_000)
    expect(setup.connection.isUsable()).toBe(true)
  })

  test('leave no timer when the connection is closed', async () => {
    const setup = setUpWithoutTime()
    expect(vi.getTimerCount()).toBe(1)
    setup.connection.close()
    await once(setup.socket, 'close')
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('an exception that nothing expects', () => {
  const BUG = new TypeError('a bug')
  const fail = () => {
    throw BUG
  }

  test('closes the connection, fails its requests and is reported', () => {
    const { receive, get, connection, errors, goAwayCodes, isDestroyed } = setUp()
    receive(encodeSettings())
    connection.get('/', { onResult: fail })
    const other = get()
    receive(answer(1), answer(3))
    expect(errors).toEqual([BUG])
    expect(goAwayCodes()).toEqual([INTERNAL_ERROR])
    expect(isDestroyed()).toBe(true)
    expect(other.results).toEqual([
      { ...LOST, detail: 'an unexpected error closed the connection' },
    ])
  })

  test('is the last that is read, also when more frames have arrived', async () => {
    const { receive, connection, errors, sent } = setUp()
    receive(encodeSettings())
    connection.get('/', { onResult: fail })
    receive(answer(1), encodeFrame(PING, 0, 0, Buffer.alloc(8)), encodeFrame(DATA, 0, 0))
    await new Promise((resolve) => setImmediate(resolve))
    expect(errors).toEqual([BUG])
    expect(sent.at(-1)).toMatchObject({ type: GOAWAY, payload: encodeU32(0, INTERNAL_ERROR) })
  })

  test('in the code that reads frames does the same', () => {
    const { socket, receive, get, errors, goAwayCodes } = setUp()
    receive(encodeSettings())
    const { results } = get()
    // Any chunk that is not a Buffer makes this code throw.
    socket.emit('data', { length: 20 })
    expect(errors).toEqual([expect.any(TypeError)])
    expect(goAwayCodes()).toEqual([INTERNAL_ERROR])
    expect(results).toMatchObject([LOST])
  })

  test('in one request does not keep the others from ending with the connection', () => {
    const { receive, get, connection, errors } = setUp()
    receive(encodeSettings())
    const first = get()
    connection.get('/', { onResult: fail })
    connection.get('/', { onResult: fail })
    const last = get()
    connection.close()
    expect(errors).toEqual([BUG, BUG])
    expect(first.results).toMatchObject([LOST])
    expect(last.results).toMatchObject([LOST])
  })
})
