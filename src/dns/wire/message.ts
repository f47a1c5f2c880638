/** A response message taken apart, with caps on everything its sender controls. */
import type { ExtendedError, Question, RecordData, RecordType } from '../dns.js'
import { readName } from './name.js'
import { Reader, WireError } from './reader.js'
import { readRecordData, TYPE_NUMBERS } from './record-data.js'

const MAX_RECORDS_PER_SECTION = 512
const CLASS_IN = 1
const TYPE_OPT = 41
const OPTION_EXTENDED_ERROR = 15
const FLAG_RESPONSE = 0x8000
const OPCODE = 0x7800
const FLAG_TRUNCATED = 0x0200
const FLAG_AUTHENTICATED = 0x0020

export interface Row<T extends RecordType> {
  readonly owner: string
  readonly ttl: number
  readonly data: RecordData[T]
}

export interface Message<T extends RecordType> {
  rcode: number
  authenticated: boolean
  aliases: Row<'CNAME'>[]
  answers: Row<T>[]
  soa: Row<'SOA'> | null
  hasAuthorityNs: boolean
  extendedError: ExtendedError | null
}

interface RowHead {
  owner: string
  type: number
  class: number
  ttl: number
  length: number
}

/** Reads the response to `question`, or throws a `WireError` that says what is wrong with it. */
export function readMessage<T extends RecordType>(
  bytes: Buffer,
  question: Question & { type: T },
): Message<T> {
  const reader = new Reader(bytes)
  if (reader.u16() !== 0) throw new WireError('its id is not the question’s')
  const flags = reader.u16()
  if (!(flags & FLAG_RESPONSE) || flags & OPCODE) throw new WireError('it is not a response')
  if (flags & FLAG_TRUNCATED) throw new WireError('it is truncated')
  const questions = reader.u16()
  const counts = [reader.u16(), reader.u16(), reader.u16()] as const
  if (counts.some((count) => count > MAX_RECORDS_PER_SECTION)) {
    throw new WireError(`it has more than ${MAX_RECORDS_PER_SECTION} records`)
  }
  expectEcho(reader, questions, question)

  const message: Message<T> = {
    rcode: flags & 0x0f,
    authenticated: (flags & FLAG_AUTHENTICATED) !== 0,
    aliases: [],
    answers: [],
    soa: null,
    hasAuthorityNs: false,
    extendedError: null,
  }
  readSection(reader, counts[0], (head) => takeAnswer(reader, head, question.type, message))
  readSection(reader, counts[1], (head) => takeAuthority(reader, head, message))
  readSection(reader, counts[2], (head) => takeAdditional(reader, head, message))
  return message
}

function expectEcho(reader: Reader, questions: number, question: Question): void {
  const echoes =
    questions === 1 &&
    readName(reader) === question.name &&
    reader.u16() === TYPE_NUMBERS[question.type] &&
    reader.u16() === CLASS_IN
  if (!echoes) throw new WireError('it answers another question')
}

function readSection(reader: Reader, count: number, take: (head: RowHead) => void): void {
  for (let index = 0; index < count; index++) {
    const head: RowHead = {
      owner: readName(reader),
      type: reader.u16(),
      class: reader.u16(),
      ttl: reader.u32(),
      length: reader.u16(),
    }
    const end = reader.offset + head.length
    take(head)
    if (reader.offset < end) reader.octets(end - reader.offset)
  }
}

function takeAnswer<T extends RecordType>(
  reader: Reader,
  head: RowHead,
  type: T,
  message: Message<T>,
): void {
  if (head.class !== CLASS_IN) return
  if (head.type === TYPE_NUMBERS[type]) message.answers.push(readRow(reader, head, type))
  else if (head.type === TYPE_NUMBERS.CNAME) message.aliases.push(readRow(reader, head, 'CNAME'))
}

function takeAuthority(
  reader: Reader,
  head: RowHead,
  message: Pick<Message<RecordType>, 'soa' | 'hasAuthorityNs'>,
): void {
  if (head.class !== CLASS_IN) return
  if (head.type === TYPE_NUMBERS.NS) message.hasAuthorityNs = true
  else if (head.type === TYPE_NUMBERS.SOA) message.soa ??= readRow(reader, head, 'SOA')
}

function takeAdditional(
  reader: Reader,
  head: RowHead,
  message: Pick<Message<RecordType>, 'rcode' | 'extendedError'>,
): void {
  if (head.type !== TYPE_OPT) return
  // RFC 6891 §6.1.3: the OPT record's TTL begins with the upper eight bits of the response code.
  message.rcode |= (head.ttl >>> 24) << 4
  const end = reader.offset + head.length
  while (reader.offset < end) {
    const option = reader.u16()
    const data = reader.octets(reader.u16())
    if (option === OPTION_EXTENDED_ERROR && data.length >= 2) {
      message.extendedError ??= { code: data.readUInt16BE(0), text: data.toString('utf8', 2) }
    }
  }
}

function readRow<T extends RecordType>(reader: Reader, head: RowHead, type: T): Row<T> {
  // RFC 2181 §8: a TTL with the top bit set counts as zero.
  const ttl = head.ttl > 0x7fffffff ? 0 : head.ttl
  return { owner: head.owner, ttl, data: readRecordData(reader, type, head.length) }
}
