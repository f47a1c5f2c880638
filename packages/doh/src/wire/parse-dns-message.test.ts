/** What makes a response malformed. */

import {
  compressionPointer,
  encodeRawMessage,
  encodeRawQuestion,
  encodeRawRecord,
  encodeResponse,
  encodeU16,
  encodeWireName,
  FLAG_TRUNCATED,
  soaRecord,
  WIRE_TYPES,
} from '@mailgrade/testing/dns-message'
import { describe, expect, test } from 'vitest'
import { decodeResponse } from './decode-response.js'

const QUERY = { name: 'acme.test', type: 'A' } as const
const question = encodeRawQuestion(['acme', 'test'], WIRE_TYPES.A)
const address = encodeRawRecord({ type: WIRE_TYPES.A, data: Buffer.of(192, 0, 2, 7) })
const decode = (bytes: Buffer) => decodeResponse(bytes, QUERY, 'resolver.test')
const malformed = (why: string) => ({
  kind: 'failed',
  reason: 'malformed',
  detail: `the DNS message is malformed: ${why}`,
  resolver: 'resolver.test',
})

test('the message that the other tests change is valid', () => {
  expect(decode(encodeRawMessage({ question, answers: [address] }))).toMatchObject({
    kind: 'records',
    records: ['192.0.2.7'],
  })
})

describe('header', () => {
  test('rejects another id', () => {
    expect(decode(encodeResponse('A acme.test', { id: 1 }))).toMatchObject(
      malformed('its id differs from the query’s'),
    )
  })

  test.each([
    ['a query', 0x0100],
    ['an update (opcode 5)', 0xa800],
    ['an inverse query (opcode 1)', 0x8800],
  ])('rejects %s', (_, flags) => {
    expect(decode(encodeRawMessage({ flags, question, answers: [address] }))).toMatchObject(
      malformed('it is not a response'),
    )
  })

  test('rejects a truncated message', () => {
    expect(decode(encodeResponse('A acme.test', { flags: FLAG_TRUNCATED }))).toMatchObject(
      malformed('it is truncated'),
    )
  })

  test.each([0, 1, 11])('rejects %i octets', (length) => {
    expect(decode(encodeRawMessage({ question }).subarray(0, length))).toMatchObject(
      malformed('it ends too early'),
    )
  })
})

describe('question section', () => {
  const other = malformed('it answers another question')

  test.each([
    ['another name', encodeRawQuestion(['evil', 'test'], WIRE_TYPES.A)],
    ['a name below', encodeRawQuestion(['www', 'acme', 'test'], WIRE_TYPES.A)],
    ['a name with the same text', encodeRawQuestion(['acme.test'], WIRE_TYPES.A)],
    ['the root', encodeRawQuestion([], WIRE_TYPES.A)],
    ['another type', encodeRawQuestion(['acme', 'test'], WIRE_TYPES.AAAA)],
    ['another class', encodeRawQuestion(['acme', 'test'], WIRE_TYPES.A, 3)],
  ])('rejects %s', (_, echo) => {
    expect(decode(encodeRawMessage({ question: echo, answers: [address] }))).toMatchObject(other)
  })

  test('ignores case', () => {
    const echo = encodeRawQuestion(['AcMe', 'TEST'], WIRE_TYPES.A)
    expect(decode(encodeRawMessage({ question: echo, answers: [address] })).kind).toBe('records')
  })

  test.each([0, 2])('rejects %i questions', (count) => {
    expect(decode(encodeRawMessage({ question, counts: [count, 0, 0, 0] }))).toMatchObject(other)
  })
})

describe('record counts', () => {
  const addresses = (count: number) => Array.from({ length: count }, () => address)

  test('accepts 512 answers', () => {
    const answer = decode(encodeRawMessage({ question, answers: addresses(512) }))
    expect(answer.kind === 'records' && answer.records).toEqual(Array(512).fill('192.0.2.7'))
  })

  test.each(['answers', 'authorities', 'additionals'])('rejects 513 %s', (section) => {
    expect(decode(encodeRawMessage({ question, [section]: addresses(513) }))).toMatchObject(
      malformed('it has more than 512 records'),
    )
  })

  test.each([
    ['answers', [1, 2, 0, 0]],
    ['authorities', [1, 1, 1, 0]],
    ['additionals', [1, 1, 0, 1]],
  ])('rejects a count of %s that is too high', (_, counts) => {
    expect(decode(encodeRawMessage({ question, answers: [address], counts }))).toMatchObject(
      malformed('it ends too early'),
    )
  })
})

