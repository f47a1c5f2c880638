/** The windows for request bodies, which no request has: only their size is checked (RFC 9113 §6.9). */
import { describe, expect, test } from 'vitest'
import {
  connectToPeer,
  encodeFrame,
  encodeSettings,
  encodeU32,
  framesFromGoAway,
  goAwayFrame,
  RAW_FRAME_TYPE,
} from '../../test/support/raw-http2.js'
import { type DohResult, unreachableResult } from '../doh-connection.js'
import { createHttp2Connection } from './http2-connection.js'

const { HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE } = RAW_FRAME_TYPE
const ACK = 1
const END_STREAM = 1
const END_HEADERS = 4
const FLOW_CONTROL_ERROR = 3
const CANCEL = 8
const INITIAL_WINDOW_SIZE = 4
const DEFAULT_WINDOW = 65_535
const LARGEST_WINDOW = 0x7fffffff

const answer = (streamId: number) =>
  encodeFrame(HEADERS, END_HEADERS | END_STREAM, streamId, Buffer.of(0x88))
const grow = (streamId: number, octets: number) =>
  encodeFrame(WINDOW_UPDATE, 0, streamId, encodeU32(octets))
const setWindow = (...octets: number[]) =>
  encodeSettings(...octets.map((size) => [INITIAL_WINDOW_SIZE, size] as const))
const resetFrame = (streamId: number, code: number) => ({
  type: RST_STREAM,
  flags: 0,
  streamId,
  payload: encodeU32(code),
})

const RESPONSE = { kind: 'response', status: 200 }
const OVERFLOW = unreachableResult(
  'the resolver violates HTTP/2: a flow-control window exceeds 2^31-1 octets',
)

/** With requests on streams 1 and 3, which the server has received. */
async function setUp() {
  const { socket, peer } = await connectToPeer()
  const connection = createHttp2Connection(socket, 'resolver.test')
  const get = () => {
    let cancel = () => {}
    const result = new Promise<DohResult>((resolve) => {
      const request = connection.get('/', { onResult: resolve })
      cancel = () => request.cancel()
    })
    return Object.assign(result, { cancel: () => cancel() })
  }
  const answers = [get(), get()] as const
  for (const _ of answers) await peer.next(HEADERS)
  peer.write(encodeSettings(), encodeFrame(SETTINGS, ACK, 0))
  const resets = () => peer.frames.filter(({ type }) => type === RST_STREAM)
  /** The client has read everything, and the connection is open. */
  const expectOpen = async () => {
    peer.write(encodeFrame(PING, 0, 0, Buffer.from('read all')))
    expect(await peer.next(PING)).toMatchObject({ payload: Buffer.from('read all') })
    expect(connection.isUsable()).toBe(true)
  }
  /** Every request fails, and the server gets GOAWAY. */
  const expectEnd = async (...lost: readonly Promise<DohResult>[]) => {
    for (const result of lost) expect(await result).toEqual(OVERFLOW)
    expect(connection.isUsable()).toBe(false)
    expect(await peer.closed).toBeNull()
    expect(framesFromGoAway(peer.frames)).toEqual([goAwayFrame(FLOW_CONTROL_ERROR)])
  }
  return { peer, connection, get, answers, resets, expectOpen, expectEnd }
}

