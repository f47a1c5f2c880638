/** Generated messages: valid ones decode to their content, others do no harm. */
import { isIPv4, isIPv6 } from 'node:net'
import {
  cnameRecord,
  compressionPointer,
  encodeRawMessage,
  encodeRawQuestion,
  encodeRawRecord,
  encodeResponse,
  encodeU16,
  encodeWireName,
  FLAG_AUTHENTIC_DATA,
  optRecord,
  soaRecord,
  WIRE_TYPES,
} from '@mailgrade/testing/dns-message'
import { propertyRuns } from '@mailgrade/testing/property-runs'
import type { Answer as PacketAnswer } from 'dns-packet'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { DnsAnswer, Mx, RecordType, Soa, Tlsa } from '../dns.js'
import { decodeResponse } from './decode-response.js'
import { writeName } from './wire-name.js'
import { WireReader } from './wire-reader.js'

// Thousands of messages take long on a busy machine.

const label = fc.stringMatching(/^[a-z0-9_-]{1,12}$/)
const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))
const words = fc.stringMatching(/^([!-~]{1,8}( [!-~é]{1,8}){0,5})?$/)
const u8Value = fc.integer({ min: 0, max: 0xff })
const u16Value = fc.integer({ min: 0, max: 0xffff })
const u32Value = fc.integer({ min: 0, max: 0xffffffff })
const ttl = fc.integer({ min: 0, max: 0x7fffffff })
const strings = fc.array(fc.uint8Array({ maxLength: 255 }).map(Buffer.from), {
  minLength: 1,
  maxLength: 5,
})
const latin1 = (buffers: Buffer[]) => buffers.map((buffer) => buffer.toString('latin1'))
const ipv6 = fc
  .array(u16Value, { minLength: 8, maxLength: 8 })
  .map((groups) => groups.map((group) => group.toString(16)).join(':'))
/** An IPv6 address in the format of the URL standard. */
const sameAddress = (address: string) => new URL(`http://[${address}]`).hostname

/** For each type: data as dns-packet takes it and as `DnsAnswer` has it. */
const dataArbitraries: Record<RecordType, fc.Arbitrary<{ packet: unknown; port: unknown }>> = {
  A: fc.ipV4().map((address) => ({ packet: address, port: address })),
  AAAA: ipv6.map((address) => ({ packet: address, port: sameAddress(address) })),
  CNAME: name.map((target) => ({ packet: target, port: target })),
  NS: name.map((target) => ({ packet: target, port: target })),
  PTR: name.map((target) => ({ packet: target, port: target })),
  MX: fc.record({ preference: u16Value, exchange: name }).map((mx) => ({ packet: mx, port: mx })),
  SOA: fc.tuple(name, name, u32Value, u32Value).map(([primary, mailbox, serial, minimum]) => ({
    packet: { mname: primary, rname: mailbox, serial, refresh: 1, retry: 2, expire: 3, minimum },
    port: { primary, mailbox, serial, minimum },
  })),
  TXT: strings.map((buffers) => ({ packet: buffers, port: latin1(buffers) })),
  SPF: strings.map((buffers) => ({
    packet: Buffer.concat(buffers.flatMap((buffer) => [Buffer.of(buffer.length), buffer])),
    port: latin1(buffers),
  })),
  TLSA: fc
    .tuple(u8Value, u8Value, u8Value, fc.uint8Array({ maxLength: 64 }).map(Buffer.from))
    .map(([usage, selector, matchingType, certificate]) => ({
      packet: { usage, selector, matchingType, certificate },
      port: { usage, selector, matchingType, data: certificate.toString('hex') },
    })),
}

const RECORD_TYPES = Object.keys(dataArbitraries) as RecordType[]
const type = fc.constantFrom(...RECORD_TYPES)
/** Records that a resolver may add and that we ignore. */
const noise: PacketAnswer[] = [
  { type: 'RP', name: 'noise.invalid', ttl: 1, data: { mbox: 'a.invalid', txt: 'b.invalid' } },
  { type: 'CAA', name: 'noise.invalid', ttl: 1, data: { tag: 'issue', value: 'ca.invalid' } },
]

