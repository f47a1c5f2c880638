/** The files attached to a message (RFC 5322, RFC 2045). */
import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { detectFileType, HEAD_LENGTH } from './file-type.js'
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

const LINE_FEED = 0x0a
const EQUALS_SIGN = 0x3d

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