describe('a stream’s window', () => {
  test.each([
    ['one WINDOW_UPDATE', [grow(1, LARGEST_WINDOW)]],
    ['the last of several', [grow(1, LARGEST_WINDOW - DEFAULT_WINDOW), grow(1, 1)]],
    ['one after a larger INITIAL_WINDOW_SIZE', [setWindow(LARGEST_WINDOW), grow(1, 1)]],
    [
      'one after two changes of INITIAL_WINDOW_SIZE',
      [setWindow(0), grow(1, LARGEST_WINDOW - 9), setWindow(9), grow(1, 1)],
    ],
  ])('above 2^31-1 octets by %s resets this stream only', async (_, frames) => {
    const { peer, get, answers, resets, expectOpen } = await setUp()
    peer.write(...frames)
    expect(await answers[0]).toEqual(OVERFLOW)
    expect(await peer.next(RST_STREAM)).toEqual(resetFrame(1, FLOW_CONTROL_ERROR))
    const next = get()
    expect(await peer.next(HEADERS)).toMatchObject({ streamId: 5 })
    peer.write(answer(3), answer(5))
    expect(await answers[1]).toMatchObject(RESPONSE)
    expect(await next).toMatchObject(RESPONSE)
    await expectOpen()
    expect(resets()).toHaveLength(1)
  })

  test.each([
    ['one WINDOW_UPDATE', [grow(1, LARGEST_WINDOW - DEFAULT_WINDOW)]],
    ['several', [grow(1, 1), grow(1, LARGEST_WINDOW - DEFAULT_WINDOW - 1)]],
    ['INITIAL_WINDOW_SIZE', [setWindow(LARGEST_WINDOW)]],
    ['WINDOW_UPDATE after INITIAL_WINDOW_SIZE', [setWindow(0), grow(1, LARGEST_WINDOW)]],
    ['INITIAL_WINDOW_SIZE after WINDOW_UPDATE', [grow(1, 9), setWindow(LARGEST_WINDOW - 9)]],
  ])('may be 2^31-1 octets by %s', async (_, frames) => {
    const { peer, answers, resets, expectOpen } = await setUp()
    peer.write(...frames)
    await expectOpen()
    peer.write(answer(1), answer(3))
    expect(await Promise.all(answers)).toMatchObject([RESPONSE, RESPONSE])
    expect(resets()).toEqual([])
  })

  test('is not checked when the stream is over', async () => {
    const { peer, answers, resets, expectOpen } = await setUp()
    answers[1].cancel()
    expect(await peer.next(RST_STREAM)).toEqual(resetFrame(3, CANCEL))
    peer.write(answer(1), grow(1, LARGEST_WINDOW), grow(3, LARGEST_WINDOW))
    expect(await answers[0]).toMatchObject(RESPONSE)
    await expectOpen()
    expect(resets()).toHaveLength(1)
  })

  test('that is reset may still get frames', async () => {
    const { peer, answers, resets, expectOpen } = await setUp()
    peer.write(grow(1, LARGEST_WINDOW), grow(1, LARGEST_WINDOW), answer(1), answer(3))
    expect(await answers[0]).toEqual(OVERFLOW)
    expect(await answers[1]).toMatchObject(RESPONSE)
    await expectOpen()
    expect(resets()).toEqual([resetFrame(1, FLOW_CONTROL_ERROR)])
  })
})

describe('INITIAL_WINDOW_SIZE', () => {
  test.each([
    ['makes', [setWindow(LARGEST_WINDOW)]],
    ['makes for a moment', [setWindow(LARGEST_WINDOW, 0)]],
    ['makes after a smaller one', [setWindow(0), setWindow(LARGEST_WINDOW)]],
  ])('that %s a stream’s window too large closes the connection', async (_, frames) => {
    const { peer, answers, expectEnd } = await setUp()
    peer.write(grow(3, 1), ...frames)
    await expectEnd(...answers)
  })

  test('is added to the windows of open streams only', async () => {
    const { peer, get, answers, expectOpen, expectEnd } = await setUp()
    peer.write(grow(1, 1_000), answer(1), grow(3, 10), setWindow(LARGEST_WINDOW - 10))
    expect(await answers[0]).toMatchObject(RESPONSE)
    await expectOpen()
    const next = get()
    await peer.next(HEADERS)
    peer.write(setWindow(LARGEST_WINDOW - 9))
    await expectEnd(answers[1], next)
  })

  test('does not change the connection’s window', async () => {
    const { peer, expectOpen } = await setUp()
    peer.write(setWindow(LARGEST_WINDOW), grow(0, 1))
    await expectOpen()
  })
})

describe('the connection’s window', () => {
  test('may be 2^31-1 octets; one more closes the connection', async () => {
    const { peer, answers, expectOpen, expectEnd } = await setUp()
    peer.write(grow(0, LARGEST_WINDOW - DEFAULT_WINDOW))
    await expectOpen()
    peer.write(grow(0, 1))
    await expectEnd(...answers)
  })
})
