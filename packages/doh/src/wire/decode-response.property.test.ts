/** Any message, honest or not: the honest ones say what they said, the others do no harm. */
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
import type { DnsAnswer, Mx, RecordType, Soa } from '../dns.js'
import { decodeResponse } from './decode-response.js'
import { writeName } from './wire-name.js'
import { WireReader } from './wire-reader.js'

// Thousands of messages take their time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const label = fc.stringMatching(/^[a-z0-9_-]{1,12}$/)
const name = fc.array(label, { minLength: 1, maxLength: 5 }).map((labels) => labels.join('.'))
const words = fc.stringMatching(/^([!-~]{1,8}( [!-~é]{1,8}){0,5})?$/)
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
/** An address in the one form that the URL standard gives it. */
const sameAddress = (address: string) => new URL(`http://[${address}]`).hostname

/** For each type: data as dns-packet takes it, and as our port shows it. */
const dataOf: Record<RecordType, fc.Arbitrary<{ packet: unknown; port: unknown }>> = {
  A: fc.ipV4().map((address) => ({ packet: address, port: address })),
  AAAA: ipv6.map((address) => ({ packet: address, port: sameAddress(address) })),
  CNAME: name.map((target) => ({ packet: target, port: target })),
  NS: name.map((target) => ({ packet: target, port: target })),
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
}

const RECORD_TYPES = Object.keys(dataOf) as RecordType[]
const type = fc.constantFrom(...RECORD_TYPES)
/** What a resolver may add, and what is none of our business. */
const noise: PacketAnswer[] = [
  { type: 'RP', name: 'noise.invalid', ttl: 1, data: { mbox: 'a.invalid', txt: 'b.invalid' } },
  { type: 'CAA', name: 'noise.invalid', ttl: 1, data: { tag: 'issue', value: 'ca.invalid' } },
]

const story = type.chain((asked) =>
  fc.record({
    asked: fc.constant(asked),
    names: fc.uniqueArray(name, { minLength: 1, maxLength: asked === 'CNAME' ? 1 : 6 }),
    aliasTtl: ttl,
    rows: fc.array(fc.record({ data: dataOf[asked], ttl }), { minLength: 1, maxLength: 12 }),
    isAuthenticated: fc.boolean(),
    isShouting: fc.boolean(),
    isReversed: fc.boolean(),
    extendedError: fc.option(fc.record({ code: u16Value, text: words })),
    noise: fc.subarray(noise),
  }),
)

