/** Generated frames in generated chunks: valid ones are understood, others do no harm. */
import { propertyRuns } from '@mailgrade/testing/property-runs'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
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

// Thousands of sequences take long on a busy machine.

const { DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION } =
  RAW_FRAME_TYPE
const END_STREAM = 1
const END_HEADERS = 4
const PADDED = 8

let framesRun = 0
let connectionsRun = 0
afterAll(() => {
  // Only when PROPERTY_RUNS asks for every run.
  if (propertyRuns(1_000) < 1_000) return
  process.stdout.write(`HTTP/2: ${framesRun} generated frames, ${connectionsRun} connections\n`)
})

interface SentRequest {
  readonly cancel: () => void
  readonly results: DohResult[]
  isCancelled: boolean
}

/** A connection whose chunks end anywhere, also inside a frame. */
function setUp(chunkSizes: readonly number[]) {
  const memory = createMemorySocket()
  const errors: unknown[] = []
  const connection = createHttp2Connection(memory.socket, 'resolver.test', {
    onError: (error) => errors.push(error),
  })
  const requests: SentRequest[] = []
  let pending = Buffer.alloc(0)
  let chunk = 0
  connectionsRun++

  /** Delivers chunks and keeps what is shorter than the next one. */
  function receive(bytes: Buffer): void {
    pending = Buffer.concat([pending, bytes])
    for (;;) {
      const size = chunkSizes[chunk % chunkSizes.length] ?? 1
      if (pending.length < size) return
      chunk++
      memory.receive(pending.subarray(0, size))
      pending = pending.subarray(size)
    }
  }

  return {
    ...memory,
    connection,
    errors,
    requests,
    receive,
    receiveRest(): void {
      memory.receive(pending)
      pending = Buffer.alloc(0)
    },
    get(): void {
      const results: DohResult[] = []
      const request = connection.get('/', { onResult: (result) => results.push(result) })
      requests.push({ cancel: () => request.cancel(), results, isCancelled: false })
    },
    cancel(index: number): void {
      const request = requests[index % requests.length]
      if (!request) return
      request.isCancelled ||= request.results.length === 0
      request.cancel()
    },
  }
}

type Setup = ReturnType<typeof setUp>

/** Only the server's violations are errors; each request has ended once. */
function checkEnd({ errors, requests, isDestroyed, sent }: Setup, frames: number): void {
  expect(errors.filter((error) => !(error instanceof Http2ConnectionError))).toEqual([])
  expect(isDestroyed()).toBe(true)
  expect(requests.map(({ results }) => results.length)).toEqual(
    requests.map(({ isCancelled }) => (isCancelled ? 0 : 1)),
  )
  // SETTINGS, WINDOW_UPDATE and GOAWAY, two frames per request, one for each received frame.
  expect(sent.length).toBeLessThanOrEqual(3 + 2 * requests.length + frames)
}

const chunkSizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 8 })
const octets = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes))
const flags = fc.constantFrom(0, END_STREAM, END_HEADERS, END_HEADERS | END_STREAM, PADDED, 0xff)
const u32 = fc.oneof(fc.nat(20), fc.constantFrom(0x7fffffff, 0x80000000, 0xffffffff))

const field = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('88', '8d', '08033130 33', '0803343231') },
  { weight: 3, arbitrary: fc.constantFrom('0f0d0131', '0f0d0132', '0f100178', 'be', 'bf', '20') },
  { weight: 1, arbitrary: octets(12).map((bytes) => bytes.toString('hex')) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', 'A', 'te', ':path', 'content-length', 'retry-after', ''),
        fc.constantFrom('', '1', 'x\n', ' '),
      )
      .map(([name, value]) => encodeField(name, value).toString('hex')),
  },
)
const headerBlock = fc
  .array(field, { maxLength: 4 })
  .map((parts) => Buffer.from(parts.join('').replaceAll(' ', ''), 'hex'))

/** A frame as servers send them, for the stream of one of the requests. */
interface LikelyFrame {
  readonly slot: number
  readonly encode: (streamId: number) => Buffer
}

/** Too large an increment ends a stream only, so it is likely there. */
const encodeWindowUpdate = (streamId: number, value: number) =>
  encodeFrame(WINDOW_UPDATE, 0, streamId, encodeU32(streamId === 0 ? 1 : value & 0x7fffffff || 1))

const likelyFrame: fc.Arbitrary<LikelyFrame> = fc
  .record({
    slot: fc.nat(5),
    kind: fc.nat(9),
    isEnd: fc.boolean(),
    block: headerBlock,
    body: octets(90),
    value: u32,
  })
  .map(({ slot, kind, isEnd, block, body, value }) => ({
    slot,
    encode(id) {
      const end = isEnd ? END_STREAM : 0
      if (kind <= 2) {
        return encodeFrame(HEADERS, END_HEADERS | end, id, Buffer.concat([Buffer.of(0x88), block]))
      }
      if (kind <= 5) return encodeFrame(DATA, end, id, body)
      if (kind === 6) return encodeFrame(RST_STREAM, 0, id, encodeU32(value))
      if (kind === 7) return encodeWindowUpdate(isEnd ? 0 : id, value)
      if (kind === 8) return encodeFrame(PING, end, 0, Buffer.alloc(8))
      return encodeFrame(SETTINGS, end, 0)
    },
  }))