describe('other records', () => {
  test('of another owner, type or class are ignored', () => {
    const strangers = [
      encodeRawRecord({
        owner: encodeWireName(['evil']),
        type: WIRE_TYPES.A,
        data: Buffer.of(6, 6, 6, 6),
      }),
      encodeRawRecord({ type: WIRE_TYPES.TXT, data: encodeWireName(['evil'], Buffer.of()) }),
      encodeRawRecord({ type: 46, data: Buffer.alloc(40, 0xff) }),
      encodeRawRecord({ type: WIRE_TYPES.A, class: 3, data: Buffer.of(6, 6, 6, 6) }),
      encodeRawRecord({ type: WIRE_TYPES.A, class: 3, data: Buffer.of(6) }),
    ]
    expect(decode(encodeRawMessage({ question, answers: [...strangers, address] }))).toMatchObject({
      kind: 'records',
      records: ['192.0.2.7'],
    })
  })

  test('in the wrong section are ignored', () => {
    expect(
      decode(encodeRawMessage({ question, authorities: [address], additionals: [address] })),
    ).toMatchObject({ kind: 'nodata', ttl: null })
  })

  test('that are longer than the message are rejected', () => {
    const overlong = encodeRawRecord({ type: 46, data: Buffer.alloc(4), length: 5 })
    expect(decode(encodeRawMessage({ question, answers: [overlong] }))).toMatchObject(
      malformed('it ends too early'),
    )
  })
})

describe('names', () => {
  test.each([
    ['itself', 12 + question.length],
    ['a later offset', 12 + question.length + 2],
    ['beyond the end', 0x3fff],
  ])('rejects an owner that points to %s', (_, target) => {
    const answers = [
      encodeRawRecord({
        owner: compressionPointer(target),
        type: WIRE_TYPES.A,
        data: Buffer.alloc(4),
      }),
    ]
    expect(decode(encodeRawMessage({ question, answers }))).toMatchObject(
      malformed('a name has a forward pointer or too many pointers'),
    )
  })

  test('accepts a pointer into the question', () => {
    const alias = encodeRawRecord({
      type: WIRE_TYPES.CNAME,
      data: encodeWireName(['host'], compressionPointer(12)),
    })
    const target = encodeRawRecord({
      owner: encodeWireName(['host'], compressionPointer(12)),
      type: WIRE_TYPES.A,
      data: Buffer.of(192, 0, 2, 9),
    })
    expect(decode(encodeRawMessage({ question, answers: [alias, target] }))).toMatchObject({
      records: ['192.0.2.9'],
      cnames: ['host.acme.test'],
    })
  })
})

describe('OPT record', () => {
  const withOpt = (data: Buffer, length = data.length) =>
    decode(
      encodeRawMessage({
        question,
        additionals: [
          encodeRawRecord({ owner: Buffer.of(0), type: WIRE_TYPES.OPT, data, length }),
          // Lets an option with a wrong length stay inside the message.
          encodeRawRecord({
            type: WIRE_TYPES.TXT,
            data: encodeWireName(['x'.repeat(200)], Buffer.of()),
          }),
        ],
      }),
    )
  const option = (code: number, data: Buffer, length = data.length) =>
    Buffer.concat([encodeU16(code), encodeU16(length), data])

  test('rejects an option that is longer than the record', () => {
    const text = Buffer.from('\x00\x16no')
    expect(withOpt(option(15, text)).extendedError).toEqual({ code: 22, text: 'no' })
    expect(withOpt(option(15, text, text.length + 20))).toMatchObject(
      malformed('a record is longer than its length'),
    )
  })

  test('rejects an incomplete option', () => {
    expect(withOpt(Buffer.of(0, 15, 0))).toMatchObject(
      malformed('a record is longer than its length'),
    )
  })

  test('ignores an extended error without a code', () => {
    expect(withOpt(option(15, Buffer.of(0))).extendedError).toBeNull()
  })

  test('uses the first of two extended errors', () => {
    const two = Buffer.concat([option(15, encodeU16(22)), option(15, encodeU16(23))])
    expect(withOpt(two).extendedError).toEqual({ code: 22, text: '' })
  })
})

test('treats a TTL with the top bit set as zero (RFC 2181 §8)', () => {
  const withTtl = (ttl: number) =>
    decode(
      encodeRawMessage({
        question,
        answers: [encodeRawRecord({ type: WIRE_TYPES.A, ttl, data: Buffer.of(192, 0, 2, 7) })],
      }),
    )
  expect(withTtl(0x7fffffff)).toMatchObject({ ttl: 0x7fffffff })
  expect(withTtl(0x80000000)).toMatchObject({ ttl: 0 })
  expect(withTtl(0xffffffff)).toMatchObject({ ttl: 0 })
})

test('uses the first of two SOA records', () => {
  const authorities = [soaRecord('acme.test', 600, 60), soaRecord('test', 10, 10)]
  expect(decode(encodeResponse('A acme.test', { authorities }))).toMatchObject({
    kind: 'nodata',
    ttl: 60,
  })
})
