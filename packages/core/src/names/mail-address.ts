/** Parses an email address, an RFC 5321 or RFC 6531 mailbox, or says why it is invalid. */
import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import { type DomainName, toDomainName } from './domain-name.js'
import { findHostProblem } from './host-problem.js'
import { quoteUnlessSecret } from './quote-input.js'
import { splitDomainLabels } from './uts46.js'

/** None of them quotes the input, because it may be personal data. */
const REASONS = {
  empty: 'The address is missing. Enter one, such as ann@example.com.',
  too_long:
    'This is longer than 254 bytes, the limit for an address. Check that it’s a single address.',
  no_at_sign: 'There’s no @. Enter the whole address, such as ann@example.com.',
  several_at_signs: 'There’s more than one @. Enter a single address, such as ann@example.com.',
  angle_brackets:
    'Angle brackets and the names next to them aren’t part of an address. Enter only the text between the brackets.',
  comment:
    'Comments in parentheses aren’t part of an address. Remove the parentheses and what’s in them.',
  white_space: 'The address contains a space. Enter it without spaces.',
  unsafe_character:
    'The address contains a control, invisible, or unassigned character. Type the address instead of pasting it.',
  no_local_part: 'There’s nothing before the @. Enter the whole address, such as ann@example.com.',
  local_part_too_long:
    'The part before the @ is longer than 64 bytes, which is the limit. Check the spelling.',
  local_part_dots: 'The part before the @ has an extra dot. Remove it.',
  local_part_character:
    'The part before the @ has a character that needs quotation marks. Check the spelling.',
  bad_quotes:
    'Either the quotation marks before the @ don’t enclose the whole part, or there’s an invalid backslash between them. Correct or remove them.',
  no_domain: 'There’s nothing after the @. Enter the whole address, such as ann@example.com.',
  domain_final_dot: 'There’s a dot after the domain. Remove it.',
  bad_literal:
    'The text in brackets isn’t an IP address. Write it like [192.0.2.1] or [IPv6:2001:db8::1], or enter a domain name.',
} as const satisfies Record<string, string>

export type InvalidAddressCode = keyof typeof REASONS | 'bad_domain'

interface InvalidAddress {
  readonly kind: 'refused'
  readonly code: InvalidAddressCode
  readonly reason: string
}

function invalidAddress(code: keyof typeof REASONS): InvalidAddress {
  return { kind: 'refused', code, reason: REASONS[code] }
}

/** The part after the @. */
type AddressDomain =
  | { readonly domain: DomainName; readonly literal: null }
  | { readonly domain: null; readonly literal: AddressLiteral }

interface Mailbox extends Pick<LocalPart, 'quoted' | 'smtpUtf8' | 'subaddress'> {
  readonly kind: 'address'
  readonly given: string
  /** The simplest form of the same mailbox. */
  readonly normalized: string
  /** Its case is kept, because only its own host may ignore it (RFC 5321 §2.4). */
  readonly localPart: string
}

export type MailAddress = Mailbox & AddressDomain

/** RFC 5321 §4.5.3.1.3: a path has 256, including its angle brackets. */
const MAX_OCTETS = 254

/** Only finds the end; the content is checked later. */
const QUOTED_START = /^"(?:[^"\\]|\\.)*"@/su

/**
 * Accepts one address only: no name, no comment, no white space, and none of the obsolete forms of
 * RFC 5322, which are for message headers.
 */
export function parseMailAddress(text: string): MailAddress | InvalidAddress {
  if (text === '') return invalidAddress('empty')
  if (utf8Length(text) > MAX_OCTETS) return invalidAddress('too_long')
  const parts = splitAtSign(text)
  if (parts.kind === 'refused') return parts
  const localPart = parseLocalPart(parts.before)
  if (localPart.kind === 'refused') return localPart
  const addressDomain = parseAddressDomain(parts.after)
  if ('kind' in addressDomain) return addressDomain
  const { content, normalized: written, quoted, smtpUtf8, subaddress } = localPart
  const normalized = `${written}@${addressDomain.domain ?? addressDomain.literal.bracketed}`
  // A-labels are longer than the name that they encode.
  if (utf8Length(normalized) > MAX_OCTETS) return invalidAddress('too_long')
  return {
    kind: 'address',
    given: text,
    normalized,
    localPart: content,
    quoted,
    smtpUtf8,
    subaddress,
    ...addressDomain,
  }
}

