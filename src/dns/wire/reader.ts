/** Bounds-checked reading of a DNS message. A `WireError` never leaves this folder. */
export class WireError extends Error {}

export class Reader {
  offset = 0
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#claim(1))
  }

  u16(): number {
    return this.#bytes.readUInt16BE(this.#claim(2))
  }

  u32(): number {
    return this.#bytes.readUInt32BE(this.#claim(4))
  }

  octets(length: number): Buffer {
    const start = this.#claim(length)
    return this.#bytes.subarray(start, start + length)
  }

  #claim(length: number): number {
    const start = this.offset
    if (start + length > this.#bytes.length) throw new WireError('it ends too early')
    this.offset = start + length
    return start
  }
}
