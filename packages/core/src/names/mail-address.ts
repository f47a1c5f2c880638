/** Parses an email address, an RFC 5321 or RFC 6531 mailbox, or says why it is invalid. */

import { isIPv4, isIPv6, SocketAddress } from 'node:net'
import { type DomainName, toDomainName } from './domain-name.js'
import { findHostProblem } from './host-problem.js'
import { type InvalidAddress, invalidAddress } from './invalid-address.js'
import { type LocalPart, parseLocalPart, utf8Length } from './local-part.js'
import { quoteUnlessSecret } from './quote-input.js'
import { splitDomainLabels } from './uts46.js'

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
