/** Record types and the format of their data (RFC 1035 §3.3, RFC 3596, RFC 7208 §3.1). */
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

function readStrings(reader: WireReader, length: number): CharacterStrings {
  const end = reader.offset + length
  const strings: string[] = []
  while (reader.offset < end) strings.push(reader.text(reader.u8()))
  return strings
}
