/**
 * Writes the header blocks of our questions (RFC 7541 §6). They differ only in their path, so the
 * server's table is to hold the rest, which then takes four octets.
 */
import { headerFieldSize } from './hpack-table.js'

const DEFAULT_TABLE_OCTETS = 4_096
const GET_HTTPS = Buffer.of(0x82, 0x87)
/** Literals whose names are known: what is to be kept in the table, and what is not. */
const KEEP_AUTHORITY = 0x41
const KEEP_ACCEPT = Buffer.of(0x53)
const AUTHORITY = 0x01
const ACCEPT = Buffer.of(0x0f, 0x04)
const PATH = 0x04
/** Where the two stand once they are kept: the latest comes first. */
const KEPT_ACCEPT = 0xbe
const KEPT_AUTHORITY = 0xbf

export interface HpackEncoder {
  /** No block is longer than its path and this. */
  readonly overheadOctets: number
  /** Writes the block that asks for `path` and returns where it ends. */
  write(path: string, target: Buffer, start: number): number
  /** The server wants its table to be at most so large. */
  limitTableSize(octets: number): void
}

export function createHpackEncoder(authority: string, accept: string): HpackEncoder {
  const tableNeed =
    headerFieldSize({ name: ':authority', value: authority }) +
    headerFieldSize({ name: 'accept', value: accept })
  const literal = [
    Buffer.concat([GET_HTTPS, Buffer.of(AUTHORITY), stringOf(authority)]),
    Buffer.concat([ACCEPT, stringOf(accept)]),
  ] as const
  const keeping = [
    Buffer.concat([GET_HTTPS, Buffer.of(KEEP_AUTHORITY), stringOf(authority)]),
    Buffer.concat([KEEP_ACCEPT, stringOf(accept)]),
  ] as const
  const kept = [
    Buffer.concat([GET_HTTPS, Buffer.of(KEPT_AUTHORITY)]),
    Buffer.of(KEPT_ACCEPT),
  ] as const
  let tableLimit = DEFAULT_TABLE_OCTETS
  let mustTellLimit = false
  let isKept = false

  function parts(): typeof kept {
    if (tableLimit < tableNeed) return literal
    if (isKept) return kept
    isKept = true
    return keeping
  }

  return {
    overheadOctets: authority.length + accept.length + 64,
    write(path, target, start) {
      let offset = start
      if (mustTellLimit) {
        offset = writeInteger(tableLimit, 0x20, 0x1f, target, offset)
        mustTellLimit = false
      }
      const [before, after] = parts()
      offset += before.copy(target, offset)
      target[offset++] = PATH
      offset = writeInteger(path.length, 0, 0x7f, target, offset)
      offset += target.write(path, offset, 'latin1')
      return offset + after.copy(target, offset)
    },
    limitTableSize(octets) {
      // It never grows again: whoever once asked for less gets no more (RFC 7541 §4.2).
      if (octets >= tableLimit) return
      tableLimit = octets
      mustTellLimit = true
    },
  }
}

function stringOf(text: string): Buffer {
  const target = Buffer.alloc(text.length + 8)
  const start = writeInteger(text.length, 0, 0x7f, target, 0)
  return target.subarray(0, start + target.write(text, start, 'latin1'))
}

/** A number in the lower bits of an octet whose upper ones are `pattern` (RFC 7541 §5.1). */
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
