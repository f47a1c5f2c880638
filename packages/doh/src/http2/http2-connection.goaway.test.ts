/** How a connection ends over a real socket: the server gets GOAWAY, and nothing is left. */
import { once } from 'node:events'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  connectToPeer,
  encodeFrame,
  encodeSettings,
  encodeU32,
  framesFromGoAway,
  goAwayFrame,
  RAW_FRAME_TYPE,
} from '../../test/support/raw-http2.js'
import type { DohResult } from '../doh-connection.js'
import { createHttp2Connection } from './http2-connection.js'

const { DATA, HEADERS, RST_STREAM, PING, GOAWAY } = RAW_FRAME_TYPE
const END_STREAM = 1
const END_HEADERS = 4
const OK = Buffer.of(0x88)
const NO_ERROR = 0
const PROTOCOL_ERROR = 1
const INTERNAL_ERROR = 2
const SETTINGS_TIMEOUT = 4
const STREAM_CLOSED = 5
const MEBIBYTE = 1_048_576

const header = (streamId: number) => encodeFrame(HEADERS, END_HEADERS, streamId, OK)
const end = (streamId: number) => encodeFrame(DATA, END_STREAM, streamId)
const answer = (streamId: number) => Buffer.concat([header(streamId), end(streamId)])
/** DATA on stream 0. */
const VIOLATION = encodeFrame(DATA, 0, 0)

const LOST = { kind: 'failure', reason: 'unreachable', isConnectionLost: true }

/** With two requests that the server has received. Time passes only when the test says so. */
async function setUp({ allowHalfOpen = false } = {}) {
  const { socket, peer } = await connectToPeer({ allowHalfOpen })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const errors: unknown[] = []
  const connection = createHttp2Connection(socket, 'resolver.test', {
    onError: (error) => errors.push(error),
  })
  const get = () => new Promise<DohResult>((resolve) => connection.get('/', { onResult: resolve }))
  const answers = [get(), get()]
  for (const _ of answers) await peer.next(HEADERS)
  const socketClosed = once(socket, 'close')
  /** Both sides close the socket, the server without an error. */
  const expectGoAway = async (code: number) => {
    expect(await peer.closed).toBeNull()
    await socketClosed
    expect(framesFromGoAway(peer.frames)).toEqual([goAwayFrame(code)])
    expect(vi.getTimerCount()).toBe(0)
  }
  return { socket, peer, connection, errors, answers, socketClosed, expectGoAway }
}

describe('the server gets GOAWAY', () => {
  test.each([
    ['DATA after END_STREAM in DATA', answer(1), end(1)],
    ['HEADERS after END_STREAM in DATA', answer(1), header(1)],
    [
      'DATA after END_STREAM in HEADERS',
      encodeFrame(HEADERS, END_HEADERS | END_STREAM, 1, OK),
      end(1),
    ],
    [
      'HEADERS after END_STREAM in HEADERS',
      encodeFrame(HEADERS, END_HEADERS | END_STREAM, 1, OK),
      header(1),
    ],
    ['DATA after RST_STREAM', encodeFrame(RST_STREAM, 0, 1, encodeU32(8)), end(1)],
    ['HEADERS after RST_STREAM', encodeFrame(RST_STREAM, 0, 1, encodeU32(8)), header(1)],
  ])('when it sends %s', async (_, first, second) => {
    const { peer, answers, expectGoAway } = await setUp()
    peer.write(encodeSettings(), first, second)
    expect(await answers[1]).toMatchObject(LOST)
    await expectGoAway(STREAM_CLOSED)
  })

  test.each([
    ['sends no SETTINGS', Buffer.alloc(0)],
    ['does not acknowledge ours', encodeSettings()],
  ])('when it %s for three seconds', async (_, bytes) => {
    const { peer, answers, expectGoAway } = await setUp()
    peer.write(bytes)
    vi.advanceTimersByTime(3_000)
    expect(await answers[1]).toMatchObject(LOST)
    await expectGoAway(SETTINGS_TIMEOUT)
  })

  test('when the callback of a request throws', async () => {
    const { peer, connection, answers, errors, expectGoAway } = await setUp()
    const bug = new TypeError('a bug')
    connection.get('/', {
      onResult() {
        throw bug
      },
    })
    await peer.next(HEADERS)
    // Octets that we had not read would turn the end into a reset.
    peer.write(encodeSettings(), answer(5), Buffer.alloc(500_000))
    expect(await answers[1]).toMatchObject(LOST)
    await expectGoAway(INTERNAL_ERROR)
    expect(errors).toEqual([bug])
  })

  test('when the code that reads frames throws', async () => {
    const { socket, answers, errors, expectGoAway } = await setUp()
    // Any chunk that is not a Buffer makes this code throw.
    socket.emit('data', { length: 20 })
    expect(await answers[1]).toMatchObject(LOST)
    await expectGoAway(INTERNAL_ERROR)
    expect(errors).toEqual([expect.any(TypeError)])
  })

  test('when it does not answer a PING', async () => {
    const { peer, connection, answers, expectGoAway } = await setUp()
    peer.write(encodeSettings())
    connection.checkLiveness()
    await peer.next(PING)
    vi.advanceTimersByTime(1_000)
    expect(await answers[1]).toMatchObject(LOST)
    await expectGoAway(NO_ERROR)
  })

  test('when it has announced the end and answered the last request', async () => {
    const { peer, answers, expectGoAway } = await setUp()
    peer.write(
      encodeSettings(),
      encodeFrame(GOAWAY, 0, 0, encodeU32(3, NO_ERROR)),
      answer(1),
      answer(3),
    )
    expect(await Promise.all(answers)).toMatchObject([{ status: 200 }, { status: 200 }])
    await expectGoAway(NO_ERROR)
  })

  test('after 16 MB of requests that it had not read', async () => {
    const { socket, peer, connection, answers, expectGoAway } = await setUp()
    peer.write(encodeSettings(), answer(1))
    await answers[0]
    peer.stopReading()
    const path = `/${'x'.repeat(15_999)}`
    for (let count = 0; count < 1_000; count++) connection.get(path, { onResult() {} })
    peer.write(VIOLATION)
    expect(await answers[1]).toMatchObject(LOST)
    expect(socket.destroyed).toBe(false)
    peer.continueReading()
    await expectGoAway(PROTOCOL_ERROR)
    expect(peer.frames.filter(({ type }) => type === HEADERS)).toHaveLength(1_002)
  })

  test('when it closes its side', async () => {
    const { peer, answers, expectGoAway } = await setUp()
    peer.end()
    expect(await answers[1]).toMatchObject(LOST)
    await expectGoAway(NO_ERROR)
  })

  test('when the client closes the connection', async () => {
    const { connection, answers, expectGoAway } = await setUp()
    connection.close()
    connection.close()
    expect(await answers[1]).toMatchObject(LOST)
    await expectGoAway(NO_ERROR)
  })
})

