/** From the bytes of an XML document to its text, in pieces. */
import { StringDecoder } from 'node:string_decoder'

/** A longer text is not a declaration. */
const MAX_DECLARATION = 1_000

/** UTF-8 with replacement, or UTF-16 with its byte order mark; the XML declaration is left out. */
export function createXmlDecoder(): (bytes: Uint8Array) => string {
  let start = Buffer.alloc(0)
  let decode: ((bytes: Uint8Array) => string) | null = null
  let declaration: string | null = ''

  function withoutDeclaration(text: string): string {
    if (declaration === null) return text
    const trimmed = (declaration + text).trimStart()
    declaration = trimmed
    // Declarations are often wrong, and the bytes show the encoding anyway.
    const isDeclaration = trimmed.startsWith('<?xml')
    const end = trimmed.indexOf('>')
    const isUndecided = isDeclaration ? end === -1 : '<?xml'.startsWith(trimmed)
    if (isUndecided && trimmed.length < MAX_DECLARATION) return ''
    declaration = null
    return isDeclaration && end !== -1 ? trimmed.slice(end + 1) : trimmed
  }

  return (bytes) => {
    if (decode !== null) return withoutDeclaration(decode(bytes))
    start = Buffer.concat([start, bytes])
    if (start.length < 3) return ''
    decode = decoderFor(start)
    return withoutDeclaration(decode(start))
  }
}

function decoderFor(start: Buffer): (bytes: Uint8Array) => string {
  if (start[0] === 0xff && start[1] === 0xfe) return utf16('utf-16le')
  if (start[0] === 0xfe && start[1] === 0xff) return utf16('utf-16be')
  // Much faster than `TextDecoder`, whose strings take two bytes per character.
  const decoder = new StringDecoder('utf8')
  return (bytes) => decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
}

function utf16(encoding: string): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder(encoding)
  return (bytes) => decoder.decode(bytes, { stream: true })
}
