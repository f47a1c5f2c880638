/** Decodes the header blocks of one connection (RFC 7541 §6) and limits their expanded size. */
import {
  createHpackTable,
  DEFAULT_TABLE_OCTETS,
  type HeaderField,
  headerFieldSize,
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

export function createHpackDecoder(): HpackDecoder {
  const table = createHpackTable(DEFAULT_TABLE_OCTETS)
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
    const name = index === 0 ? readString() : table.at(index).name
    return { name, value: readString() }
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