const messageArbitrary = type.chain((queryType) =>
  fc.record({
    queryType: fc.constant(queryType),
    names: fc.uniqueArray(name, { minLength: 1, maxLength: queryType === 'CNAME' ? 1 : 6 }),
    aliasTtl: ttl,
    rows: fc.array(fc.record({ data: dataArbitraries[queryType], ttl }), {
      minLength: 1,
      maxLength: 12,
    }),
    isAuthenticated: fc.boolean(),
    isUpperCase: fc.boolean(),
    isReversed: fc.boolean(),
    extendedError: fc.option(fc.record({ code: u16Value, text: words })),
    noise: fc.subarray(noise),
  }),
)

describe('a valid message', () => {
  test('decodes to its content', () => {
    fc.assert(
      fc.property(messageArbitrary, (message) => {
        const { queryType, names, rows, extendedError } = message
        const spell = (text: string) => (message.isUpperCase ? text.toUpperCase() : text)
        const cnames = names.slice(1)
        const aliases = cnames.map((target, index) =>
          cnameRecord(spell(names[index] as string), spell(target), message.aliasTtl),
        )
        const records = rows.map((row) => ({
          type: queryType,
          name: spell(names.at(-1) as string),
          ttl: row.ttl,
          data: row.data.packet,
        })) as PacketAnswer[]
        const answers = [...aliases, ...message.noise, ...records]
        const bytes = encodeResponse(`${queryType} ${spell(names[0] as string)}`, {
          flags: message.isAuthenticated ? FLAG_AUTHENTIC_DATA : 0,
          answers: message.isReversed ? answers.reverse() : answers,
          authorities: message.noise,
          additionals: extendedError
            ? [
                optRecord(0, [
                  15,
                  Buffer.concat([encodeU16(extendedError.code), Buffer.from(extendedError.text)]),
                ]),
              ]
            : message.noise,
        })

        const decoded = decodeResponse(
          bytes,
          { name: names[0] as string, type: queryType },
          'r.test',
        )

        const port = rows.map((row) => row.data.port)
        const ttls = [...aliases.map(() => message.aliasTtl), ...rows.map((row) => row.ttl)]
        expect(queryType === 'AAAA' ? withSameAddresses(decoded) : decoded).toEqual({
          kind: 'records',
          records: message.isReversed ? port.reverse() : port,
          ttl: Math.min(...ttls),
          authenticated: message.isAuthenticated,
          cnames,
          extendedError,
          resolver: 'r.test',
        })
      }),
      { numRuns: propertyRuns(500) },
    )
  })

  test('truncated anywhere is a failure, never an absence', () => {
    const absent = encodeResponse('TXT acme.test', {
      rcode: 3,
      authorities: [soaRecord('test', 60, 60)],
      additionals: [optRecord(0, [15, encodeU16(22)])],
    })
    for (let length = 0; length < absent.length; length++) {
      expect(
        decodeResponse(absent.subarray(0, length), { name: 'acme.test', type: 'TXT' }, 'r.test'),
      ).toMatchObject({ kind: 'failed', reason: 'malformed' })
    }
  })
})

function withSameAddresses(answer: DnsAnswer): DnsAnswer {
  if (answer.kind !== 'records') return answer
  return { ...answer, records: answer.records.map((address) => sameAddress(String(address))) }
}