describe('an honest message', () => {
  test('decodes to what its sender meant', () => {
    fc.assert(
      fc.property(story, (told) => {
        const { asked, names, rows, extendedError } = told
        const spell = (text: string) => (told.isShouting ? text.toUpperCase() : text)
        const cnames = names.slice(1)
        const aliases = cnames.map((target, index) =>
          cnameRecord(spell(names[index] as string), spell(target), told.aliasTtl),
        )
        const records = rows.map((row) => ({
          type: asked,
          name: spell(names.at(-1) as string),
          ttl: row.ttl,
          data: row.data.packet,
        })) as PacketAnswer[]
        const answers = [...aliases, ...told.noise, ...records]
        const bytes = encodeResponse(`${asked} ${spell(names[0] as string)}`, {
          flags: told.isAuthenticated ? FLAG_AUTHENTIC_DATA : 0,
          answers: told.isReversed ? answers.reverse() : answers,
          authorities: told.noise,
          additionals: extendedError
            ? [
                optRecord(0, [
                  15,
                  Buffer.concat([encodeU16(extendedError.code), Buffer.from(extendedError.text)]),
                ]),
              ]
            : told.noise,
        })

        const decoded = decodeResponse(bytes, { name: names[0] as string, type: asked }, 'r.test')

        const port = rows.map((row) => row.data.port)
        const ttls = [...aliases.map(() => told.aliasTtl), ...rows.map((row) => row.ttl)]
        expect(asked === 'AAAA' ? withSameAddresses(decoded) : decoded).toEqual({
          kind: 'records',
          records: told.isReversed ? port.reverse() : port,
          ttl: Math.min(...ttls),
          authenticated: told.isAuthenticated,
          cnames,
          extendedError,
          resolver: 'r.test',
        })
      }),
      { numRuns: propertyRuns(500) },
    )
  })

  test('cut short anywhere, is a failure and never an absence', () => {
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

describe('a dishonest message', () => {
  const record = (owner: string): PacketAnswer[] => [
    { type: 'A', name: owner, ttl: 60, data: '192.0.2.7' },
    { type: 'AAAA', name: owner, ttl: 60, data: '2001:db8::7' },
    { type: 'MX', name: owner, ttl: 60, data: { preference: 10, exchange: 'mail.acme.test' } },
    { type: 'NS', name: owner, ttl: 60, data: 'ns1.acme.test' },
    { type: 'TXT', name: owner, ttl: 60, data: ['v=spf1 ', '-all'] },
    soaRecord(owner, 60, 60),
  ]
  const honest = (asked: RecordType) =>
    encodeResponse(`${asked} acme.test`, {
      answers: [
        cnameRecord('acme.test', 'host.test'),
        ...record('host.test'),
        ...record('acme.test'),
      ],
      authorities: [soaRecord('test', 60, 60)],
      additionals: [optRecord(0, [15, Buffer.from('\x00\x16text')])],
    })
  const victims = new Map(RECORD_TYPES.map((asked) => [asked, honest(asked)]))
  /** The question is left alone, or nearly every mutation would end at the echo. */
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

  test('mutated, never throws and never yields data out of bounds', () => {
    const kinds = new Set<string>()
    fc.assert(
      fc.property(type, fc.array(mutation, { minLength: 1, maxLength: 6 }), (asked, mutations) => {
        const bytes = mutations.reduce(mutate, victims.get(asked) as Buffer)
        const answer = decodeResponse(bytes, { name: 'acme.test', type: asked }, 'r.test')
        kinds.add(answer.kind)
        checkBounds(answer, asked)
      }),
      { numRuns: propertyRuns(5_000) },
    )
    // The mutations reach behind the first check: some messages survive, some do not.
    expect(kinds).toContain('records')
    expect(kinds).toContain('failed')
  })

  test('random behind a true question, never throws and never yields data out of bounds', () => {
    fc.assert(
      fc.property(type, fc.uint8Array({ maxLength: 600 }), fc.nat(3), (asked, junk, count) => {
        const bytes = encodeRawMessage({
          question: encodeRawQuestion(['acme', 'test'], WIRE_TYPES[asked]),
          answers: [Buffer.from(junk)],
          counts: [1, count, count, count],
        })
        checkBounds(decodeResponse(bytes, { name: 'acme.test', type: asked }, 'r.test'), asked)
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })

  test('random from its first octet is malformed', () => {
    fc.assert(
      fc.property(type, fc.uint8Array({ maxLength: 100 }), (asked, junk) => {
        const answer = decodeResponse(
          Buffer.from(junk),
          { name: 'acme.test', type: asked },
          'r.test',
        )
        return answer.kind === 'failed' && answer.reason === 'malformed'
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })
})

/** Fails with what is wrong; `expect` for every field of thousands of messages would take long. */
function checkBounds(answer: DnsAnswer, asked: RecordType): void {
  const problems = [
    ...answer.cnames.filter((each) => !isName(each)),
    ...(answer.kind === 'failed' ? failureProblems(answer.reason) : ttlProblems(answer.ttl)),
    ...(answer.kind === 'records' ? recordProblems(answer.records, asked) : []),
  ]
  if (!['records', 'nodata', 'nxdomain', 'failed'].includes(answer.kind) || problems.length > 0) {
    throw new Error(`${answer.kind} with ${JSON.stringify(problems)}`)
  }
}

const failureProblems = (reason: string) =>
  ['malformed', 'servfail', 'refused', 'cname-loop'].includes(reason) ? [] : [reason]

const ttlProblems = (seconds: number | null) =>
  seconds === null || (seconds >= 0 && seconds <= 0x7fffffff) ? [] : [seconds]

const recordProblems = (records: readonly unknown[], asked: RecordType) => [
  ...(records.length >= 1 && records.length <= 512 ? [] : [records.length]),
  ...records.filter((data) => !isInBounds[asked](data as never)),
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
  MX: ({ preference, exchange }: Mx) =>
    isU32(preference) && preference <= 0xffff && isName(exchange),
  SOA: (data: Soa) =>
    isName(data.primary) && isName(data.mailbox) && isU32(data.serial) && isU32(data.minimum),
  SPF: (strings: string[]) => strings.every(isString),
  TXT: (strings: string[]) => strings.every(isString),
}

describe('the work a hostile message can make us do', () => {
  /** Counts the octets that are read one by one: lengths, pointers, heads of records. */
  function countReads() {
    const u8 = vi.spyOn(WireReader.prototype, 'u8')
    onTestFinished(() => u8.mockRestore())
    return () => u8.mock.calls.length
  }
  const LABELS = 127
  const longest = Array.from({ length: LABELS }, () => 'a')

  test('512 answers whose owners are compressed names of 126 labels: every label once each', () => {
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
    // A pointer, the labels with their lengths and the root; type, class, TTL, length; one string.
    const perAnswer = 2 + 2 * (LABELS - 1) + 1 + 10 + 1
    expect(reads()).toBe(header + echo + 512 * perAnswer)
  })

  test('a ladder of pointers is climbed only so far', () => {
    const question = encodeRawQuestion(['acme', 'test'], WIRE_TYPES.TXT)
    const ladderAt = 12 + question.length + 12
    const rungs = Array.from({ length: 7_000 }, (_, index) =>
      compressionPointer(index === 0 ? 12 : ladderAt + 2 * (index - 1)),
    )
    const ladder = encodeRawRecord({ type: 65_280, data: Buffer.concat(rungs) })
    const top = compressionPointer(ladderAt + 2 * (rungs.length - 1))
    const climber = encodeRawRecord({ owner: top, type: WIRE_TYPES.TXT, data: Buffer.of(0) })
    const bytes = encodeRawMessage({
      question,
      answers: [ladder, ...Array.from({ length: 511 }, () => climber)],
    })
    const reads = countReads()

    expect(decodeResponse(bytes, { name: 'acme.test', type: 'TXT' }, 'r.test')).toMatchObject({
      kind: 'failed',
      detail: 'the DNS message cannot be read: a name points forward or too often',
    })
    expect(reads()).toBeLessThan(300)
  })
})
