/** Responses that RFC 9113 §8 calls malformed: the stream is reset, the connection stays. */
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

const { DATA, HEADERS, RST_STREAM } = RAW_FRAME_TYPE
const END_STREAM = 1
const END_HEADERS = 4
const PROTOCOL_ERROR = 1
const OK = Buffer.of(0x88)

const header = (...fields: Buffer[]) => encodeFrame(HEADERS, END_HEADERS, 1, Buffer.concat(fields))
const data = (text: string, flags = 0) => encodeFrame(DATA, flags, 1, Buffer.from(text))
const trailer = (...fields: Buffer[]) =>
  encodeFrame(HEADERS, END_HEADERS | END_STREAM, 1, Buffer.concat(fields))
const length = (value: string) => encodeField('content-length', value)

function setUp() {
  const memory = createMemorySocket()
  const connection = createHttp2Connection(memory.socket, 'resolver.test')
  memory.receive(encodeSettings())
  const get = () => {
    const results: DohResult[] = []
    const request = connection.get('/', { onResult: (result) => results.push(result) })
    return { results, cancel: () => request.cancel() }
  }
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  /** The streams that the client has reset, with the error code of each. */
  const resets = async () => {
    await nextTurn()
    return memory.sent
      .filter(({ type }) => type === RST_STREAM)
      .map(({ streamId, payload }) => [streamId, payload.readUInt32BE(0)])
  }
  return { ...memory, connection, get, resets }
}

function receiveResponse(...frames: Buffer[]) {
  const setup = setUp()
  const { results } = setup.get()
  setup.receive(...frames)
  return { ...setup, results }
}

const MALFORMED = { kind: 'failure', reason: 'malformed', isConnectionLost: false }

async function expectMalformed(frames: Buffer[], isReset: boolean) {
  const { results, resets, connection, get, receive } = receiveResponse(...frames)
  expect(results).toEqual([{ ...MALFORMED, detail: expect.stringContaining('malformed') }])
  expect(await resets()).toEqual(isReset ? [[1, PROTOCOL_ERROR]] : [])
  expect(connection.isUsable()).toBe(true)
  const next = get()
  receive(encodeFrame(HEADERS, END_HEADERS | END_STREAM, 3, OK))
  expect(next.results).toMatchObject([{ kind: 'response', status: 200 }])
}

const INVALID_FIELDS: [string, Buffer][] = [
  ['an upper-case name', encodeField('Content-Type', 'x')],
  ['an empty name', encodeField('', 'x')],
  ['a space in a name', encodeField('a b', 'x')],
  ['a NUL in a name', encodeField('a\0', 'x')],
  ['DEL in a name', encodeField('a\x7f', 'x')],
  ['a name that is not ASCII', encodeField('\xe9', 'x')],
  ['a colon in a name', encodeField('a:b', 'x')],
  ['a NUL in a value', encodeField('a', 'x\0y')],
  ['a line feed in a value', encodeField('a', 'x\ny')],
  ['a carriage return in a value', encodeField('a', 'x\r')],
  ['a space before a value', encodeField('a', ' x')],
  ['a tab after a value', encodeField('a', 'x\t')],
  ['connection', encodeField('connection', 'close')],
  ['keep-alive', encodeField('keep-alive', 'timeout=5')],
  ['proxy-connection', encodeField('proxy-connection', 'close')],
  ['te', encodeField('te', 'trailers')],
  ['transfer-encoding', encodeField('transfer-encoding', 'chunked')],
  ['upgrade', encodeField('upgrade', 'h2c')],
  ['a pseudo-header field of requests', encodeField(':path', '/')],
  ['an unknown pseudo-header field', encodeField(':protocol', 'x')],
]

describe('a field that is not valid (RFC 9113 §8.2)', () => {
  test.each(INVALID_FIELDS)('%s in a header', (_, field) =>
    expectMalformed([header(OK, field)], true),
  )

  test.each(INVALID_FIELDS)('%s in a trailer', (_, field) =>
    expectMalformed([header(OK), data('x'), trailer(field)], false),
  )

  test('in an interim response', () =>
    expectMalformed([header(encodeField(':status', '103'), encodeField('A', 'x'))], true))

  test('in a header that ends the stream', () =>
    expectMalformed([trailer(OK, encodeField('A', 'x'))], false))

  test('in a later response, by its index in the table', async () => {
    const { receive, get, resets } = setUp()
    const indexed = Buffer.concat([Buffer.of(0x40), encodeField('A', 'x').subarray(1)])
    const [first, second] = [get(), get()]
    receive(
      encodeFrame(HEADERS, END_HEADERS, 1, Buffer.concat([OK, indexed])),
      encodeFrame(HEADERS, END_HEADERS, 3, Buffer.concat([OK, Buffer.of(0xbe)])),
    )
    expect(first.results).toMatchObject([MALFORMED])
    expect(second.results).toMatchObject([MALFORMED])
    expect(await resets()).toEqual([
      [1, PROTOCOL_ERROR],
      [3, PROTOCOL_ERROR],
    ])
  })

  test('with a name from the table and a value of its own', () =>
    // Index 54 of the static table is `server`.
    expectMalformed([header(OK, Buffer.from([0x0f, 39, 3, ...Buffer.from('a\nb')]))], true))

  test('is ignored on a stream that we have reset', async () => {
    const { receive, get, resets, connection } = setUp()
    get().cancel()
    receive(header(OK, encodeField('A', 'x')))
    expect(await resets()).toEqual([[1, 8]])
    expect(connection.isUsable()).toBe(true)
  })

  test('does not include unusual but valid fields', () => {
    const { results } = receiveResponse(
      header(OK, encodeField("x!#$%&'*+-.^_`|~9", ''), encodeField('a', 'x \t\xe9\x01y')),
      data('', END_STREAM),
    )
    expect(results).toMatchObject([{ kind: 'response', status: 200 }])
  })
})

