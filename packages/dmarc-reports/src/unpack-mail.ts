/** The files attached to a message (RFC 5322, RFC 2045), and the messages of an mbox (RFC 4155). */
import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { type ByteStream, detectFileType, HEAD_LENGTH } from './byte-stream.js'
import { MAX_ENTRIES } from './problem.js'

interface MailPart {
  readonly name: string
  readonly bytes: Buffer
}

export type UnpackedMail =
  | {
      readonly kind: 'parts'
      readonly parts: readonly MailPart[]
      /** The mail server that received it marked it as failing DMARC. */
      readonly failsDmarc: boolean
    }
  | { readonly kind: 'damaged' | 'too-many-entries' }

const LINE_FEED = 0x0a
const EQUALS_SIGN = 0x3d

/** A mail with the largest archive has 230,000. The parser holds each of them as an object. */
const MAX_PIECES = 300_000

/** Delimiters of parts, and other lines that begin like one. A part costs the parser 0.1 ms. */
const MAX_DELIMITERS = 1_000

/**
 * Mails inside are opened here, so that they are counted too. Each octet of an address field may be
 * parsed 50 times, once for each level of groups.
 */
const LIMITS = { maxRfc822NestingDepth: 0, maxNestingDepth: 20, maxHeadersSize: 262_144 }

/** A mail that was forwarded has one mail inside. */
const MAX_MAILS_DEEP = 2

/** What a mail and the mails inside have together. */
interface Count {
  delimiters: number
}

export async function unpackMail(bytes: Buffer): Promise<UnpackedMail> {
  return unpackLevel(bytes, MAX_MAILS_DEEP, { delimiters: 0 })
}

async function unpackLevel(bytes: Buffer, levels: number, count: Count): Promise<UnpackedMail> {
  if (countPieces(bytes) > MAX_PIECES) return { kind: 'damaged' }
  count.delimiters += countDelimiters(bytes)
  if (count.delimiters > MAX_DELIMITERS) return { kind: 'too-many-entries' }
  const mail = await PostalMime.parse(bytes, LIMITS).catch(() => null)
  if (mail === null) return { kind: 'damaged' }
  const parts: MailPart[] = []
  for (const attachment of mail.attachments) {
    const part = toPart(attachment)
    if (attachment.rfc822DepthExceeded && levels > 1) {
      const inner = await unpackLevel(part.bytes, levels - 1, count)
      if (inner.kind !== 'parts') return inner
      parts.push(...inner.parts)
    } else if (mayBeReport(part)) parts.push(part)
  }
  parts.push(...bodyPart(mail))
  if (parts.length > MAX_ENTRIES) return { kind: 'too-many-entries' }
  return { kind: 'parts', parts, failsDmarc: failsDmarc(mail) }
}

/** Lines, and units of base64, which end with `=`. */
function countPieces(bytes: Buffer): number {
  let pieces = 0
  for (const byte of bytes) if (byte === LINE_FEED || byte === EQUALS_SIGN) pieces += 1
  return pieces
}

function countDelimiters(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf('\n--'); at >= 0; at = bytes.indexOf('\n--', at + 1)) count += 1
  return count
}

/** Many messages have signatures, pictures and empty parts. */
function mayBeReport({ bytes }: MailPart): boolean {
  return ['gzip', 'zip', 'xml'].includes(detectFileType(bytes.subarray(0, HEAD_LENGTH)))
}

function toPart({ filename, mimeType, content }: Attachment): MailPart {
  const bytes = typeof content === 'string' ? Buffer.from(content) : toBuffer(content)
  return { name: filename ?? mimeType, bytes }
}

function toBuffer(content: ArrayBuffer | Uint8Array): Buffer {
  return content instanceof Uint8Array
    ? Buffer.from(content.buffer, content.byteOffset, content.byteLength)
    : Buffer.from(content)
}

/** Some senders put the XML into the message itself. */
function bodyPart({ text }: Email): MailPart[] {
  return text && /^\s*<(?:\?xml|feedback)/.test(text)
    ? [{ name: 'body', bytes: Buffer.from(text) }]
    : []
}

/** Only the first field counts: the last server added it (RFC 8601 §5). */
function failsDmarc({ headers }: Email): boolean {
  const field = headers.find(({ key }) => key === 'authentication-results')
  return field !== undefined && /\bdmarc\s*=\s*fail\b/i.test(field.value)
}

const SEPARATOR = Buffer.from('From ')
const QUOTED_SEPARATOR = /^>+From /

/** One message at a time in memory; null for a message longer than `maxBytes`. */
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
