/** The header fields that an index stands for: those known from the start, then the latest ones (RFC 7541 §2.3). */
import { HPACK_STATIC_TABLE } from './hpack-static-table.js'
import { ERROR_CODE, Http2ConnectionError } from './http2-protocol.js'

export interface HeaderField {
  readonly name: string
  readonly value: string
}

const statics: readonly HeaderField[] = HPACK_STATIC_TABLE.map(([name, value]) => ({ name, value }))

/** RFC 7541 §4.1: what a field counts for, so that a peer cannot have us keep many empty ones. */
export function headerFieldSize({ name, value }: HeaderField): number {
  return name.length + value.length + 32
}

export function createHpackTable(maxSize: number) {
  /** The oldest first. */
  const latest: HeaderField[] = []
  let limit = maxSize
  let size = 0

  function shrinkTo(allowed: number): void {
    while (size > allowed) size -= headerFieldSize(latest.shift() as HeaderField)
  }

  return {
    at(index: number): HeaderField {
      const isStatic = index <= statics.length
      const field = isStatic ? statics[index - 1] : latest[latest.length + statics.length - index]
      if (field) return field
      throw new Http2ConnectionError(ERROR_CODE.COMPRESSION_ERROR, 'an index stands for nothing')
    },
    /** A field that is larger than the table leaves it empty. */
    add(field: HeaderField): void {
      const itsSize = headerFieldSize(field)
      shrinkTo(Math.max(0, limit - itsSize))
      if (itsSize > limit) return
      latest.push(field)
      size += itsSize
    },
    resize(newLimit: number): void {
      if (newLimit > maxSize) {
        throw new Http2ConnectionError(
          ERROR_CODE.COMPRESSION_ERROR,
          'a table is larger than we allow',
        )
      }
      limit = newLimit
      shrinkTo(limit)
    },
  }
}
