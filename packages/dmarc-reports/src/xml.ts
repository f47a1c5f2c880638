/** The text of an XML document, and the small trees that its parts are read from. */
import { createUtf8Decoder } from './node-formats.js'

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
  return createUtf8Decoder()
}

function utf16(encoding: string): (bytes: Uint8Array) => string {
  const decoder = new TextDecoder(encoding)
  return (bytes) => decoder.decode(bytes, { stream: true })
}

/** One record, the metadata or the policy. */
export interface XmlElement {
  /** Without the namespace prefix. */
  readonly name: string
  text: string
  readonly children: XmlElement[]
}

/** Some reports repeat an element that should appear once; the first counts. */
export function child(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return element?.children.find((each) => each.name === name)
}

export function childrenNamed(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((each) => each.name === name) ?? []
}

/** Trimmed, at most `limit` characters; null when the element is missing or empty. */
export function textOf(element: XmlElement | undefined, name: string, limit = 255): string | null {
  const text = child(element, name)?.text.trim().slice(0, limit)
  return text ? text : null
}

/** One of the words, in any case; `other` for any other word, null when missing. */
export function wordOf<Word extends string>(
  element: XmlElement | undefined,
  name: string,
  words: readonly Word[],
): Word | 'other' | null {
  const text = textOf(element, name)?.toLowerCase()
  if (text === undefined) return null
  return words.find((word) => word === text) ?? 'other'
}

/** Domains as DNS compares them. */
export function domainOf(element: XmlElement | undefined, name: string): string | null {
  const text = textOf(element, name)?.toLowerCase()
  return text?.slice(text.lastIndexOf('@') + 1).replace(/\.$/, '') || null
}