/** Any frame at all. */
const anyFrame = fc.oneof(
  fc
    .tuple(
      fc.integer({ min: 0, max: 12 }),
      flags,
      fc.constantFrom(0, 1, 2, 3, 5, 7, 9, 99, 0x7fffffff, 0x80000001),
      octets(40),
    )
    .map(([type, bits, id, payload]) => encodeFrame(type, bits, id, payload)),
  fc
    .tuple(fc.constantFrom(HEADERS, CONTINUATION), flags, fc.constantFrom(1, 3, 5), headerBlock)
    .map(([type, bits, id, payload]) => encodeFrame(type, bits, id, payload)),
  fc
    .array(fc.tuple(fc.integer({ min: 0, max: 7 }), u32), { maxLength: 3 })
    .map((pairs) => encodeSettings(...pairs)),
  fc.tuple(u32, u32).map(([last, code]) => encodeFrame(GOAWAY, 0, 0, encodeU32(last, code))),
  fc.constant(encodeFrame(PRIORITY, 0, 3, Buffer.alloc(5))),
  fc.constant(encodeFrame(DATA, 0, 1, Buffer.alloc(16_384))),
)

const step = fc.oneof(
  { weight: 40, arbitrary: likelyFrame },
  { weight: 1, arbitrary: anyFrame },
  { weight: 15, arbitrary: fc.constant('get' as const) },
  { weight: 3, arbitrary: fc.nat(20) },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never
const steps = fc.array(step, { maxLength: 80, size: 'max' })

/** The stream of one of the requests without a result, as long as none has been queued. */
function likelyStream({ requests }: Setup, slot: number): number {
  const pending = [...requests.keys()].filter((index) => {
    const request = requests[index]
    return request?.results.length === 0 && !request.isCancelled
  })
  return 2 * (pending[slot % pending.length] ?? slot) + 1
}

/** Requests, cancels and frames in turn; returns how many frames the connection got. */
function run(setup: Setup, sequence: readonly Step[], maxConcurrent: number): number {
  let frames = 1
  setup.receive(encodeSettings([3, maxConcurrent]))
  for (const each of sequence) {
    if (setup.isDestroyed()) break
    if (each === 'get') setup.get()
    else if (typeof each === 'number') setup.cancel(each)
    else {
      frames++
      setup.receive('slot' in each ? each.encode(likelyStream(setup, each.slot)) : each)
    }
  }
  framesRun += frames
  return frames
}

describe('frames in any order', () => {
  const ending = fc.constantFrom('server ends', 'requests are cancelled')

  test('end every request, leave no stream and cause no exception', async () => {
    const kinds = new Set<string>()
    await fc.assert(
      fc.asyncProperty(
        steps,
        chunkSizes,
        fc.constantFrom(2, 100),
        ending,
        async (sequence, sizes, max, how) => {
          const setup = setUp(sizes)
          const frames = run(setup, ['get', 'get', 'get', ...sequence], max)
          setup.receiveRest()
          for (const { results } of setup.requests) kinds.add(results[0]?.kind ?? 'pending')
          if (how === 'server ends') setup.socket.emit('end')
          else {
            for (const index of setup.requests.keys()) setup.cancel(index)
            // With a stream left, this would not close the connection.
            setup.receive(encodeFrame(GOAWAY, 0, 0, encodeU32(0x7fffffff, 0)))
            setup.receiveRest()
          }
          // A request on a connection that is closing fails in the next tick.
          await new Promise(process.nextTick)
          checkEnd(setup, frames + 1)
        },
      ),
      { numRuns: propertyRuns(10_000) },
    )
    expect([...kinds].sort()).toEqual(['failure', 'pending', 'response'])
  })

  const mutation = fc.record({
    how: fc.constantFrom('flip', 'insert', 'remove', 'cut'),
    at: fc.nat(),
    value: fc.integer({ min: 0, max: 255 }),
  })

  function mutate(bytes: Buffer, { how, at, value }: { how: string; at: number; value: number }) {
    const offset = at % (bytes.length + 1)
    const [before, after] = [bytes.subarray(0, offset), bytes.subarray(offset)]
    if (how === 'cut') return before
    if (how === 'insert') return Buffer.concat([before, Buffer.of(value), after])
    if (how === 'remove') return Buffer.concat([before, after.subarray(1)])
    const mutated = Buffer.from(bytes)
    mutated[offset] = (mutated[offset] ?? 0) ^ (1 << (value & 7))
    return mutated
  }

  test('with mutated octets end every request and cause no exception', () => {
    fc.assert(
      fc.property(
        fc.array(likelyFrame, { minLength: 1, maxLength: 40, size: 'max' }),
        fc.array(mutation, { minLength: 1, maxLength: 6 }),
        chunkSizes,
        (frames, mutations, sizes) => {
          const setup = setUp(sizes)
          for (let count = 0; count < 6; count++) setup.get()
          setup.receive(encodeSettings())
          const whole = frames.map(({ slot, encode }) => encode(2 * slot + 1))
          const bytes = mutations.reduce(mutate, Buffer.concat(whole))
          setup.receive(bytes)
          setup.receiveRest()
          setup.socket.emit('end')
          framesRun += frames.length + 1
          // Mutated lengths can make more frames of the same octets.
          checkEnd(setup, 1 + Math.floor(bytes.length / 9))
        },
      ),
      { numRuns: propertyRuns(10_000) },
    )
  })

  test('of random octets after SETTINGS end every request and cause no exception', () => {
    fc.assert(
      fc.property(octets(400), chunkSizes, (junk, sizes) => {
        const setup = setUp(sizes)
        setup.get()
        setup.receive(encodeSettings())
        setup.receive(junk)
        setup.receiveRest()
        setup.socket.emit('end')
        checkEnd(setup, 1 + Math.floor(junk.length / 9))
      }),
      { numRuns: propertyRuns(5_000) },
    )
  })
})

describe('valid responses', () => {
  const interim = encodeField(':status', '103')
  const response = fc.record({
    body: octets(300),
    cuts: fc.array(fc.nat(300), { maxLength: 4 }),
    padding: fc.option(fc.nat(20)),
    hasInterim: fc.boolean(),
    hasLength: fc.boolean(),
    hasTrailer: fc.boolean(),
    isSplit: fc.boolean(),
  })
  type Response = typeof response extends fc.Arbitrary<infer Value> ? Value : never

  /** A header block is one part even in several frames, because nothing may come between them. */
  function encodeParts(id: number, options: Response): Buffer[] {
    const { body, padding } = options
    const length = encodeField('content-length', String(body.length))
    const block = Buffer.concat([Buffer.of(0x88), options.hasLength ? length : Buffer.alloc(0)])
    const header = options.isSplit
      ? Buffer.concat([
          encodeFrame(HEADERS, 0, id, block.subarray(0, 1)),
          encodeFrame(CONTINUATION, END_HEADERS, id, block.subarray(1)),
        ])
      : encodeFrame(HEADERS, END_HEADERS, id, block)
    const cuts = [0, ...options.cuts.map((cut) => Math.min(cut, body.length)), body.length]
    const pieces = cuts
      .sort((a, b) => a - b)
      .map((cut, index) => body.subarray(cuts[index - 1], cut))
    const data = pieces.slice(1).map((piece, index) => {
      const isLast = index === pieces.length - 2
      const end = isLast && !options.hasTrailer ? END_STREAM : 0
      if (padding === null) return encodeFrame(DATA, end, id, piece)
      const padded = Buffer.concat([Buffer.of(padding), piece, Buffer.alloc(padding)])
      return encodeFrame(DATA, end | PADDED, id, padded)
    })
    const trailer = encodeFrame(HEADERS, END_HEADERS | END_STREAM, id, encodeField('a', 'x'))
    return [
      ...(options.hasInterim ? [encodeFrame(HEADERS, END_HEADERS, id, interim)] : []),
      header,
      ...data,
      ...(options.hasTrailer ? [trailer] : []),
    ]
  }

  const OTHER_FRAMES = [
    encodeFrame(PING, 0, 0, Buffer.alloc(8)),
    encodeSettings(),
    encodeFrame(WINDOW_UPDATE, 0, 0, encodeU32(1)),
    encodeFrame(PRIORITY, 0, 1, Buffer.alloc(5)),
    encodeFrame(0xfa, 0xff, 7, Buffer.from('unknown')),
  ]

  test('have their content, in any interleaving and in any chunks', () => {
    fc.assert(
      fc.property(
        fc.array(response, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(9), { maxLength: 40 }),
        chunkSizes,
        (responses, order, sizes) => {
          const setup = setUp(sizes)
          for (const _ of responses) setup.get()
          setup.receive(encodeSettings())
          const queues = responses.map((each, index) => encodeParts(2 * index + 1, each))
          for (const pick of [
            ...order,
            ...queues.flatMap((queue, index) => queue.map(() => index)),
          ]) {
            const other = OTHER_FRAMES[pick - 5]
            const frame = other ?? queues[pick]?.shift()
            if (frame) {
              setup.receive(frame)
              framesRun++
            }
          }
          setup.receiveRest()
          const bodies = setup.requests.map(({ results: [result] }) =>
            result?.kind === 'response' ? result.body : result,
          )
          expect(bodies).toEqual(responses.map(({ body }) => body))
          expect(setup.connection.isUsable()).toBe(true)
          setup.connection.close()
          expect(setup.errors).toEqual([])
        },
      ),
      { numRuns: propertyRuns(3_000) },
    )
  })
})
