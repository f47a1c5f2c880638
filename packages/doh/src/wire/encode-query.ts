/** Encodes a query as the `dns` parameter of a DoH request (RFC 8484 §4.1). */
import type { DnsQuery, RecordType } from '../dns.js'
import { CLASS_IN, TYPE_NUMBERS } from './record-data.js'
import { canonicalName, writeName, writePlainName } from './wire-name.js'
import { MAX_WIRE_NAME_OCTETS } from './wire-reader.js'

/** A query and its wire form, encoded once for all resolvers. */
export interface EncodedQuery extends DnsQuery {
  /** Base64url. */
  readonly dnsParameter: string
}

/**
 * Id 0, so equal queries have equal URLs (RFC 8484 §4.1); recursion desired; AD, to learn
 * whether the answer was validated (RFC 6840 §5.7); one question, one additional record.
 */
const HEADER = Buffer.from('000001200001000000000001', 'hex')
/** Resolvers send extended errors only in response to an OPT record (RFC 8914 §2). */
const OPT_RECORD = Buffer.from('0000291000000000000000', 'hex')

/** Reused for every message: only the base64url text is kept. */
const message = Buffer.concat([HEADER, Buffer.alloc(MAX_WIRE_NAME_OCTETS + 4 + OPT_RECORD.length)])

/** The name servers of the root, which every recursive resolver knows. */
export const ROOT_NS_QUERY: EncodedQuery = {
  name: '.',
  type: 'NS',
  dnsParameter: 'AAABIAABAAAAAAABAAACAAEAACkQAAAAAAAAAA',
}

/** Returns the query with its name in canonical form, or null when the name is not valid. */
export function encodeQuery({ name, type }: DnsQuery): EncodedQuery | null {
  const plainEnd = writePlainName(name, message, HEADER.length)
  if (plainEnd !== null) return { name, type, dnsParameter: finishMessage(type, plainEnd) }
  const canonical = canonicalName(name)
  if (canonical === null) return null
  const end = writeName(canonical, message, HEADER.length)
  if (end === null) return null
  return { name: canonical, type, dnsParameter: finishMessage(type, end) }
}

function finishMessage(type: RecordType, nameEnd: number): string {
  const classAt = message.writeUInt16BE(TYPE_NUMBERS[type], nameEnd)
  const optAt = message.writeUInt16BE(CLASS_IN, classAt)
  message.set(OPT_RECORD, optAt)
  return message.toString('base64url', 0, optAt + OPT_RECORD.length)
}
