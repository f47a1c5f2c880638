/** What a message must be before we believe a word of it. */

import {
  pointerTo,
  rawMessage,
  rawQuestion,
  rawRecord,
  response,
  soa,
  TRUNCATED,
  TYPES,
  u16,
  wireName,
} from '@mailgrade/testing/dns-message'
import { describe, expect, test } from 'vitest'
import { decodeResponse } from './response.js'

const QUESTION = { name: 'acme.test', type: 'A' } as const
const question = rawQuestion(['acme', 'test'], TYPES.A)
const address = rawRecord({ type: TYPES.A, data: Buffer.of(192, 0, 2, 7) })
const decode = (bytes: Buffer) => decodeResponse(bytes, QUESTION, 'resolver.test')
const malformed = (why: string) => ({
  kind: 'failed',
  reason: 'malformed',
  detail: `the DNS message cannot be read: ${why}`,
  resolver: 'resolver.test',
})

test('the message that the rest of these spoil is a good one', () => {
  expect(decode(rawMessage({ question, answers: [address] }))).toMatchObject({
    kind: 'records',
    records: ['192.0.2.7'],
  })
})

describe('the header', () => {
  test('another id is another question’s answer', () => {
    expect(decode(response('A acme.test', { id: 1 }))).toMatchObject(
      malformed('its id is not the question’s'),
    )
  })

  test.each([
    ['a query', 0x0100],
    ['an update (opcode 5)', 0xa800],
    ['an inverse query (opcode 1)', 0x8800],
  ])('%s is not a response', (_, flags) => {
    expect(decode(rawMessage({ flags, question, answers: [address] }))).toMatchObject(
      malformed('it is not a response'),
    )
  })

  test('a truncated message is not half an answer', () => {
    expect(decode(response('A acme.test', { flags: TRUNCATED }))).toMatchObject(
      malformed('it is truncated'),
    )
  })

  test.each([0, 1, 11])('%i octets are too few for one', (length) => {
    expect(decode(rawMessage({ question }).subarray(0, length))).toMatchObject(
      malformed('it ends too early'),
    )
  })
})

describe('the echo of the question', () => {
  const other = malformed('it answers another question')

  test.each([
    ['another name', rawQuestion(['evil', 'test'], TYPES.A)],
    ['a name below', rawQuestion(['www', 'acme', 'test'], TYPES.A)],
    ['a name that only looks alike', rawQuestion(['acme.test'], TYPES.A)],
    ['the root', rawQuestion([], TYPES.A)],
    ['another type', rawQuestion(['acme', 'test'], TYPES.AAAA)],
    ['another class', rawQuestion(['acme', 'test'], TYPES.A, 3)],
  ])('%s is refused', (_, echo) => {
    expect(decode(rawMessage({ question: echo, answers: [address] }))).toMatchObject(other)
  })

  test('case does not make another name', () => {
    const echo = rawQuestion(['AcMe', 'TEST'], TYPES.A)
    expect(decode(rawMessage({ question: echo, answers: [address] })).kind).toBe('records')
  })

  test.each([0, 2])('%i questions instead of one are refused', (count) => {
    expect(decode(rawMessage({ question, counts: [count, 0, 0, 0] }))).toMatchObject(other)
  })
})

describe('the number of records', () => {
  const addresses = (count: number) => Array.from({ length: count }, () => address)

  test('512 answers are read', () => {
    const answer = decode(rawMessage({ question, answers: addresses(512) }))
    expect(answer.kind === 'records' && answer.records).toEqual(Array(512).fill('192.0.2.7'))
  })

  test.each(['answers', 'authorities', 'additionals'])('513 %s are refused', (section) => {
    expect(decode(rawMessage({ question, [section]: addresses(513) }))).toMatchObject(
      malformed('it has more than 512 records'),
    )
  })

  test.each([
    ['answers', [1, 2, 0, 0]],
    ['authorities', [1, 1, 1, 0]],
    ['additionals', [1, 1, 0, 1]],
  ])('more %s claimed than sent are an early end', (_, counts) => {
    expect(decode(rawMessage({ question, answers: [address], counts }))).toMatchObject(
      malformed('it ends too early'),
    )
  })
})

