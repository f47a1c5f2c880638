/** Every record type, encoded by dns-packet. */

import {
  compressionPointer,
  encodeRawMessage,
  encodeRawQuestion,
  encodeRawRecord,
  encodeResponse,
  encodeU16,
  encodeWireName,
  soaRecord,
  WIRE_TYPES,
} from '@mailgrade/testing/dns-message'
import type { Answer as PacketAnswer } from 'dns-packet'
import { describe, expect, test } from 'vitest'
import type { RecordType } from '../dns.js'
import { decodeResponse } from './decode-response.js'

function decode(type: RecordType, ...answers: PacketAnswer[]) {
  const bytes = encodeResponse(`${type} acme.test`, { answers })
  return decodeResponse(bytes, { name: 'acme.test', type }, 'resolver.test')
}

test('a full answer', () => {
  expect(decode('A', { type: 'A', name: 'acme.test', ttl: 300, data: '192.0.2.7' })).toEqual({
    kind: 'records',
    records: ['192.0.2.7'],
    ttl: 300,
    authenticated: false,
    cnames: [],
    extendedError: null,
    resolver: 'resolver.test',
  })
})

test('A', () => {
  const answers = ['0.0.0.0', '192.0.2.7', '255.255.255.255'].map(
    (data): PacketAnswer => ({ type: 'A', name: 'acme.test', data }),
  )
  expect(decode('A', ...answers)).toMatchObject({
    records: ['0.0.0.0', '192.0.2.7', '255.255.255.255'],
  })
})

test.each([
  ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:DB8:0:1:0:0:0:1', '2001:db8:0:1::1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['::1', '::1'],
])('AAAA %s becomes %s', (data, text) => {
  expect(decode('AAAA', { type: 'AAAA', name: 'acme.test', data })).toMatchObject({
    records: [text],
  })
})

test('a CNAME query returns the record', () => {
  expect(
    decode('CNAME', { type: 'CNAME', name: 'acme.test', data: 'Acme.Host.test' }),
  ).toMatchObject({
    kind: 'records',
    records: ['acme.host.test'],
    cnames: [],
  })
})

test('MX, and null MX with the root as exchange', () => {
  const mx = (preference: number, exchange: string): PacketAnswer => ({
    type: 'MX',
    name: 'acme.test',
    data: { preference, exchange },
  })
  expect(decode('MX', mx(65_535, 'Mail.acme.test'), mx(0, '.'))).toMatchObject({
    records: [
      { preference: 65_535, exchange: 'mail.acme.test' },
      { preference: 0, exchange: '.' },
    ],
  })
})

test('NS', () => {
  expect(decode('NS', { type: 'NS', name: 'acme.test', data: 'ns1.acme.test' })).toMatchObject({
    records: ['ns1.acme.test'],
  })
})

test('PTR', () => {
  const pointer = { type: 'PTR', name: 'acme.test', data: 'Mail.acme.test' } as const
  expect(decode('PTR', pointer)).toMatchObject({ records: ['mail.acme.test'] })
})

test('SOA', () => {
  expect(decode('SOA', soaRecord('acme.test', 3_600, 300))).toMatchObject({
    ttl: 3_600,
    records: [
      {
        primary: 'ns1.acme.test',
        mailbox: 'hostmaster.acme.test',
        serial: 2_026_111_500,
        minimum: 300,
      },
    ],
  })
})

test('TLSA', () => {
  const data = {
    usage: 3,
    selector: 1,
    matchingType: 1,
    certificate: Buffer.from('0fEE'.repeat(16), 'hex'),
  }
  expect(decode('TLSA', { type: 'TLSA', name: 'acme.test', data })).toMatchObject({
    records: [{ usage: 3, selector: 1, matchingType: 1, data: '0fee'.repeat(16) }],
  })
})

