/** Splits an mbox (RFC 4155) into its messages, one at a time in memory. */
import type { ByteStream } from './byte-stream.js'

const LINE_FEED = 0x0a
const SEPARATOR = Buffer.from('From ')
const QUOTED_SEPARATOR = /^>+From /

/** Null for a message longer than `maxBytes`. */
export async function* splitMbox(
  source: ByteStream,
  maxBytes: number,
): AsyncGenerator<Buffer | null> {
  const mail = createGrowingBuffer()
  let size = 0
  let isInMail = false
  let isAfterBlank = true

  function takeMail(): Buffer | null {
    const taken = mail.take()
    const isWhole = size <= maxBytes
    size = 0
    return isWhole ? taken : null
  }

  for await (const line of linesOf(source, maxBytes)) {
    if (isAfterBlank && startsWith(line, SEPARATOR)) {
      if (isInMail) yield takeMail()
      isInMail = true
      isAfterBlank = false
      continue
    }
    isAfterBlank = line.length <= 2 && line.toString('latin1').trim() === ''
    size += line.length
    if (size > maxBytes) mail.take()
    else mail.append(unquote(line))
  }
  if (isInMail) yield takeMail()
}

/** Costs no more for many short lines than for one long: a list of them needs 100 bytes for each. */
function createGrowingBuffer() {
  let bytes = Buffer.alloc(0)
  let length = 0
  return {
    append(part: Buffer): void {
      if (length + part.length > bytes.length) {
        const larger = Buffer.alloc(Math.max(2 * bytes.length, length + part.length))
        bytes.copy(larger, 0, 0, length)
        bytes = larger
      }
      part.copy(bytes, length)
      length += part.length
    },
    take(): Buffer {
      const taken = bytes.subarray(0, length)
      bytes = Buffer.alloc(0)
      length = 0
      return taken
    },
  }
}

function unquote(line: Buffer): Buffer {
  return line[0] === 0x3e && QUOTED_SEPARATOR.test(line.toString('latin1', 0, 80))
    ? line.subarray(1)
    : line
}

function startsWith(line: Buffer, start: Buffer): boolean {
  return line.subarray(0, start.length).equals(start)
}

/** Lines with their line feed; a line longer than `maxBytes` comes in pieces. */
async function* linesOf(source: ByteStream, maxBytes: number): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let restSize = 0
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      const line = bytes.subarray(start, end + 1)
      yield rest.length === 0 ? line : Buffer.concat([...rest, line])
      rest = []
      restSize = 0
      start = end + 1
    }
    if (start === bytes.length) continue
    rest.push(bytes.subarray(start))
    restSize += bytes.length - start
    if (restSize > maxBytes) {
      yield Buffer.concat(rest)
      rest = []
      restSize = 0
    }
  }
  if (restSize > 0) yield Buffer.concat(rest)
}