describe('the status (RFC 9113 §8.3.2)', () => {
  test.each([
    ['is missing', [encodeField('a', 'x')]],
    ['follows another field', [encodeField('a', 'x'), OK]],
    ['is there twice', [OK, OK]],
    ['has two digits', [encodeField(':status', '20')]],
    ['has four digits', [encodeField(':status', '2000')]],
    ['is not a number', [encodeField(':status', '2x0')]],
    ['is below 100', [encodeField(':status', '099')]],
    ['is 101, which HTTP/2 does not have', [encodeField(':status', '101')]],
  ])('%s', (_, fields) => expectMalformed([header(...fields)], true))

  test('is in a trailer', () => expectMalformed([header(OK), data('x'), trailer(OK)], false))

  test('is only interim when the stream ends', () =>
    expectMalformed([trailer(encodeField(':status', '103'))], false))

  test('is final, then interim', () =>
    expectMalformed([header(OK), header(encodeField(':status', '103'))], true))
})

describe('content-length (RFC 9113 §8.1.1)', () => {
  test.each(['', 'x', '1x', '-1', '+1', '1.0', '0x1', '1, 1', '1 '])(
    '%j is not a number',
    (value) => expectMalformed([header(OK, length(value))], true),
  )

  test('differs from another content-length', () =>
    expectMalformed([header(OK, length('1'), length('2'))], true))

  test('is larger than the body', () =>
    expectMalformed([header(OK, length('2')), data('x', END_STREAM)], false))

  test('is larger than the body before a trailer', () =>
    expectMalformed([header(OK, length('2')), data('x'), trailer(encodeField('a', 'x'))], false))

  test('is larger than a body that is missing', () =>
    expectMalformed([trailer(OK, length('2'))], false))

  test('is smaller than the body: the stream is reset at once', () =>
    expectMalformed([header(OK, length('2')), data('xy'), data('z')], true))

  test('is smaller than the last part of the body', () =>
    expectMalformed([header(OK, length('2')), data('xyz', END_STREAM)], false))

  test.each([
    ['may equal the body in parts', [header(OK, length('3')), data('xy'), data('z', END_STREAM)]],
    ['may be repeated', [header(OK, length('3'), length('3')), data('xyz', END_STREAM)]],
    [
      'counts only the final response',
      [
        header(encodeField(':status', '103'), length('9')),
        header(OK, length('3')),
        data('xyz', END_STREAM),
      ],
    ],
  ])('%s', (_, frames) => {
    const { results } = receiveResponse(...frames)
    expect(results).toMatchObject([{ kind: 'response', status: 200, body: Buffer.from('xyz') }])
  })

  test('does not count padding', () => {
    const padded = Buffer.concat([Buffer.of(4), Buffer.from('xyz'), Buffer.alloc(4)])
    const { results } = receiveResponse(
      header(OK, length('3')),
      encodeFrame(DATA, END_STREAM | 8, 1, padded),
    )
    expect(results).toMatchObject([{ kind: 'response', body: Buffer.from('xyz') }])
  })

  test.each(['204', '304'])('may be anything in a response %s, which has no body', (status) => {
    const { results } = receiveResponse(trailer(encodeField(':status', status), length('9')))
    expect(results).toMatchObject([{ kind: 'response', status: Number(status) }])
  })
})

test('a body without a header resets the stream', () => expectMalformed([data('x')], true))

test('a malformed response resets only its own stream', async () => {
  const { receive, get, resets } = setUp()
  const [bad, good] = [get(), get()]
  receive(header(encodeField('a', 'x')))
  receive(encodeFrame(HEADERS, END_HEADERS, 3, OK))
  receive(encodeFrame(DATA, END_STREAM, 3, Buffer.from('sound')))
  expect(bad.results).toMatchObject([MALFORMED])
  expect(good.results).toMatchObject([{ kind: 'response', body: Buffer.from('sound') }])
  expect(await resets()).toEqual([[1, encodeU32(PROTOCOL_ERROR).readUInt32BE(0)]])
})
