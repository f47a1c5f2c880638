/** DNS messages for tests: honest ones from an independent encoder, and dishonest ones byte by byte. */
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

/** A response to `question`, such as `MX acme.test`, as dns-packet writes it. */
export function encodeResponse(question: string, parts: ResponseParts = {}): Buffer {
  const [type, name] = question.split(' ') as [PacketType, string]
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
    // The typings know only the options that dns-packet can take apart; it writes any.
    options: options.map(([code, data]) => ({ code, data })) as never,
  }
}

export const WIRE_TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  OPT: 41,
  SPF: 99,
}

export const encodeU16 = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff)
const u32 = (value: number): Buffer =>
  Buffer.concat([encodeU16(value >>> 16), encodeU16(value & 0xffff)])

/** A name in wire form from its labels, ended by the root unless `end` says otherwise. */
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

/** A compression pointer; offset 12 is the question's name. */
export const compressionPointer = (offset: number): Buffer => encodeU16(0xc000 | offset)

export interface RawRecord {
  readonly owner?: Buffer
  readonly type: number
  readonly class?: number
  readonly ttl?: number
  readonly data: Buffer
  /** What the record claims its data's length to be. */
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
  /** What the header claims; the true counts unless told otherwise. */
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
