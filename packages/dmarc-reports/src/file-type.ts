/** What a file is, by its first bytes. Names and MIME types of reports are often wrong. */

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
