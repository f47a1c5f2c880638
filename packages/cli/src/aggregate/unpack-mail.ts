/** The files attached to a message (RFC 5322, RFC 2045). */
import PostalMime, { type Attachment, type Email } from 'postal-mime'
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
  | { readonly kind: 'damaged' }

/** A mail with the largest archive has 230,000. The parser holds each of them as an object. */
const MAX_PIECES = 300_000

/** A mail that was forwarded has one mail inside; each level is parsed once more. */
const LIMITS = { maxRfc822NestingDepth: 1, maxNestingDepth: 20 }

export async function unpackMail(bytes: Buffer): Promise<UnpackedMail> {
  if (countPieces(bytes) > MAX_PIECES) return { kind: 'damaged' }
  const mail = await PostalMime.parse(bytes, LIMITS).catch(() => null)
  if (mail === null) return { kind: 'damaged' }
  const attached = mail.attachments.slice(0, MAX_ENTRIES).map(toPart)
  return {
    kind: 'parts',
    parts: [...attached, ...bodyPart(mail)],
    failsDmarc: failsDmarc(mail),
  }
}

/** Lines, and units of base64, which end with `=`. */
function countPieces(bytes: Buffer): number {
  let pieces = 0
  for (const byte of bytes) if (byte === LINE_FEED || byte === EQUALS_SIGN) pieces += 1
  return pieces
}

const LINE_FEED = 0x0a
const EQUALS_SIGN = 0x3d

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
