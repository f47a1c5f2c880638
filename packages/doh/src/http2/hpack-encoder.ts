/**
 * Writes the header blocks of our requests (RFC 7541 §6). Requests differ only in their path, so
 * the other fields go into the server's dynamic table and take four octets afterwards.
 */
import { DEFAULT_TABLE_OCTETS, headerFieldSize } from './hpack-table.js'

/** Static entries `:method: GET` and `:scheme: https`. */
const GET_HTTPS = Buffer.of(0x82, 0x87)
/** Literals with indexing, then without, whose names are in the static table. */
const INDEX_AUTHORITY = Buffer.of(0x41)
const INDEX_ACCEPT = Buffer.of(0x53)
const LITERAL_AUTHORITY = Buffer.of(0x01)
const LITERAL_ACCEPT = Buffer.of(0x0f, 0x04)
const LITERAL_PATH = 0x04
/** The dynamic entries; the latest comes first. */
const INDEXED_ACCEPT = Buffer.of(0xbe)
const INDEXED_AUTHORITY = Buffer.of(0xbf)

export interface HpackEncoder {
  /** A block is at most this much longer than its path. */
  readonly overheadOctets: number
  /** Writes the block of a GET request for `path` and returns its end. */
  write(path: string, target: Buffer, start: number): number
  /** Applies the server's SETTINGS_HEADER_TABLE_SIZE. */
  limitTableSize(octets: number): void
}

export function createHpackEncoder(authority: string, accept: string): HpackEncoder {
  const requiredOctets =
    headerFieldSize({ name: ':authority', value: authority }) +
    headerFieldSize({ name: 'accept', value: accept })
  /** The parts before and after the path. */
  const literal = [
    Buffer.concat([GET_HTTPS, LITERAL_AUTHORITY, encodeString(authority)]),
    Buffer.concat([LITERAL_ACCEPT, encodeString(accept)]),
  ] as const
  const indexing = [
    Buffer.concat([GET_HTTPS, INDEX_AUTHORITY, encodeString(authority)]),
    Buffer.concat([INDEX_ACCEPT, encodeString(accept)]),
  ] as const
  const indexed = [Buffer.concat([GET_HTTPS, INDEXED_AUTHORITY]), INDEXED_ACCEPT] as const
  let tableLimit = DEFAULT_TABLE_OCTETS
  let hasPendingSizeUpdate = false
  let isIndexed = false

  function selectParts(): typeof indexed {
    if (tableLimit < requiredOctets) return literal
    if (isIndexed) return indexed
    isIndexed = true
    return indexing
  }

  return {
    overheadOctets: authority.length + accept.length + 64,
    write(path, target, start) {
      let offset = start
      if (hasPendingSizeUpdate) {
        offset = writeInteger(tableLimit, 0x20, 0x1f, target, offset)
        hasPendingSizeUpdate = false
      }
      const [before, after] = selectParts()
      offset += before.copy(target, offset)
      target[offset++] = LITERAL_PATH
      offset = writeInteger(path.length, 0, 0x7f, target, offset)
      offset += target.write(path, offset, 'latin1')
      return offset + after.copy(target, offset)
    },
    limitTableSize(octets) {
      // A larger limit is allowed but never needed (RFC 7541 §4.2).
      if (octets >= tableLimit) return
      tableLimit = octets
      hasPendingSizeUpdate = true
    },
  }
}

function encodeString(text: string): Buffer {
  const target = Buffer.alloc(text.length + 8)
  const start = writeInteger(text.length, 0, 0x7f, target, 0)
  return target.subarray(0, start + target.write(text, start, 'latin1'))
}

/** Writes an integer whose first octet has `pattern` in its upper bits (RFC 7541 §5.1). */
function writeInteger(
  value: number,
  pattern: number,
  prefix: number,
  target: Buffer,
  start: number,
): number {
  if (value < prefix) {
    target[start] = pattern | value
    return start + 1
  }
  target[start] = pattern | prefix
  let offset = start + 1
  let rest = value - prefix
  for (; rest >= 0x80; rest >>>= 7) target[offset++] = (rest & 0x7f) | 0x80
  target[offset++] = rest
  return offset
}
