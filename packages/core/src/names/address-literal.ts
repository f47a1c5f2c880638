/** An IP address in place of a domain: RFC 5321 §4.1.3. */
import { isIPv4, isIPv6, SocketAddress } from 'node:net'

export interface AddressLiteral {
  /** The IP address, in its canonical form. */
  readonly address: string
  /** With brackets and tag, as it stands after an @. */
  readonly bracketed: string
}

/** ABNF strings match in any case (RFC 5234 §2.3). */
const IPV6_LITERAL = /^\[ipv6:(?<address>[\da-f:.]+)\]$/i
/** Snum: decimal, and leading zeros are no octal (RFC 5321 §4.1.3). */
const IPV4_LITERAL = /^\[(?<address>\d{1,3}(?:\.\d{1,3}){3})\]$/

/** Null where it is none, or one of a kind that has never been registered. */
export function parseAddressLiteral(text: string): AddressLiteral | null {
  const ipv4 = IPV4_LITERAL.exec(text)?.groups?.address
  if (ipv4 !== undefined) {
    const address = ipv4.split('.').map(Number).join('.')
    return isIPv4(address) ? { address, bracketed: `[${address}]` } : null
  }
  const ipv6 = IPV6_LITERAL.exec(text)?.groups?.address ?? ''
  if (!isIPv6(ipv6)) return null
  // RFC 5952: lower case, zeros left out, the longest run of them as `::`.
  const { address } = new SocketAddress({ address: ipv6, family: 'ipv6' })
  return { address, bracketed: `[IPv6:${address}]` }
}
