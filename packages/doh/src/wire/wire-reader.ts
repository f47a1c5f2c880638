/** Bounds-checked reading of a DNS message. A `WireError` never leaves this folder. */
export class WireError extends Error {}

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

  /** Passes over two octets if they are `expected`. */
  skipU16If(expected: number): boolean {
    const at = this.offset
    if (this.#bytes[at] !== expected >> 8 || this.#bytes[at + 1] !== (expected & 0xff)) return false
    this.offset += 2
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
