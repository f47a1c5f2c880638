/** Reads the header blocks of one connection (RFC 7541 §6), with a cap on what they unfold to. */
import { createHpackTable, type HeaderField, headerFieldSize } from './hpack-table.js'
import { ERROR_CODE, Http2ConnectionError } from './http2-protocol.js'
import { decodeHuffman } from './huffman.js'

/** The default, which we leave as it is (RFC 9113 §6.5.2). */
const TABLE_OCTETS = 4_096
/** Few octets may stand for many large fields. */
export const MAX_HEADER_LIST_OCTETS = 65_536
/** Four octets after the prefix hold any number that makes sense here. */
const LONGEST_SHIFT = 21

export interface HeaderFieldSink {
  onField(field: HeaderField): void
}

export interface HpackDecoder {
  /** Hands over every field in the block between `start` and `end`, in order. */
  decode(bytes: Buffer, start: number, end: number, taker: HeaderFieldSink): void
}

export function createHpackDecoder(): HpackDecoder {
  const table = createHpackTable(TABLE_OCTETS)
  let block: Buffer = Buffer.alloc(0)
  let offset = 0
  let blockEnd = 0

  function octet(): number {
    if (offset >= blockEnd) throw corrupt('a header block ends too early')
    return block[offset++] as number
  }

  /** A number that begins in the lower bits of `first` (RFC 7541 §5.1). */
  function integer(first: number, prefix: number): number {
    const value = first & prefix
    return value < prefix ? value : value + longInteger()
  }

  function longInteger(): number {
    let value = 0
    for (let shift = 0; shift <= LONGEST_SHIFT; shift += 7) {
      const next = octet()
      value += (next & 0x7f) << shift
      if (next < 0x80) return value
    }
    throw corrupt('a number in a header block is too large')
  }

  function text(): string {
    const first = octet()
    const length = integer(first, 0x7f)
    const start = offset
    offset += length
    if (offset > blockEnd) throw corrupt('a string overruns its header block')
    return first & 0x80
      ? decodeHuffman(block, start, offset)
      : block.toString('latin1', start, offset)
  }

  function literal(first: number, prefix: number): HeaderField {
    const index = integer(first, prefix)
    const name = index === 0 ? text() : table.at(index).name
    return { name, value: text() }
  }

  /** The next field; null when it was only a change of the table's size. */
  function next(isFirst: boolean): HeaderField | null {
    const first = octet()
    if (first & 0x80) return table.at(integer(first, 0x7f))
    if (first & 0x40) {
      const field = literal(first, 0x3f)
      table.add(field)
      return field
    }
    // Not to be indexed, now or ever.
    if (!(first & 0x20)) return literal(first, 0x0f)
    if (!isFirst) throw corrupt('a table changes its size between fields')
    table.resize(integer(first, 0x1f))
    return null
  }

  return {
    decode(bytes, start, end, taker) {
      block = bytes
      offset = start
      blockEnd = end
      let size = 0
      while (offset < blockEnd) {
        const field = next(size === 0)
        if (!field) continue
        size += headerFieldSize(field)
        if (size > MAX_HEADER_LIST_OCTETS) {
          throw new Http2ConnectionError(
            ERROR_CODE.ENHANCE_YOUR_CALM,
            'a header is larger than we allow',
          )
        }
        taker.onField(field)
      }
    },
  }
}

function corrupt(message: string): Http2ConnectionError {
  return new Http2ConnectionError(ERROR_CODE.COMPRESSION_ERROR, message)
}
