/** A response message taken apart, with caps on everything its sender controls. */
import type { DnsQuery, ExtendedError, RecordData, RecordType } from '../dns.js'
import { readName, skipName } from './read-name.js'
import { readRecordData, readSoaMinimum, TYPE_NUMBERS } from './record-data.js'
import { matchName } from './wire-name.js'
import { WireError, WireReader } from './wire-reader.js'

const MAX_RECORDS_PER_SECTION = 512
const MAX_TEXT_OCTETS = 200
const CLASS_IN = 1
const TYPE_OPT = 41
const OPTION_EXTENDED_ERROR = 15
/** Nearly every record is about the name asked for, and says so by pointing to where it stands. */
const POINTER_TO_QUESTION = 0xc00c
const FLAG_RESPONSE = 0x8000
const OPCODE = 0x7800
const FLAG_TRUNCATED = 0x0200
const FLAG_RECURSION_AVAILABLE = 0x0080
const FLAG_AUTHENTICATED = 0x0020

export interface ResourceRecord<T extends RecordType> {
  readonly owner: string
  readonly ttl: number
  readonly data: RecordData[T]
}

export interface DnsMessage<T extends RecordType> {
  rcode: number
  authenticated: boolean
  /** The server goes and looks, rather than telling only what it has. */
  isRecursionAvailable: boolean
  aliases: ResourceRecord<'CNAME'>[]
  answers: ResourceRecord<T>[]
  /** How long the SOA of an absence lets it live. */
  negativeTtl: number | null
  hasAuthorityNs: boolean
  extendedError: ExtendedError | null
}

interface RowHead {
  type: number
  class: number
  ttl: number
  length: number
}

/** Reads the response to `question`, or throws a `WireError` that says what is wrong with it. */
export function parseDnsMessage<T extends RecordType>(
  bytes: Buffer,
  question: DnsQuery & { type: T },
): DnsMessage<T> {
  const reader = new WireReader(bytes)
  if (reader.u16() !== 0) throw new WireError('its id is not the question’s')
  const flags = reader.u16()
  if (!(flags & FLAG_RESPONSE) || flags & OPCODE) throw new WireError('it is not a response')
  if (flags & FLAG_TRUNCATED) throw new WireError('it is truncated')
  const questions = reader.u16()
  const answers = readCount(reader)
  const authorities = readCount(reader)
  const additionals = readCount(reader)
  expectEcho(reader, questions, question)

  const message: DnsMessage<T> = {
    rcode: flags & 0x0f,
    authenticated: (flags & FLAG_AUTHENTICATED) !== 0,
    isRecursionAvailable: (flags & FLAG_RECURSION_AVAILABLE) !== 0,
    aliases: [],
    answers: [],
    negativeTtl: null,
    hasAuthorityNs: false,
    extendedError: null,
  }
  for (let left = answers; left > 0; left--) takeAnswer(reader, question, message)
  for (let left = authorities; left > 0; left--) takeAuthority(reader, message)
  for (let left = additionals; left > 0; left--) takeAdditional(reader, message)
  return message
}

function readCount(reader: WireReader): number {
  const count = reader.u16()
  if (count <= MAX_RECORDS_PER_SECTION) return count
  throw new WireError(`it has more than ${MAX_RECORDS_PER_SECTION} records`)
}

function expectEcho(reader: WireReader, questions: number, question: DnsQuery): void {
  const echoes =
    questions === 1 &&
    matchName(reader, question.name) &&
    reader.u16() === TYPE_NUMBERS[question.type] &&
    reader.u16() === CLASS_IN
  if (!echoes) throw new WireError('it answers another question')
}

/** What follows the owner's name. */
function readHead(reader: WireReader): RowHead {
  return {
    type: reader.u16(),
    class: reader.u16(),
    ttl: reader.u32(),
    length: reader.u16(),
  }
}

function takeAnswer<T extends RecordType>(
  reader: WireReader,
  question: DnsQuery & { type: T },
  message: DnsMessage<T>,
): void {
  const owner = reader.skipU16If(POINTER_TO_QUESTION) ? question.name : readName(reader)
  const head = readHead(reader)
  if (head.class !== CLASS_IN) reader.skip(head.length)
  else if (head.type === TYPE_NUMBERS[question.type]) {
    message.answers.push(readRow(reader, owner, head, question.type))
  } else if (head.type === TYPE_NUMBERS.CNAME) {
    message.aliases.push(readRow(reader, owner, head, 'CNAME'))
  } else reader.skip(head.length)
}

function takeAuthority(
  reader: WireReader,
  message: Pick<DnsMessage<RecordType>, 'negativeTtl' | 'hasAuthorityNs'>,
): void {
  skipName(reader)
  const head = readHead(reader)
  const type = head.class === CLASS_IN ? head.type : null
  if (type === TYPE_NUMBERS.NS) message.hasAuthorityNs = true
  if (type === TYPE_NUMBERS.SOA && message.negativeTtl === null) {
    // RFC 2308 §5: an absence lives as long as the lesser of the SOA's TTL and its minimum.
    message.negativeTtl = Math.min(ttlOf(head), readSoaMinimum(reader, head.length))
  } else reader.skip(head.length)
}

function takeAdditional(
  reader: WireReader,
  message: Pick<DnsMessage<RecordType>, 'rcode' | 'extendedError'>,
): void {
  skipName(reader)
  const head = readHead(reader)
  if (head.type !== TYPE_OPT) {
    reader.skip(head.length)
    return
  }
  // RFC 6891 §6.1.3: the OPT record's TTL begins with the upper eight bits of the response code.
  message.rcode |= (head.ttl >>> 24) << 4
  const end = reader.offset + head.length
  while (reader.offset < end) {
    const option = reader.u16()
    const data = reader.octets(reader.u16())
    if (option === OPTION_EXTENDED_ERROR && data.length >= 2) {
      message.extendedError ??= { code: data.readUInt16BE(0), text: plainText(data.subarray(2)) }
    }
  }
  if (reader.offset > end) throw new WireError('a record overruns its length')
}

/** The resolver's own words, fit to be shown: short, and without characters that control anything. */
function plainText(utf8: Buffer): string {
  return utf8
    .toString('utf8', 0, MAX_TEXT_OCTETS)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
}

function readRow<T extends RecordType>(
  reader: WireReader,
  owner: string,
  head: RowHead,
  type: T,
): ResourceRecord<T> {
  return { owner, ttl: ttlOf(head), data: readRecordData(reader, type, head.length) }
}

/** RFC 2181 §8: a TTL with the top bit set counts as zero. */
function ttlOf({ ttl }: RowHead): number {
  return ttl > 0x7fffffff ? 0 : ttl
}
