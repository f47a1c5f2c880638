/** The part before the @: RFC 5321 §4.1.2 Local-part, with the characters of RFC 6531 §3.3. */
import { type InvalidAddress, invalidAddress } from './invalid-address.js'

export interface LocalPart {
  readonly kind: 'local-part'
  /** Without quotation marks and backslashes; NFC. */
  readonly content: string
  /** In its simplest form. */
  readonly normalized: string
  /** It needs quotation marks. */
  readonly quoted: boolean
  /** It needs a server with SMTPUTF8 (RFC 6531 §3.1). */
  readonly smtpUtf8: boolean
  /** The text after the first `+` (RFC 5233 §1); null without one, or with nothing before it. */
  readonly subaddress: string | null
}

/** RFC 5321 §4.5.3.1.1. */
const MAX_OCTETS = 64

/** RFC 5322 §3.2.3, and UTF8-non-ascii of RFC 6531 §3.3. */
const ATOM = "[A-Za-z\\d!#$%&'*+/=?^_`{|}~\\u{80}-\\u{10ffff}-]+"
const DOT_STRING = new RegExp(`^${ATOM}(?:\\.${ATOM})*$`, 'u')

/** A backslash may only precede printable ASCII: RFC 6531 does not extend quoted pairs. */
const QUOTED_STRING = /^"(?:[^"\\]|\\[\x20-\x7e])*"$/u

/**
 * RFC 6531 allows all of these, but they are invisible or make two addresses look the same. A mark
 * at the start combines with the character before it.
 */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|^"?\p{M}/u
/** Every space except the plain one, which is allowed in quotation marks. */
const ODD_SPACE = /(?! )\p{Zs}/u

export function parseLocalPart(text: string): LocalPart | InvalidAddress {
  // RFC 6532 §3.1: one form for text that looks the same.
  const given = text.normalize('NFC')
  // The limit includes quotation marks and backslashes.
  if (utf8Length(given) > MAX_OCTETS) return invalidAddress('local_part_too_long')
  if (UNSAFE.test(given)) return invalidAddress('unsafe_character')
  if (ODD_SPACE.test(given)) return invalidAddress('white_space')
  if (given.startsWith('"')) {
    return QUOTED_STRING.test(given) ? localPart(unquoted(given)) : invalidAddress('bad_quotes')
  }
  return DOT_STRING.test(given) ? localPart(given) : explainInvalidAtoms(given)
}

function explainInvalidAtoms(given: string): InvalidAddress {
  if (given === '') return invalidAddress('no_local_part')
  if (given.includes(' ')) return invalidAddress('white_space')
  const hasValidAtoms = given.split('.').every((atom) => atom === '' || DOT_STRING.test(atom))
  return invalidAddress(hasValidAtoms ? 'local_part_dots' : 'local_part_character')
}

function unquoted(text: string): string {
  return text.slice(1, -1).replace(/\\(.)/gu, '$1')
}

/** RFC 5321 §4.1.2: removes quotation marks and backslashes that are not needed. */
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

export function utf8Length(text: string): number {
  return Buffer.byteLength(text)
}