describe('a server that keeps its side open after GOAWAY', () => {
  test('is disconnected after a second; requests fail before', async () => {
    const { socket, peer, answers, socketClosed } = await setUp({ allowHalfOpen: true })
    peer.write(encodeSettings(), VIOLATION)
    expect(await Promise.all(answers)).toMatchObject([LOST, LOST])
    expect(await peer.next(GOAWAY)).toEqual(goAwayFrame(PROTOCOL_ERROR))
    vi.advanceTimersByTime(999)
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(socket.destroyed).toBe(true)
    await socketClosed
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is disconnected after a second when it does not read either', async () => {
    const { socket, peer, answers, socketClosed } = await setUp({ allowHalfOpen: true })
    peer.stopReading()
    peer.write(encodeSettings(), VIOLATION)
    expect(await Promise.all(answers)).toMatchObject([LOST, LOST])
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(1_000)
    await socketClosed
    expect(vi.getTimerCount()).toBe(0)
  })

  test('may send what it had begun, which is discarded', async () => {
    const { peer, answers, errors, connection, expectGoAway } = await setUp({
      allowHalfOpen: true,
    })
    peer.write(encodeSettings(), VIOLATION)
    expect(await Promise.all(answers)).toMatchObject([LOST, LOST])
    await peer.next(GOAWAY)
    peer.write(answer(1), answer(3), VIOLATION, Buffer.alloc(500_000, 0xff))
    peer.end()
    await expectGoAway(PROTOCOL_ERROR)
    expect(errors).toHaveLength(1)
    expect(connection.isUsable()).toBe(false)
  })

  test('has to wait after one MiB more, until it is disconnected', async () => {
    const { socket, peer, socketClosed } = await setUp({ allowHalfOpen: true })
    peer.write(encodeSettings(), VIOLATION)
    await peer.next(GOAWAY)
    const before = socket.bytesRead
    const paused = once(socket, 'pause')
    peer.write(Buffer.alloc(4 * MEBIBYTE))
    await paused
    expect(socket.bytesRead - before).toBeGreaterThan(MEBIBYTE)
    expect(socket.bytesRead - before).toBeLessThan(2 * MEBIBYTE)
    vi.advanceTimersByTime(1_000)
    await socketClosed
  })

  test('does not keep the process running', async () => {
    const { connection } = await setUp({ allowHalfOpen: true })
    /** Sockets that do. */
    const countSockets = () =>
      process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
    const before = countSockets()
    connection.close()
    expect(countSockets()).toBe(before - 1)
  })

  test('gets no PING', async () => {
    const { peer, connection, socketClosed } = await setUp({ allowHalfOpen: true })
    connection.close()
    const timers = vi.getTimerCount()
    connection.checkLiveness()
    expect(vi.getTimerCount()).toBe(timers)
    await peer.next(GOAWAY)
    peer.end()
    await socketClosed
    expect(framesFromGoAway(peer.frames)).toEqual([goAwayFrame(NO_ERROR)])
  })
})
