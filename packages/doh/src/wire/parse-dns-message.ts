/** Parses a response message (RFC 1035 §4.1), with limits on everything its sender controls. */
import type { DnsQuery, ExtendedError, RecordData, RecordType } from '../dns.js'
import { CLASS_IN, readRecordData, readSoaMinimum, TYPE_NUMBERS } from './record-data.js'
import { readName, skipName, WireError, WireReader } from './wire-reader.js'

const MAX_RECORDS_PER_SECTION = 512
/** Twice what resolvers follow before they give up. */
export const MAX_ALIASES = 32
const MAX_TEXT_OCTETS = 200
const TYPE_OPT = 41
const OPTION_EXTENDED_ERROR = 15
/** The owner of nearly every record: a pointer to the name in the question. */
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
  isRecursionAvailable: boolean
  /** One more than `MAX_ALIASES` if there are too many. */
  aliases: readonly ResourceRecord<'CNAME'>[]
  answers: readonly ResourceRecord<T>[]
  /** From the SOA record in the authority section. */
  negativeTtl: number | null
  hasAuthorityNs: boolean
  extendedError: ExtendedError | null
}

/** The fixed fields after a record's owner. One object is reused for every record. */
const head = { type: 0, class: 0, ttl: 0, length: 0 }

const NO_RECORDS: readonly never[] = []

/** Parses the response to `query`, or throws a `WireError` that says what is wrong with it. */
export function parseDnsMessage<T extends RecordType>(
  bytes: Buffer,
  query: DnsQuery & { type: T },
): DnsMessage<T> {
  const reader = new WireReader(bytes)
  if (reader.u16() !== 0) throw new WireError('its id differs from the query’s')
  const flags = reader.u16()
  if (!(flags & FLAG_RESPONSE) || flags & OPCODE) throw new WireError('it is not a response')
  if (flags & FLAG_TRUNCATED) throw new WireError('it is truncated')
  const questionCount = reader.u16()
  const answerCount = readCount(reader)
  const authorityCount = readCount(reader)
  const additionalCount = readCount(reader)
  requireEcho(reader, questionCount, query)

  const message: DnsMessage<T> = {
    rcode: flags & 0x0f,
    authenticated: (flags & FLAG_AUTHENTICATED) !== 0,
    isRecursionAvailable: (flags & FLAG_RECURSION_AVAILABLE) !== 0,
    aliases: NO_RECORDS,
    answers: NO_RECORDS,
    negativeTtl: null,
    hasAuthorityNs: false,
    extendedError: null,
  }
  for (let left = answerCount; left > 0; left--) readAnswer(reader, query, message)
  for (let left = authorityCount; left > 0; left--) readAuthority(reader, message)
  for (let left = additionalCount; left > 0; left--) readAdditional(reader, message)
  return message
}

function readCount(reader: WireReader): number {
  const count = reader.u16()
  if (count <= MAX_RECORDS_PER_SECTION) return count
  throw new WireError(`it has more than ${MAX_RECORDS_PER_SECTION} records`)
}

function requireEcho(reader: WireReader, questionCount: number, query: DnsQuery): void {
  const isEcho =
    questionCount === 1 &&
    (reader.skipNameIf(query.name) || readName(reader) === query.name) &&
    reader.u16() === TYPE_NUMBERS[query.type] &&
    reader.u16() === CLASS_IN
  if (!isEcho) throw new WireError('it answers another question')
}

function readHead(reader: WireReader): void {
  head.type = reader.u16()
  head.class = reader.u16()
  head.ttl = reader.u32()
  head.length = reader.u16()
}

function readAnswer<T extends RecordType>(
  reader: WireReader,
  query: DnsQuery & { type: T },
  message: DnsMessage<T>,
): void {
  const owner = reader.skipU16If(POINTER_TO_QUESTION) ? query.name : readName(reader)
  readHead(reader)
  if (head.class !== CLASS_IN) reader.skip(head.length)
  else if (head.type === TYPE_NUMBERS[query.type]) {
    message.answers = append(message.answers, readRecord(reader, owner, query.type))
  } else if (head.type === TYPE_NUMBERS.CNAME && message.aliases.length <= MAX_ALIASES) {
    message.aliases = append(message.aliases, readRecord(reader, owner, 'CNAME'))
  } else reader.skip(head.length)
}

function readAuthority(
  reader: WireReader,
  message: Pick<DnsMessage<RecordType>, 'negativeTtl' | 'hasAuthorityNs'>,
): void {
  skipName(reader)
  readHead(reader)
  const type = head.class === CLASS_IN ? head.type : null
  if (type === TYPE_NUMBERS.NS) message.hasAuthorityNs = true
  if (type === TYPE_NUMBERS.SOA && message.negativeTtl === null) {
    // RFC 2308 §5: the lesser of the SOA record's TTL and its minimum field.
    message.negativeTtl = Math.min(effectiveTtl(), readSoaMinimum(reader, head.length))
  } else reader.skip(head.length)
}

function readAdditional(
  reader: WireReader,
  message: Pick<DnsMessage<RecordType>, 'rcode' | 'extendedError'>,
): void {
  skipName(reader)
  readHead(reader)
  if (head.type !== TYPE_OPT) {
    reader.skip(head.length)
    return
  }
  // RFC 6891 §6.1.3: the OPT record's TTL starts with the upper eight bits of the response code.
  message.rcode |= (head.ttl >>> 24) << 4
  const end = reader.offset + head.length
  while (reader.offset < end) {
    const option = reader.u16()
    const data = reader.octets(reader.u16())
    if (option === OPTION_EXTENDED_ERROR && data.length >= 2) {
      message.extendedError ??= { code: data.readUInt16BE(0), text: sanitizeText(data.subarray(2)) }
    }
  }
  if (reader.offset > end) throw new WireError('a record is longer than its length')
}

/** Makes the resolver's text safe to display: short and without control characters. */
function sanitizeText(utf8: Buffer): string {
  return utf8
    .toString('utf8', 0, MAX_TEXT_OCTETS)
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
    .trim()
}

function readRecord<T extends RecordType>(
  reader: WireReader,
  owner: string,
  type: T,
): ResourceRecord<T> {
  return { owner, ttl: effectiveTtl(), data: readRecordData(reader, type, head.length) }
}

/** RFC 2181 §8: a TTL with the top bit set counts as zero. */
function effectiveTtl(): number {
  return head.ttl > 0x7fffffff ? 0 : head.ttl
}

/** A literal, because the first `push` into an empty array makes room for 17. */
function append<T>(list: readonly T[], item: T): readonly T[] {
  if (list.length === 0) return [item]
  ;(list as T[]).push(item)
  return list
}