describe('a hostile message', () => {
  const record = (owner: string): PacketAnswer[] => [
    { type: 'A', name: owner, ttl: 60, data: '192.0.2.7' },
    { type: 'AAAA', name: owner, ttl: 60, data: '2001:db8::7' },
    { type: 'MX', name: owner, ttl: 60, data: { preference: 10, exchange: 'mail.acme.test' } },
    { type: 'NS', name: owner, ttl: 60, data: 'ns1.acme.test' },
    { type: 'TXT', name: owner, ttl: 60, data: ['v=spf1 ', '-all'] },
    soaRecord(owner, 60, 60),
  ]
  const encodeValid = (queryType: RecordType) =>
    encodeResponse(`${queryType} acme.test`, {
      answers: [
        cnameRecord('acme.test', 'host.test'),
        ...record('host.test'),
        ...record('acme.test'),
      ],
      authorities: [soaRecord('test', 60, 60)],
      additionals: [optRecord(0, [15, Buffer.from('\x00\x16text')])],
    })
  const validMessages = new Map(
    RECORD_TYPES.map((queryType) => [queryType, encodeValid(queryType)]),
  )
  /** The question is not mutated, because the echo check would reject nearly every message. */
  const QUESTION_END = 12 + 'acme.test'.length + 2 + 4

  const mutation = fc.record({
    how: fc.constantFrom('flip', 'set', 'insert', 'remove', 'cut', 'point'),
    at: fc.nat(),
    value: fc.integer({ min: 0, max: 255 }),
  })

  function mutate(bytes: Buffer, { how, at, value }: { how: string; at: number; value: number }) {
    const counts = [4, 5, 6, 7, 8, 9, 10, 11]
    const room = bytes.length - QUESTION_END + counts.length
    const offset =
      at % room < counts.length
        ? (counts[at % room] as number)
        : QUESTION_END + (at % room) - counts.length
    const [before, after] = [bytes.subarray(0, offset), bytes.subarray(offset)]
    if (how === 'insert') return Buffer.concat([before, Buffer.of(value), after])
    if (how === 'remove') return Buffer.concat([before, after.subarray(1)])
    if (how === 'cut') return before
    if (how === 'point')
      return Buffer.concat([before, compressionPointer(value), after.subarray(2)])
    const mutated = Buffer.from(bytes)
    mutated[offset] = how === 'flip' ? (mutated[offset] ?? 0) ^ (1 << (value & 7)) : value
    return mutated
  }

  test('mutated never throws and never returns data out of bounds', () => {
    const kinds = new Set<string>()
    fc.assert(
      fc.property(
        type,
        fc.array(mutation, { minLength: 1, maxLength: 6 }),
        (queryType, mutations) => {
          const bytes = mutations.reduce(mutate, validMessages.get(queryType) as Buffer)
          const answer = decodeResponse(bytes, { name: 'acme.test', type: queryType }, 'r.test')
          kinds.add(answer.kind)
          checkBounds(answer, queryType)
        },
      ),
      { numRuns: propertyRuns(5_000) },
    )
    // Some mutated messages must pass and some must fail.
    expect(kinds).toContain('records')
    expect(kinds).toContain('failed')
  })

  test('random after a valid question never throws and never returns data out of bounds', () => {
    fc.assert(
      fc.property(type, fc.uint8Array({ maxLength: 600 }), fc.nat(3), (queryType, junk, count) => {
        const bytes = encodeRawMessage({
          question: encodeRawQuestion(['acme', 'test'], WIRE_TYPES[queryType]),
          answers: [Buffer.from(junk)],
          counts: [1, count, count, count],
        })
        checkBounds(
          decodeResponse(bytes, { name: 'acme.test', type: queryType }, 'r.test'),
          queryType,
        )
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })

  test('random from the first octet is malformed', () => {
    fc.assert(
      fc.property(type, fc.uint8Array({ maxLength: 100 }), (queryType, junk) => {
        const answer = decodeResponse(
          Buffer.from(junk),
          { name: 'acme.test', type: queryType },
          'r.test',
        )
        return answer.kind === 'failed' && answer.reason === 'malformed'
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })
})

/** Collects problems first, because thousands of `expect` calls take long. */
function checkBounds(answer: DnsAnswer, queryType: RecordType): void {
  const problems = [
    ...answer.cnames.filter((each) => !isName(each)),
    ...(answer.kind === 'failed' ? failureProblems(answer.reason) : ttlProblems(answer.ttl)),
    ...(answer.kind === 'records' ? recordProblems(answer.records, queryType) : []),
  ]
  if (!['records', 'nodata', 'nxdomain', 'failed'].includes(answer.kind) || problems.length > 0) {
    throw new Error(`${answer.kind} with ${JSON.stringify(problems)}`)
  }
}

const failureProblems = (reason: string) =>
  ['malformed', 'servfail', 'refused', 'cname-loop'].includes(reason) ? [] : [reason]

const ttlProblems = (seconds: number | null) =>
  seconds === null || (seconds >= 0 && seconds <= 0x7fffffff) ? [] : [seconds]

const recordProblems = (records: readonly unknown[], queryType: RecordType) => [
  ...(records.length >= 1 && records.length <= 512 ? [] : [records.length]),
  ...records.filter((data) => !isInBounds[queryType](data as never)),
]

const isName = (text: string) => writeName(text, Buffer.alloc(255), 0) !== null
const isOctets = (text: string) => Buffer.from(text, 'latin1').toString('latin1') === text
const isString = (text: string) => text.length <= 255 && isOctets(text)
const isU32 = (value: number) => Number.isInteger(value) && value >= 0 && value <= 0xffffffff

const isInBounds: Record<RecordType, (data: never) => boolean> = {
  A: isIPv4,
  AAAA: isIPv6,
  CNAME: isName,
  NS: isName,
  PTR: isName,
  MX: ({ preference, exchange }: Mx) =>
    isU32(preference) && preference <= 0xffff && isName(exchange),
  SOA: (data: Soa) =>
    isName(data.primary) && isName(data.mailbox) && isU32(data.serial) && isU32(data.minimum),
  SPF: (strings: string[]) => strings.every(isString),
  TXT: (strings: string[]) => strings.every(isString),
  TLSA: ({ usage, selector, matchingType, data }: Tlsa) =>
    [usage, selector, matchingType].every((value) => isU32(value) && value <= 0xff) &&
    /^(?:[\da-f]{2})*$/.test(data),
}

describe('the work that a hostile message causes', () => {
  /** Counts the octets that are read one by one. */
  function countReads() {
    const u8 = vi.spyOn(WireReader.prototype, 'u8')
    const skipNameIf = vi.spyOn(WireReader.prototype, 'skipNameIf')
    onTestFinished(() => {
      u8.mockRestore()
      skipNameIf.mockRestore()
    })
    // A name in wire form has two octets more than its text.
    const compared = () => skipNameIf.mock.calls.reduce((sum, [name]) => sum + name.length + 2, 0)
    return () => u8.mock.calls.length + compared()
  }
  const LABELS = 127
  const longest = Array.from({ length: LABELS }, () => 'a')

  test('is one read per label for 512 answers with compressed owners of 126 labels', () => {
    const question = encodeRawQuestion(longest, WIRE_TYPES.TXT)
    const secondLabel = compressionPointer(12 + 2)
    const row = encodeRawRecord({
      owner: secondLabel,
      type: WIRE_TYPES.TXT,
      data: encodeWireName(['x'], Buffer.of()),
    })
    const bytes = encodeRawMessage({ question, answers: Array.from({ length: 512 }, () => row) })
    const reads = countReads()

    const answer = decodeResponse(bytes, { name: longest.join('.'), type: 'TXT' }, 'r.test')

    expect(answer).toMatchObject({ kind: 'failed', reason: 'malformed' })
    const header = 12
    const echo = 2 * LABELS + 1 + 4
    // Per record: a pointer, the labels and the root; type, class, TTL and length.
    const perAnswer = 2 + 2 * (LABELS - 1) + 1 + 10
    expect(reads()).toBe(header + echo + 512 * perAnswer)
  })

  test('is limited for a long chain of pointers', () => {
    const question = encodeRawQuestion(['acme', 'test'], WIRE_TYPES.TXT)
    const chainAt = 12 + question.length + 12
    const pointers = Array.from({ length: 7_000 }, (_, index) =>
      compressionPointer(index === 0 ? 12 : chainAt + 2 * (index - 1)),
    )
    const chain = encodeRawRecord({ type: 65_280, data: Buffer.concat(pointers) })
    const top = compressionPointer(chainAt + 2 * (pointers.length - 1))
    const record = encodeRawRecord({ owner: top, type: WIRE_TYPES.TXT, data: Buffer.of(0) })
    const bytes = encodeRawMessage({
      question,
      answers: [chain, ...Array.from({ length: 511 }, () => record)],
    })
    const reads = countReads()

    expect(decodeResponse(bytes, { name: 'acme.test', type: 'TXT' }, 'r.test')).toMatchObject({
      kind: 'failed',
      detail: 'the DNS message is malformed: a name has a forward pointer or too many pointers',
    })
    expect(reads()).toBeLessThan(300)
  })
})