interface AddressParts {
  readonly kind: 'parts'
  readonly before: string
  readonly after: string
}

function splitAtSign(text: string): AddressParts | InvalidAddress {
  const quoted = QUOTED_START.exec(text)?.[0].length
  const at = quoted === undefined ? text.indexOf('@') : quoted - 1
  const after = text.slice(at + 1)
  const unquoted = quoted === undefined ? text : after
  if (/[<>]/.test(unquoted)) return invalidAddress('angle_brackets')
  if (/[()]/.test(unquoted)) return invalidAddress('comment')
  if (at < 0) return invalidAddress('no_at_sign')
  if (quoted === undefined && text.startsWith('"')) return invalidAddress('bad_quotes')
  if (after.includes('@')) return invalidAddress('several_at_signs')
  return { kind: 'parts', before: text.slice(0, at), after }
}

function parseAddressDomain(text: string): AddressDomain | InvalidAddress {
  if (text === '') return invalidAddress('no_domain')
  if (text.startsWith('[')) {
    const literal = parseAddressLiteral(text)
    return literal ? { domain: null, literal } : invalidAddress('bad_literal')
  }
  if (/\p{Zs}/u.test(text)) return invalidAddress('white_space')
  const parsed = parseMailDomain(text)
  return parsed.kind === 'refused' ? parsed : { domain: parsed.domain, literal: null }
}

interface MailDomain {
  readonly kind: 'domain'
  readonly domain: DomainName
}

function parseMailDomain(text: string): MailDomain | InvalidAddress {
  const labels = splitDomainLabels(text)
  // Unlike a DNS name, an RFC 5321 Domain has no final dot.
  if (labels.length > 1 && labels.join('.').length < text.length) {
    return invalidAddress('domain_final_dot')
  }
  // A reserved name is well written, and an address at it can be checked.
  const reason = findHostProblem(text, quoteUnlessSecret(text, text))
  if (reason !== null) return { kind: 'refused', code: 'bad_domain', reason }
  return { kind: 'domain', domain: toDomainName(text) }
}

export interface AddressLiteral {
  /** The IP address, in its canonical form. */
  readonly address: string
  /** With brackets and tag, as written after an @. */
  readonly bracketed: string
}

/** ABNF strings match in any case (RFC 5234 §2.3). */
const IPV6_LITERAL = /^\[ipv6:(?<address>[\da-f:.]+)\]$/i
/** Snum: decimal, even with leading zeros (RFC 5321 §4.1.3). */
const IPV4_LITERAL = /^\[(?<address>\d{1,3}(?:\.\d{1,3}){3})\]$/

/** Null for anything else, including unregistered kinds of literals. */
function parseAddressLiteral(text: string): AddressLiteral | null {
  const ipv4 = IPV4_LITERAL.exec(text)?.groups?.address
  if (ipv4 !== undefined) {
    const address = ipv4.split('.').map(Number).join('.')
    return isIPv4(address) ? { address, bracketed: `[${address}]` } : null
  }
  const ipv6 = IPV6_LITERAL.exec(text)?.groups?.address ?? ''
  if (!isIPv6(ipv6)) return null
  // RFC 5952: lower case, the longest run of zeros as `::`.
  const { address } = new SocketAddress({ address: ipv6, family: 'ipv6' })
  return { address, bracketed: `[IPv6:${address}]` }
}

interface LocalPart {
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
const MAX_LOCAL_PART_OCTETS = 64

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

function parseLocalPart(text: string): LocalPart | InvalidAddress {
  // RFC 6532 §3.1: one form for text that looks the same.
  const given = text.normalize('NFC')
  // The limit includes quotation marks and backslashes.
  if (utf8Length(given) > MAX_LOCAL_PART_OCTETS) return invalidAddress('local_part_too_long')
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

function utf8Length(text: string): number {
  return Buffer.byteLength(text)
}
