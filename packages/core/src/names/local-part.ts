/** What stands before the @: RFC 5321 §4.1.2 Local-part, with the characters of RFC 6531 §3.3. */
import { type InvalidAddress, invalidAddress } from './invalid-address.js'

export interface LocalPart {
  readonly kind: 'local-part'
  /** What it says, without quotation marks and backslashes; NFC. */
  readonly content: string
  /** As simply as it can be written. */
  readonly normalized: string
  /** It cannot be written without quotation marks. */
  readonly quoted: boolean
  /** It needs a server that speaks SMTPUTF8 (RFC 6531 §3.1). */
  readonly smtpUtf8: boolean
  /** What follows the first `+` (RFC 5233 §1): null where there is none, or nothing before it. */
  readonly subaddress: string | null
}

/** RFC 5321 §4.5.3.1.1. */
const MAX_OCTETS = 64

/** RFC 5322 §3.2.3, and UTF8-non-ascii of RFC 6531 §3.3. */
const ATOM = "[A-Za-z\\d!#$%&'*+/=?^_`{|}~\\u{80}-\\u{10ffff}-]+"
const DOT_STRING = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, 'u')

/** A backslash stands before printable ASCII alone: RFC 6531 extends the text around it, not it. */
const QUOTED_STRING = /^"(?:[^"\\]|\\[\x20-\x7e])*"$/u

/**
 * RFC 6531 lets all of these through; nobody who reads them can tell them from nothing, or from
 * another address. A mark at the start joins whatever stands before it.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|^"?\p{M}/u
/** Any but the plain one, which quotation marks may hold. */
const ODD_SPACE = /(?! )\p{Zs}/u

export function parseLocalPart(text: string): LocalPart | InvalidAddress {
  // RFC 6532 §3.1: one way to write what looks the same.
  const given = text.normalize('NFC')
  // The limit is on what travels, quotation marks and backslashes included.
  if (utf8Length(given) > MAX_OCTETS) return invalidAddress('local_part_too_long')
  if (UNSAFE.test(given)) return invalidAddress('unsafe_character')
  if (ODD_SPACE.test(given)) return invalidAddress('white_space')
  if (given.startsWith('"')) {
    return QUOTED_STRING.test(given) ? localPart(unquoted(given)) : invalidAddress('bad_quotes')
  }
  return DOT_STRING.test(given) ? localPart(given) : refuseAtoms(given)
}

function refuseAtoms(given: string): InvalidAddress {
  if (given === '') return invalidAddress('no_local_part')
  if (given.includes(' ')) return invalidAddress('white_space')
  const isOfAtoms = given.split('.').every((atom) => atom === '' || DOT_STRING.test(atom))
  return invalidAddress(isOfAtoms ? 'local_part_dots' : 'local_part_character')
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gu, '$1')
}

/** RFC 5321 §4.1.2: quotation marks and backslashes that are not needed say nothing. */
function localPart(content: string): LocalPart {
  const quoted = !DOT_STRING.test(content)
  const plus = quoted ? -1 : content.indexOf('+')
  return {
    kind: 'local-part',
    content,
    normalized: quoted ? `"${content.replace(/["\\]/g, '\\$&')}"` : content,
    quoted,
    smtpUtf8: utf8Length(content) > content.length,
    subaddress: plus > 0 ? content.slice(plus + 1) : null,
  }
}

/** How long a text is where it travels as UTF-8. */
export function utf8Length(text: string): number {
  return Buffer.byteLength(text)
}
