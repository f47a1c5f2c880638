/** Reads streams of bytes without holding more of them than needed. */

export type ByteStream = AsyncIterable<Uint8Array>

export interface PeekedStream {
  /** At least `length` bytes, or all there are. */
  readonly head: Buffer
  /** Everything, the head included. Can be read once. */
  readonly stream: ByteStream
  /** Ends the source without reading it. */
  close(): Promise<void>
}

/** Looks at the first bytes of a stream. */
export async function peek(source: ByteStream, length: number): Promise<PeekedStream> {
  const iterator = source[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let size = 0
  while (size < length) {
    const { done, value } = await iterator.next()
    if (done) break
    chunks.push(value)
    size += value.length
  }
  const close = async () => {
    await iterator.return?.()
  }
  async function* everything() {
    try {
      yield* chunks
      for (;;) {
        const { done, value } = await iterator.next()
        if (done) return
        yield value
      }
    } finally {
      await close()
    }
  }
  return { head: Buffer.concat(chunks), stream: everything(), close }
}

/** The whole stream, or null when it is longer than `limit`. */
export async function readAtMost(source: ByteStream, limit: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source) {
    size += chunk.length
    if (size > limit) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, size)
}

export async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
