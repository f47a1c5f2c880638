/** Record types and the format of their data (RFC 1035 §3.3, RFC 3596, RFC 6698 §2.1, RFC 7208 §3.1). */
import { SocketAddress } from 'node:net'
import type { CharacterStrings, RecordData, RecordType } from '../dns.js'
import { readName, skipName, WireError, type WireReader } from './wire-reader.js'

export const CLASS_IN = 1

export const TYPE_NUMBERS: Record<RecordType, number> = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  TLSA: 52,
  SPF: 99,
}

type Decode<T extends RecordType> = (reader: WireReader, length: number) => RecordData[T]

const decoders: { [T in RecordType]: Decode<T> } = {
  A: (reader) => [...reader.octets(4)].join('.'),
  AAAA: (reader) => formatIpv6(reader.octets(16).toString('hex')),
  CNAME: readName,
  NS: readName,
  PTR: readName,
  MX: (reader) => ({ preference: reader.u16(), exchange: readName(reader) }),
  SOA: readSoa,
  SPF: readStrings,
  TLSA: readTlsa,
  TXT: readStrings,
}

/** Reads one record's data, which must have exactly the stated length. */
export function readRecordData<T extends RecordType>(
  reader: WireReader,
  type: T,
  length: number,
): RecordData[T] {
  const end = reader.offset + length
  const data = decoders[type](reader, length)
  requireEnd(reader, end, type)
  return data
}

/** Reads the one field of an SOA record that matters for an absence. */
export function readSoaMinimum(reader: WireReader, length: number): number {
  const end = reader.offset + length
  skipName(reader)
  skipName(reader)
  reader.skip(16)
  const minimum = reader.u32()
  requireEnd(reader, end, 'SOA')
  return minimum
}

function requireEnd(reader: WireReader, end: number, type: RecordType): void {
  if (reader.offset !== end) throw new WireError(`${type} data does not match its length`)
}

/** RFC 5952. */
function formatIpv6(hex: string): string {
  const address = (hex.match(/.{4}/g) ?? []).join(':')
  return new SocketAddress({ address, family: 'ipv6' }).address
}

function readSoa(reader: WireReader): RecordData['SOA'] {
  const primary = readName(reader)
  const mailbox = readName(reader)
  const serial = reader.u32()
  reader.skip(12)
  return { primary, mailbox, serial, minimum: reader.u32() }
}

function readTlsa(reader: WireReader, length: number): RecordData['TLSA'] {
  if (length < 3) throw new WireError('TLSA data is too short')
  const usage = reader.u8()
  const selector = reader.u8()
  const matchingType = reader.u8()
  return { usage, selector, matchingType, data: reader.octets(length - 3).toString('hex') }
}

/** RFC 1035 §3.3. */
const MAX_STRING_OCTETS = 255
/** As many full strings as fit in a message; a record with more has mostly tiny ones. */
const MAX_STRINGS = 257
const TOO_LONG = 'a string is longer than the data of its record'

function readStrings(reader: WireReader, length: number): CharacterStrings {
  const octets = reader.octets(length)
  const strings: string[] = []
  let at = 0
  while (at < length) {
    // Not counted first: most records have few strings, and a hostile one is left at once.
    if (strings.length === MAX_STRINGS) return readText(octets)
    const start = at + 1
    at = start + (octets[at] ?? 0)
    strings.push(octets.toString('latin1', start, at))
  }
  if (at > length) throw new WireError(TOO_LONG)
  return strings
}

/** The text being read. */
const scratch = Buffer.alloc(0x10000)

/**
 * The same text in as few strings as it needs. Only the text has a meaning (RFC 7208 §3.3, RFC 6376
 * §3.6.2.2), and 20,000 tiny strings an answer would cost more than the rest of a report.
 */
function readText(octets: Buffer): CharacterStrings {
  let size = 0
  let at = 0
  while (at < octets.length) {
    const end = at + 1 + (octets[at] ?? 0)
    while (++at < end) scratch[size++] = octets[at] ?? 0
  }
  if (at > octets.length) throw new WireError(TOO_LONG)
  const strings: string[] = []
  for (let start = 0; start < size; start += MAX_STRING_OCTETS) {
    strings.push(scratch.toString('latin1', start, Math.min(start + MAX_STRING_OCTETS, size)))
  }
  return strings
}
