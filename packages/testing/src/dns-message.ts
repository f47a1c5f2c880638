/** DNS messages for tests: valid ones from dns-packet, an independent encoder, and raw ones octet by octet. */
import type { DnsAnswer, RecordData, RecordType } from '@mailgrade/doh/dns'
import { encode, type Answer as PacketAnswer, type RecordType as PacketType } from 'dns-packet'

export const FLAG_AUTHENTIC_DATA = 0x0020
export const FLAG_TRUNCATED = 0x0200
const RECURSION = 0x0180

export interface ResponseParts {
  readonly id?: number
  readonly rcode?: number
  readonly flags?: number
  readonly answers?: readonly PacketAnswer[]
  readonly authorities?: readonly PacketAnswer[]
  readonly additionals?: readonly PacketAnswer[]
}

/** Encodes a response to a query such as `MX acme.test`. */
export function encodeResponse(query: string, parts: ResponseParts = {}): Buffer {
  const [type, name] = query.split(' ') as [PacketType, string]
  const { id = 0, rcode = 0, flags = 0, answers = [], authorities = [], additionals = [] } = parts
  return encode({
    type: 'response',
    id,
    flags: RECURSION | flags | rcode,
    questions: [{ type, name }],
    answers: [...answers],
    authorities: [...authorities],
    additionals: [...additionals],
  })
}

const RCODES = { records: 0, nodata: 0, nxdomain: 3, failed: 2 }

/** Encodes the response that a resolver would send for this answer. */
export function encodeAnswer(
  name: string,
  type: RecordType,
  answer: DnsAnswer,
  parts: Pick<ResponseParts, 'authorities' | 'additionals'> = {},
): Buffer {
  const owners = [name, ...answer.cnames]
  const aliases = answer.cnames.map((target, index) => cnameRecord(owners[index] ?? '', target, 60))
  const records =
    answer.kind === 'records'
      ? answer.records.map((data) => ({
          type,
          name: owners.at(-1),
          ttl: answer.ttl,
          data: toPacketData(type, data),
        }))
      : []
  return encodeResponse(`${type} ${name}`, {
    ...parts,
    rcode: RCODES[answer.kind],
    answers: [...aliases, ...(records as PacketAnswer[])],
  })
}

function toPacketData(type: RecordType, data: RecordData[RecordType]): unknown {
  if (typeof data === 'string') return data
  if ('primary' in data) {
    const { primary, mailbox, serial, minimum } = data
    return { mname: primary, rname: mailbox, serial, minimum }
  }
  if ('exchange' in data) return data
  if ('usage' in data) {
    const { usage, selector, matchingType, data: hex } = data
    return { usage, selector, matchingType, certificate: Buffer.from(hex, 'hex') }
  }
  const strings = data.map((text) => Buffer.from(text, 'latin1'))
  // SPF is an unknown type to dns-packet, so it takes the raw data.
  return type === 'SPF'
    ? Buffer.concat(strings.flatMap((text) => [Buffer.of(text.length), text]))
    : strings
}

export function soaRecord(name: string, ttl: number, minimum: number): PacketAnswer {
  return {
    type: 'SOA',
    name,
    ttl,
    data: {
      mname: `ns1.${name}`,
      rname: `hostmaster.${name}`,
      serial: 2_026_111_500,
      refresh: 7_200,
      retry: 900,
      expire: 1_209_600,
      minimum,
    },
  }
}

export function cnameRecord(name: string, data: string, ttl = 300): PacketAnswer {
  return { type: 'CNAME', name, ttl, data }
}

/** An OPT record; each option is a code and its data. */
export function optRecord(extendedRcode: number, ...options: [number, Buffer][]): PacketAnswer {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize: 1_232,
    extendedRcode,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    // The types list only the options that dns-packet can decode, but it encodes any.
    options: options.map(([code, data]) => ({ code, data })) as never,
  }
}

export const WIRE_TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  OPT: 41,
  TLSA: 52,
  SPF: 99,
}

export const encodeU16 = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff)
const u32 = (value: number): Buffer =>
  Buffer.concat([encodeU16(value >>> 16), encodeU16(value & 0xffff)])

/** Encodes labels in wire form, followed by the root or `end`. */
export function encodeWireName(
  labels: readonly (string | Buffer)[],
  end: Buffer = Buffer.of(0),
): Buffer {
  const parts = labels.flatMap((label) => {
    const octets = Buffer.from(label as string, 'latin1')
    return [Buffer.of(octets.length), octets]
  })
  return Buffer.concat([...parts, end])
}

/** A compression pointer; the question's name is at offset 12. */
export const compressionPointer = (offset: number): Buffer => encodeU16(0xc000 | offset)

export interface RawRecord {
  readonly owner?: Buffer
  readonly type: number
  readonly class?: number
  readonly ttl?: number
  readonly data: Buffer
  /** The stated length of the data; the true one by default. */
  readonly length?: number
}

export function encodeRawRecord(record: RawRecord): Buffer {
  const { owner = compressionPointer(12), type, ttl = 300, data, length = data.length } = record
  return Buffer.concat([
    owner,
    encodeU16(type),
    encodeU16(record.class ?? 1),
    u32(ttl),
    encodeU16(length),
    data,
  ])
}

export interface RawMessage {
  readonly id?: number
  readonly flags?: number
  readonly question: Buffer
  readonly answers?: readonly Buffer[]
  readonly authorities?: readonly Buffer[]
  readonly additionals?: readonly Buffer[]
  /** The counts in the header; the true ones by default. */
  readonly counts?: readonly number[]
}

export function encodeRawMessage(message: RawMessage): Buffer {
  const { id = 0, flags = 0x8180, question } = message
  const sections = [message.answers ?? [], message.authorities ?? [], message.additionals ?? []]
  const counts = message.counts ?? [1, ...sections.map((records) => records.length)]
  return Buffer.concat([
    encodeU16(id),
    encodeU16(flags),
    ...counts.map(encodeU16),
    question,
    ...sections.flat(),
  ])
}

export function encodeRawQuestion(
  labels: readonly (string | Buffer)[],
  type: number,
  klass = 1,
): Buffer {
  return Buffer.concat([encodeWireName(labels), encodeU16(type), encodeU16(klass)])
}
