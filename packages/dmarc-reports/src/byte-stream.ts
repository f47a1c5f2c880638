/** Reads streams of bytes without holding more of them than needed, and tells what they are. */

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

/** By its first bytes: names and MIME types of reports are often wrong. */
export type FileType = 'gzip' | 'zip' | 'xml' | 'mbox' | 'mail' | 'empty' | 'unknown'

/** Enough for white space before the XML, or for the first header fields of a message. */
export const HEAD_LENGTH = 4096

const BYTE_ORDER_MARKS: readonly (readonly number[])[] = [
  [0xef, 0xbb, 0xbf],
  [0xfe, 0xff],
  [0xff, 0xfe],
]

/** Header fields that messages begin with (RFC 5322 §2.2). Any text with a colon could be another. */
const FIRST_FIELD =
  /^(?:return-path|delivered-to|received|envelope-to|from|to|cc|sender|reply-to|subject|date|message-id|mime-version|content-[a-z-]+|authentication-results|arc-[a-z-]+|dkim-signature|received-spf|list-[a-z-]+|resent-[a-z-]+|x-[a-z\d-]+):/i

const WEB_PAGE = /<(?:!doctype )?(?:html|svg)\b/i

export function detectFileType(head: Buffer): FileType {
  if (startsWith(head, [0x1f, 0x8b])) return 'gzip'
  if (startsWith(head, [0x50, 0x4b, 3, 4]) || startsWith(head, [0x50, 0x4b, 5, 6])) return 'zip'
  const mark = BYTE_ORDER_MARKS.find((bytes) => startsWith(head, bytes))
  const text = head.toString('latin1').slice(mark?.length ?? 0)
  // UTF-16 has a zero byte before or after each of these characters.
  if (/^[\s\0]*</.test(text)) return WEB_PAGE.test(text) ? 'unknown' : 'xml'
  if (text.trim() === '') return 'empty'
  if (text.startsWith('From ')) return 'mbox'
  return FIRST_FIELD.test(text) ? 'mail' : 'unknown'
}

function startsWith(head: Buffer, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte)
}