describe('TXT and SPF', () => {
  const txt = (...strings: string[]): PacketAnswer => ({
    type: 'TXT',
    name: 'acme.test',
    data: strings.map((text) => Buffer.from(text, 'latin1')),
  })

  test('keep their strings separate', () => {
    expect(decode('TXT', txt('v=spf1 ', '-all'), txt('one'))).toMatchObject({
      records: [['v=spf1 ', '-all'], ['one']],
    })
  })

  test('keep every octet', () => {
    const everyOctet = String.fromCharCode(...Array.from({ length: 256 }, (_, octet) => octet))
    const [low, high] = [everyOctet.slice(0, 128), everyOctet.slice(128)]
    expect(decode('TXT', txt(low, high))).toMatchObject({ records: [[low, high]] })
  })

  test('may have strings of 0 to 255 octets', () => {
    const long = 'x'.repeat(255)
    expect(decode('TXT', txt('', long))).toMatchObject({ records: [['', long]] })
  })

  test('more strings than a full message needs become as few as their text needs', () => {
    const data = Array.from({ length: 20_000 }, (_, at) => Buffer.from([97 + (at % 26)]))
    const answer = decode('TXT', { type: 'TXT', name: 'acme.test', data })
    const [strings = []] = answer.kind === 'records' ? (answer.records as string[][]) : []
    expect(strings.length).toBe(79)
    expect(strings.every((string) => string.length <= 255)).toBe(true)
    expect(strings.join('')).toBe(data.join(''))
  })

  test('60,000 empty strings are an empty text', () => {
    const data = Array<Buffer>(60_000).fill(Buffer.alloc(0))
    const answer = decode('TXT', { type: 'TXT', name: 'acme.test', data })
    expect(answer).toMatchObject({ records: [[]] })
  })

  test('as many strings as a full message needs stay separate', () => {
    const data = Array.from({ length: 257 }, (_, at) => `${at}`)
    expect(decode('TXT', { type: 'TXT', name: 'acme.test', data: [...data] })).toMatchObject({
      records: [data],
    })
  })

  test('SPF is type 99 with the format of TXT', () => {
    const bytes = encodeRawMessage({
      question: encodeRawQuestion(['acme', 'test'], WIRE_TYPES.SPF),
      answers: [
        encodeRawRecord({
          type: WIRE_TYPES.SPF,
          data: encodeWireName(['v=spf1 ', '-all'], Buffer.of()),
        }),
      ],
    })
    expect(
      decodeResponse(bytes, { name: 'acme.test', type: 'SPF' }, 'resolver.test'),
    ).toMatchObject({ kind: 'records', records: [['v=spf1 ', '-all']] })
  })
})

describe('data of the wrong length', () => {
  const mailDotTest = encodeWireName(['mail', 'test'])
  const soaNumbers = Buffer.alloc(20)
  const VALID_DATA: [RecordType, Buffer][] = [
    ['A', Buffer.of(192, 0, 2, 7)],
    ['AAAA', Buffer.alloc(16, 1)],
    ['CNAME', mailDotTest],
    ['NS', compressionPointer(12)],
    ['PTR', mailDotTest],
    ['MX', Buffer.concat([encodeU16(10), mailDotTest])],
    ['SOA', Buffer.concat([mailDotTest, compressionPointer(12), soaNumbers])],
    ['TXT', encodeWireName(['v=spf1 -all'], Buffer.of())],
    ['SPF', encodeWireName(['v=spf1 -all'], Buffer.of())],
  ]
  const decode = (type: RecordType, data: Buffer, length: number) => {
    const bytes = encodeRawMessage({
      question: encodeRawQuestion(['acme', 'test'], WIRE_TYPES[type]),
      // With a second record, a wrong length stays inside the message.
      answers: [
        encodeRawRecord({ type: WIRE_TYPES[type], data, length }),
        encodeRawRecord({
          owner: encodeWireName(['other']),
          type: 65_280,
          data: Buffer.alloc(300),
        }),
      ],
    })
    return decodeResponse(bytes, { name: 'acme.test', type }, 'resolver.test')
  }

  test.each(VALID_DATA)('%s: accepts the true length', (type, data) => {
    expect(decode(type, data, data.length).kind).toBe('records')
  })

  test.each(VALID_DATA)('%s: rejects one octet less or more', (type, data) => {
    const malformed = {
      kind: 'failed',
      reason: 'malformed',
      detail: expect.stringMatching(/data does not match its length|data of its record/),
    }
    expect(decode(type, data, data.length - 1)).toMatchObject(malformed)
    expect(decode(type, data, data.length + 1)).toMatchObject(malformed)
  })

  test('TLSA: rejects data without its three numbers', () => {
    expect(decode('TLSA', Buffer.from([3, 1, 1]), 3)).toMatchObject({ kind: 'records' })
    expect(decode('TLSA', Buffer.from([3, 1]), 2)).toMatchObject({
      kind: 'failed',
      detail: 'the DNS message is malformed: TLSA data is too short',
    })
  })

  test('TXT: rejects a last string that is too long, also after 257 others', () => {
    const data = Buffer.alloc(600).fill(1, 599)
    expect(decode('TXT', Buffer.alloc(600), 600)).toMatchObject({ records: [[]] })
    expect(decode('TXT', data, 600)).toMatchObject({ kind: 'failed', reason: 'malformed' })
  })
})