describe('records that are not the answer', () => {
  test('another owner’s, another type’s and another class’s records are passed over', () => {
    const strangers = [
      rawRecord({ owner: wireName(['evil']), type: TYPES.A, data: Buffer.of(6, 6, 6, 6) }),
      rawRecord({ type: TYPES.TXT, data: wireName(['evil'], Buffer.of()) }),
      rawRecord({ type: 46, data: Buffer.alloc(40, 0xff) }),
      rawRecord({ type: TYPES.A, class: 3, data: Buffer.of(6, 6, 6, 6) }),
      rawRecord({ type: TYPES.A, class: 3, data: Buffer.of(6) }),
    ]
    expect(decode(rawMessage({ question, answers: [...strangers, address] }))).toMatchObject({
      kind: 'records',
      records: ['192.0.2.7'],
    })
  })

  test('an answer in the wrong section is none', () => {
    expect(
      decode(rawMessage({ question, authorities: [address], additionals: [address] })),
    ).toMatchObject({ kind: 'nodata', ttl: null })
  })

  test('data of a passed-over record that leaves the message is an early end', () => {
    const overlong = rawRecord({ type: 46, data: Buffer.alloc(4), length: 5 })
    expect(decode(rawMessage({ question, answers: [overlong] }))).toMatchObject(
      malformed('it ends too early'),
    )
  })
})

describe('names inside a message', () => {
  test.each([
    ['its own place', 12 + question.length],
    ['a later place', 12 + question.length + 2],
    ['beyond the end', 0x3fff],
  ])('an owner that points to %s is refused', (_, target) => {
    const answers = [rawRecord({ owner: pointerTo(target), type: TYPES.A, data: Buffer.alloc(4) })]
    expect(decode(rawMessage({ question, answers }))).toMatchObject(
      malformed('a name points forward or too often'),
    )
  })

  test('an alias may point back into the question', () => {
    const alias = rawRecord({
      type: TYPES.CNAME,
      data: wireName(['host'], pointerTo(12)),
    })
    const target = rawRecord({
      owner: wireName(['host'], pointerTo(12)),
      type: TYPES.A,
      data: Buffer.of(192, 0, 2, 9),
    })
    expect(decode(rawMessage({ question, answers: [alias, target] }))).toMatchObject({
      records: ['192.0.2.9'],
      cnames: ['host.acme.test'],
    })
  })
})

describe('the OPT record', () => {
  const withOpt = (data: Buffer, length = data.length) =>
    decode(
      rawMessage({
        question,
        additionals: [
          rawRecord({ owner: Buffer.of(0), type: TYPES.OPT, data, length }),
          // Room for a lying option to reach into without leaving the message.
          rawRecord({ type: TYPES.TXT, data: wireName(['x'.repeat(200)], Buffer.of()) }),
        ],
      }),
    )
  const option = (code: number, data: Buffer, length = data.length) =>
    Buffer.concat([u16(code), u16(length), data])

  test('an option that claims more than the record holds is refused', () => {
    const text = Buffer.from('\x00\x16no')
    expect(withOpt(option(15, text)).extendedError).toEqual({ code: 22, text: 'no' })
    expect(withOpt(option(15, text, text.length + 20))).toMatchObject(
      malformed('a record overruns its length'),
    )
  })

  test('half an option is refused', () => {
    expect(withOpt(Buffer.of(0, 15, 0))).toMatchObject(malformed('a record overruns its length'))
  })

  test('an extended error without even a code is passed over', () => {
    expect(withOpt(option(15, Buffer.of(0))).extendedError).toBeNull()
  })

  test('the first of two extended errors counts', () => {
    const two = Buffer.concat([option(15, u16(22)), option(15, u16(23))])
    expect(withOpt(two).extendedError).toEqual({ code: 22, text: '' })
  })
})

test('a TTL with the top bit set counts as zero (RFC 2181 §8)', () => {
  const withTtl = (ttl: number) =>
    decode(
      rawMessage({
        question,
        answers: [rawRecord({ type: TYPES.A, ttl, data: Buffer.of(192, 0, 2, 7) })],
      }),
    )
  expect(withTtl(0x7fffffff)).toMatchObject({ ttl: 0x7fffffff })
  expect(withTtl(0x80000000)).toMatchObject({ ttl: 0 })
  expect(withTtl(0xffffffff)).toMatchObject({ ttl: 0 })
})

test('the first SOA of two decides', () => {
  const authorities = [soa('acme.test', 600, 60), soa('test', 10, 10)]
  expect(decode(response('A acme.test', { authorities }))).toMatchObject({
    kind: 'nodata',
    ttl: 60,
  })
})
