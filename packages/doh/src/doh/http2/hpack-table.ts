/** The header fields that an index stands for: those known from the start, then the latest ones (RFC 7541 §2.3). */
import { STATIC_FIELDS } from './hpack-static-table.js'
import { CODE, ProtocolError } from './protocol.js'

export interface Field {
  readonly name: string
  readonly value: string
}

const statics: readonly Field[] = STATIC_FIELDS.map(([name, value]) => ({ name, value }))

/** RFC 7541 §4.1: what a field counts for, so that a peer cannot have us keep many empty ones. */
export function sizeOf({ name, value }: Field): number {
  return name.length + value.length + 32
}

export function createFieldTable(maxSize: number) {
  /** The oldest first. */
  const latest: Field[] = []
  let limit = maxSize
  let size = 0

  function shrinkTo(allowed: number): void {
    while (size > allowed) size -= sizeOf(latest.shift() as Field)
  }

  return {
    at(index: number): Field {
      const isStatic = index <= statics.length
      const field = isStatic ? statics[index - 1] : latest[latest.length + statics.length - index]
      if (field) return field
      throw new ProtocolError(CODE.COMPRESSION_ERROR, 'an index stands for nothing')
    },
    /** A field that is larger than the table leaves it empty. */
    add(field: Field): void {
      const itsSize = sizeOf(field)
      shrinkTo(Math.max(0, limit - itsSize))
      if (itsSize > limit) return
      latest.push(field)
      size += itsSize
    },
    resize(newLimit: number): void {
      if (newLimit > maxSize) {
        throw new ProtocolError(CODE.COMPRESSION_ERROR, 'a table is larger than we allow')
      }
      limit = newLimit
      shrinkTo(limit)
    },
  }
}
