/**
 * Header fields: which of them HTTP/2 allows (RFC 9113 §8.2), and those that an HPACK index refers to,
 * the static table, then the dynamic one (RFC 7541 §2.3).
 */
import { ERROR_CODE, Http2ConnectionError } from './http2-protocol.js'

export interface HeaderField {
  readonly name: string
  readonly value: string
  /** Kept with the field, so one that comes by its index is not checked again. */
  readonly isValid: boolean
}

const COLON = 0x3a
const SPACE = 0x20
const TAB = 0x09

/** A lower-case token (RFC 9110 §5.6.2), by octet: a loop over it is faster than a pattern. */
const IS_NAME_OCTET = Array.from({ length: 256 }, (_, octet) =>
  /[!#$%&'*+\-.^_`|~\da-z]/.test(String.fromCharCode(octet)),
)

/** RFC 9113 §8.2.2. */
const CONNECTION_SPECIFIC = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** The names of pseudo-header fields start with a colon. */
export function isValidFieldName(name: string): boolean {
  const start = name.charCodeAt(0) === COLON ? 1 : 0
  for (let index = start; index < name.length; index++) {
    if (!IS_NAME_OCTET[name.charCodeAt(index)]) return false
  }
  return name.length > start && !CONNECTION_SPECIFIC.has(name)
}

/** No NUL, line feed or carriage return, and no space around it (RFC 9113 §8.2.1). */
export function isValidFieldValue(value: string): boolean {
  for (let index = 0; index < value.length; index++) {
    const octet = value.charCodeAt(index)
    if (octet === 0 || octet === 0x0a || octet === 0x0d) return false
  }
  return !isBlank(value.charCodeAt(0)) && !isBlank(value.charCodeAt(value.length - 1))
}

function isBlank(octet: number): boolean {
  return octet === SPACE || octet === TAB
}

/** The initial size of the dynamic table (RFC 9113 §6.5.2). */
export const DEFAULT_TABLE_OCTETS = 4_096

/** The size of a field in the table (RFC 7541 §4.1). */
export function headerFieldSize({ name, value }: Omit<HeaderField, 'isValid'>): number {
  return name.length + value.length + 32
}

export function createHpackTable(maxSize: number) {
  /** The oldest first. */
  const dynamicTable: HeaderField[] = []
  let limit = maxSize
  let size = 0

  function evictTo(allowed: number): void {
    while (size > allowed) size -= headerFieldSize(dynamicTable.shift() as HeaderField)
  }

  return {
    at(index: number): HeaderField {
      const field =
        index <= STATIC_TABLE.length
          ? STATIC_TABLE[index - 1]
          : dynamicTable[dynamicTable.length + STATIC_TABLE.length - index]
      if (field) return field
      throw new Http2ConnectionError(ERROR_CODE.COMPRESSION_ERROR, 'an index is not in the table')
    },
    /** A field that is larger than the table empties it (RFC 7541 §4.4). */
    add(field: HeaderField): void {
      const fieldSize = headerFieldSize(field)
      evictTo(Math.max(0, limit - fieldSize))
      if (fieldSize > limit) return
      dynamicTable.push(field)
      size += fieldSize
    },
    resize(newLimit: number): void {
      if (newLimit > maxSize) {
        throw new Http2ConnectionError(
          ERROR_CODE.COMPRESSION_ERROR,
          'a table size update exceeds the limit',
        )
      }
      limit = newLimit
      evictTo(limit)
    },
  }
}

/** RFC 7541 appendix A, from index 1. */
const STATIC_TABLE: readonly HeaderField[] = [
  { name: ':authority', value: '' },
  { name: ':method', value: 'GET' },
  { name: ':method', value: 'POST' },
  { name: ':path', value: '/' },
  { name: ':path', value: '/index.html' },
  { name: ':scheme', value: 'http' },
  { name: ':scheme', value: 'https' },
  ...['200', '204', '206', '304', '400', '404', '500'].map((value) => ({ name: ':status', value })),
  { name: 'accept-charset', value: '' },
  { name: 'accept-encoding', value: 'gzip, deflate' },
  ...[
    'accept-language',
    'accept-ranges',
    'accept',
    'access-control-allow-origin',
    'age',
    'allow',
    'authorization',
    'cache-control',
    'content-disposition',
    'content-encoding',
    'content-language',
    'content-length',
    'content-location',
    'content-range',
    'content-type',
    'cookie',
    'date',
    'etag',
    'expect',
    'expires',
    'from',
    'host',
    'if-match',
    'if-modified-since',
    'if-none-match',
    'if-range',
    'if-unmodified-since',
    'last-modified',
    'link',
    'location',
    'max-forwards',
    'proxy-authenticate',
    'proxy-authorization',
    'range',
    'referer',
    'refresh',
    'retry-after',
    'server',
    'set-cookie',
    'strict-transport-security',
    'transfer-encoding',
    'user-agent',
    'vary',
    'via',
    'www-authenticate',
  ].map((name) => ({ name, value: '' })),
].map((field) => ({ ...field, isValid: isValidFieldName(field.name) }))

/** Whether the index always refers to the same name. */
export function isStaticIndex(index: number): boolean {
  return index > 0 && index <= STATIC_TABLE.length
}
