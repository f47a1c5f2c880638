/** Bounds-checked reading of a DNS message (RFC 1035 §4.1). */

/** The message is malformed. `decodeResponse` turns it into a failed answer. */
export class WireError extends Error {}

const DOT = 0x2e
const BACKSLASH = 0x5c

export class WireReader {
  offset = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  u8(): number {
    const value = this.#bytes[this.offset]
    if (value === undefined) throw new WireError('it ends too early')
    this.offset++
    return value
  }

  u16(): number {
    return (this.u8() << 8) | this.u8()
  }

  u32(): number {
    return this.u16() * 0x10000 + this.u16()
  }

  /** Skips two octets if they equal `expected`. */
  skipU16If(expected: number): boolean {
    const at = this.offset
    if (this.#bytes[at] !== expected >> 8 || this.#bytes[at + 1] !== (expected & 0xff)) return false
    this.offset += 2
    return true
  }

  /**
   * Skips a name if its octets are the text `name`, which must be canonical. A name in upper case
   * or with a pointer or an escape may be equal too: then this returns false and skips nothing.
   */
  skipNameIf(name: string): boolean {
    const first = this.offset + 1
    let labelEnd = first + (this.#bytes[this.offset] ?? 0)
    for (let index = 0; index < name.length; index++) {
      const code = name.charCodeAt(index)
      const octet = this.#bytes[first + index] ?? 0
      if (code === DOT && first + index === labelEnd) labelEnd += octet + 1
      else if (code !== octet || code === DOT || code === BACKSLASH) return false
    }
    const end = first + name.length
    if (end !== labelEnd || this.#bytes[end] !== 0) return false
    this.offset = end + 1
    return true
  }

  octets(length: number): Buffer {
    const start = this.offset
    this.skip(length)
    return this.#bytes.subarray(start, this.offset)
  }

  /** One character per octet. */
  text(length: number): string {
    const start = this.offset
    this.skip(length)
    return this.#bytes.toString('latin1', start, this.offset)
  }

  skip(length: number): void {
    if (this.offset + length > this.#bytes.length) throw new WireError('it ends too early')
    this.offset += length
  }
}

export const MAX_WIRE_NAME_OCTETS = 255
/** A name has at most 127 labels, so a valid one needs no more pointers. */
const MAX_POINTERS = 127
const POINTER = 0xc0

/** By octet: whether a canonical name contains the character, and without an escape. */
export const isPlainCharacter = Array.from({ length: 256 }, (_, code) =>
  /[a-z\d_-]/.test(String.fromCharCode(code)),
)

/** The name being read, uncompressed in wire form, and whether it needs no escape. */
const scratch = Buffer.alloc(MAX_WIRE_NAME_OCTETS)
let isPlainName = true

/** Reads a name, compressed or not, as canonical text: lower case, escaped, no trailing dot. */
export function readName(reader: WireReader): string {
  isPlainName = true
  const end = followName(reader, copyLabel)
  if (end === 0) return '.'
  return isPlainName ? joinPlainLabels(end) : joinEscapedLabels(end)
}

/** Skips a name, but checks it like `readName`. */
export function skipName(reader: WireReader): void {
  followName(reader, skipLabel)
}

/**
 * Returns the name's uncompressed length. Each pointer must lead further back than the one before,
 * and their number is limited, so a hostile message causes no loop and little work.
 */
function followName(
  reader: WireReader,
  onLabel: (reader: WireReader, length: number, start: number) => void,
): number {
  let end = 0
  let resumeAt: number | null = null
  let earliest = reader.offset
  let pointers = 0
  for (;;) {
    const length = reader.u8()
    if (length === 0) break
    if ((length & POINTER) === POINTER) {
      const target = ((length & ~POINTER) << 8) | reader.u8()
      if (target >= earliest || ++pointers > MAX_POINTERS) {
        throw new WireError('a name has a forward pointer or too many pointers')
      }
      resumeAt ??= reader.offset
      earliest = target
      reader.offset = target
      continue
    }
    if (length & POINTER) throw new WireError('a name has a label of unknown type')
    // The final zero takes one more octet.
    if (end + length + 2 > MAX_WIRE_NAME_OCTETS) {
      throw new WireError('a name is longer than 255 octets')
    }
    onLabel(reader, length, end)
    end += length + 1
  }
  if (resumeAt !== null) reader.offset = resumeAt
  return end
}

function skipLabel(reader: WireReader, length: number): void {
  reader.skip(length)
}

/** Copies a label to `scratch` in lower case. */
function copyLabel(reader: WireReader, length: number, start: number): void {
  scratch[start] = length
  for (let index = start + 1; index <= start + length; index++) {
    const octet = lowerCase(reader.u8())
    scratch[index] = octet
    if (!isPlainCharacter[octet]) isPlainName = false
  }
}

function lowerCase(octet: number): number {
  return octet >= 0x41 && octet <= 0x5a ? octet | 0x20 : octet
}

function joinPlainLabels(end: number): string {
  for (let at = 0; at < end; ) {
    const next = at + (scratch[at] as number) + 1
    scratch[at] = DOT
    at = next
  }
  return scratch.toString('latin1', 1, end)
}

/** A dot inside a label is escaped: `a\.b.test` is not `a.b.test`. */
function joinEscapedLabels(end: number): string {
  const labels: string[] = []
  for (let at = 0; at < end; ) {
    const next = at + (scratch[at] as number) + 1
    labels.push(scratch.toString('latin1', at + 1, next).replace(/[^\w-]/g, escapeOctet))
    at = next
  }
  return labels.join('.')
}

function escapeOctet(octet: string): string {
  if (octet === '.' || octet === '\\') return `\\${octet}`
  if (octet > ' ' && octet <= '~') return octet
  return `\\${String(octet.charCodeAt(0)).padStart(3, '0')}`
}
