/** The header blocks of one connection (RFC 7541 §6): decodes responses, encodes requests. */
import {
  createHpackTable,
  DEFAULT_TABLE_OCTETS,
  type HeaderField,
  headerFieldSize,
  isStaticIndex,
  isValidFieldName,
  isValidFieldValue,
} from './hpack-table.js'
import { ERROR_CODE, Http2ConnectionError, MAX_HEADER_LIST_OCTETS } from './http2-protocol.js'
import { decodeHuffman } from './huffman.js'

/** Four octets after the prefix are enough for every valid integer here. */
const MAX_SHIFT = 21

export interface HeaderFieldSink {
  onField(field: HeaderField): void
}

export interface HpackDecoder {
  /** Passes every field of the block between `start` and `end` to `sink`, in order. */
  decode(bytes: Buffer, start: number, end: number, sink: HeaderFieldSink): void
}

interface RememberedLiteral {
  /** The encoded value. */
  readonly octets: Buffer
  readonly field: HeaderField
}

const MAX_REMEMBERED_OCTETS = 64

/** Limits the expanded size of a block. */
export function createHpackDecoder(): HpackDecoder {
  const table = createHpackTable(DEFAULT_TABLE_OCTETS)
  /** The first literal value for each name in the static table. */
  const literals: Record<number, RememberedLiteral> = {}
  let block: Buffer = Buffer.alloc(0)
  let offset = 0
  let blockEnd = 0

  function readOctet(): number {
    if (offset >= blockEnd) throw compressionError('a header block ends too early')
    return block[offset++] as number
  }

  /** Reads an integer that starts in the lower bits of `first` (RFC 7541 §5.1). */
  function readInteger(first: number, prefix: number): number {
    const value = first & prefix
    return value < prefix ? value : value + readLongInteger()
  }

  function readLongInteger(): number {
    let value = 0
    for (let shift = 0; shift <= MAX_SHIFT; shift += 7) {
      const octet = readOctet()
      value += (octet & 0x7f) << shift
      if (octet < 0x80) return value
    }
    throw compressionError('an integer in a header block is too large')
  }

  function readString(): string {
    const first = readOctet()
    const length = readInteger(first, 0x7f)
    const start = offset
    offset += length
    if (offset > blockEnd) throw compressionError('a string is longer than its header block')
    return first & 0x80
      ? decodeHuffman(block, start, offset)
      : block.toString('latin1', start, offset)
  }

  function readLiteral(first: number, prefix: number): HeaderField {
    const index = readInteger(first, prefix)
    return repeatedField(index) ?? readNewLiteral(index)
  }

  /** Servers that do not index send the same fields with every response. */
  function repeatedField(index: number): HeaderField | null {
    const known = literals[index]
    if (!known || offset + known.octets.length > blockEnd) return null
    for (let at = 0; at < known.octets.length; at++) {
      if (block[offset + at] !== known.octets[at]) return null
    }
    offset += known.octets.length
    return known.field
  }

  function readNewLiteral(index: number): HeaderField {
    const known = index === 0 ? null : table.at(index)
    const name = known ? known.name : readString()
    const start = offset
    const value = readString()
    const isValid = (known?.isValid || isValidFieldName(name)) && isValidFieldValue(value)
    const field = { name, value, isValid }
    if (isStaticIndex(index) && !literals[index] && offset - start <= MAX_REMEMBERED_OCTETS) {
      literals[index] = { octets: Buffer.from(block.subarray(start, offset)), field }
    }
    return field
  }

  /** Reads the next field; null for a dynamic table size update. */
  function readField(isFirst: boolean): HeaderField | null {
    const first = readOctet()
    if (first & 0x80) return table.at(readInteger(first, 0x7f))
    if (first & 0x40) {
      const field = readLiteral(first, 0x3f)
      table.add(field)
      return field
    }
    // Without indexing, or never indexed.
    if (!(first & 0x20)) return readLiteral(first, 0x0f)
    if (!isFirst) throw compressionError('a table size update follows a header field')
    table.resize(readInteger(first, 0x1f))
    return null
  }

  return {
    decode(bytes, start, end, sink) {
      block = bytes
      offset = start
      blockEnd = end
      let size = 0
      while (offset < blockEnd) {
        const field = readField(size === 0)
        if (!field) continue
        size += headerFieldSize(field)
        if (size > MAX_HEADER_LIST_OCTETS) {
          throw new Http2ConnectionError(ERROR_CODE.ENHANCE_YOUR_CALM, 'a header is too large')
        }
        sink.onField(field)
      }
    },
  }
}

function compressionError(message: string): Http2ConnectionError {
  return new Http2ConnectionError(ERROR_CODE.COMPRESSION_ERROR, message)
}

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

/**
 * Requests differ only in their path, so the other fields go into the server's dynamic table and
 * take four octets afterwards.
 */
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
      offset = copyOctets(before, target, offset)
      target[offset++] = LITERAL_PATH
      offset = writeInteger(path.length, 0, 0x7f, target, offset)
      offset += target.write(path, offset, 'latin1')
      return copyOctets(after, target, offset)
    },
    limitTableSize(octets) {
      // A larger limit is allowed but never needed (RFC 7541 §4.2).
      if (octets >= tableLimit) return
      tableLimit = octets
      hasPendingSizeUpdate = true
    },
  }
}

/** Faster than `Buffer.copy` for the few octets here. Returns where they end. */
function copyOctets(octets: Buffer, target: Buffer, start: number): number {
  let at = start
  for (const octet of octets) target[at++] = octet
  return at
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
