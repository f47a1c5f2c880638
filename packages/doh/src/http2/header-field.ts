/** Which header fields HTTP/2 allows (RFC 9113 §8.2). */

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
