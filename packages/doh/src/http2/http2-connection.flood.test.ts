/** Servers that send frames without progress, counted frame by frame. */
import { describe, expect, test } from 'vitest'
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

const END_STREAM = 1
const END_HEADERS = 4
const ACK = 1
const ENHANCE_YOUR_CALM = 11
/** What a connection may receive without progress, and what each ended request adds. */
const BUDGET = 10_000
const PER_REQUEST = 10

const OK = Buffer.of(0x88)
const { DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION } =
  RAW_FRAME_TYPE
const header = (streamId: number, block: Buffer = OK) =>
  encodeFrame(HEADERS, END_HEADERS, streamId, block)
const answer = (streamId: number) => [header(streamId), encodeFrame(DATA, END_STREAM, streamId)]

function setUp() {
  const memory = createMemorySocket()
  const connection = createHttp2Connection(memory.socket, 'resolver.test')
  const results: DohResult[] = []
  const get = () => connection.get('/', { onResult: (result) => results.push(result) })
  const goAways = () => memory.sent.filter(({ type }) => type === GOAWAY)
  return { ...memory, connection, results, get, goAways }
}

type Setup = ReturnType<typeof setUp>

function expectCutOff({ isDestroyed, goAways, connection }: Setup): void {
  expect(isDestroyed()).toBe(true)
  expect(connection.isUsable()).toBe(false)
  expect(goAways().map(({ payload }) => payload)).toEqual([encodeU32(0, ENHANCE_YOUR_CALM)])
}

const interim = encodeField(':status', '103')
const FLOODS: [string, Buffer][] = [
  ['empty DATA', encodeFrame(DATA, 0, 1)],
  ['DATA of one octet', encodeFrame(DATA, 0, 1, Buffer.of(7))],
  ['DATA after we reset the stream', encodeFrame(DATA, 0, 3)],
  ['HEADERS after we reset the stream', header(3)],
  ['WINDOW_UPDATE after we reset the stream', encodeFrame(WINDOW_UPDATE, 0, 3, encodeU32(1))],
  ['interim responses', header(5, interim)],
  ['PRIORITY', encodeFrame(PRIORITY, 0, 1, Buffer.alloc(5))],
  ['RST_STREAM on a closed stream', encodeFrame(RST_STREAM, 0, 7, encodeU32(0))],
  ['SETTINGS', encodeSettings()],
  ['SETTINGS acknowledgements', encodeFrame(SETTINGS, ACK, 0)],
  ['PING', encodeFrame(PING, 0, 0, Buffer.alloc(8))],
  ['PING acknowledgements', encodeFrame(PING, ACK, 0, Buffer.alloc(8))],
  ['WINDOW_UPDATE', encodeFrame(WINDOW_UPDATE, 0, 0, encodeU32(1))],
  ['GOAWAY', encodeFrame(GOAWAY, 0, 0, encodeU32(99, 0))],
  ['frames of an unknown type', encodeFrame(0xfa, 0, 0)],
]

describe('closes the connection after 10,000 frames without progress', () => {
  test.each(FLOODS)('%s', (_, frame) => {
    const setup = setUp()
    const { receive, get, results, isDestroyed } = setup
    get()
    const request = get()
    get()
    get()
    request.cancel()
    // Stream 1 has a header, 3 is reset by us, 5 waits, and 7 is answered, which makes up for SETTINGS.
    receive(encodeSettings(), header(1), ...answer(7))
    for (let count = 0; count < BUDGET; count++) receive(frame)
    expect(isDestroyed()).toBe(false)
    receive(frame)
    expectCutOff(setup)
    expect(results).toHaveLength(3)
    expect(results.slice(1)).toEqual(
      Array(2).fill({
        kind: 'failure',
        reason: 'unreachable',
        detail: 'the resolver violates HTTP/2: the server sends too much without progress',
        isConnectionLost: true,
      }),
    )
  })

  test('CONTINUATION, in any number of header blocks', () => {
    const setup = setUp()
    const { receive, isDestroyed } = setup
    receive(encodeSettings())
    let frames = 1
    for (let round = 0; !isDestroyed(); round++) {
      setup.get()
      const streamId = 2 * round + 1
      receive(encodeFrame(HEADERS, 0, streamId, OK))
      for (let part = 0; part < 1_000; part++) receive(encodeFrame(CONTINUATION, 0, streamId))
      receive(encodeFrame(CONTINUATION, END_HEADERS | END_STREAM, streamId))
      frames += 1_001
      expect(frames).toBeLessThanOrEqual(BUDGET + 2 * 1_001)
    }
    expectCutOff(setup)
  })

  test('chunks of one octet that complete no frame', () => {
    const setup = setUp()
    const { receive, isDestroyed } = setup
    receive(encodeSettings())
    const frame = encodeFrame(0xfa, 0, 0, Buffer.alloc(16_000))
    for (let count = 1; count < BUDGET; count++) receive(frame.subarray(count - 1, count))
    expect(isDestroyed()).toBe(false)
    receive(frame.subarray(BUDGET - 1, BUDGET))
    expectCutOff(setup)
  })
})

describe('a frame without progress', () => {
  test('counts once more for each KiB', () => {
    const setup = setUp()
    const { receive, isDestroyed } = setup
    receive(encodeSettings())
    const large = encodeFrame(0xfa, 0, 0, Buffer.alloc(16_384))
    for (let count = 0; count < Math.floor(BUDGET / 17); count++) receive(large)
    expect(isDestroyed()).toBe(false)
    receive(large)
    expectCutOff(setup)
  })

  test('is allowed ten times more for each request that ends', () => {
    const setup = setUp()
    const { receive, get, isDestroyed, results } = setup
    const ping = encodeFrame(PING, 0, 0, Buffer.alloc(8))
    receive(encodeSettings())
    for (let count = 1; count < BUDGET; count++) receive(ping)
    const requests = 500
    for (let request = 0; request < requests; request++) {
      get()
      receive(...answer(2 * request + 1))
      for (let count = 0; count < PER_REQUEST; count++) receive(ping)
    }
    expect(isDestroyed()).toBe(false)
    expect(results).toHaveLength(requests)
    receive(ping)
    expectCutOff(setup)
  })

  test('does not include the end of a response, also when it is empty', () => {
    const { receive, get, connection, results } = setUp()
    const requests = 2 * BUDGET
    receive(encodeSettings())
    for (let request = 0; request < requests; request++) {
      get()
      receive(...answer(2 * request + 1))
    }
    expect(connection.isUsable()).toBe(true)
    expect(results).toHaveLength(requests)
  })

  test('may be a late answer to each of 3,000 requests that are cancelled together', () => {
    const { receive, get, connection } = setUp()
    receive(encodeSettings())
    const requests = Array.from({ length: 3_000 }, get)
    for (const request of requests) request.cancel()
    for (const index of requests.keys()) receive(...answer(2 * index + 1))
    expect(connection.isUsable()).toBe(true)
  })
})
