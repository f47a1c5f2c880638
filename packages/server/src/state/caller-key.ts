/**
 * Who is asking, as far as a limit is concerned: an IPv4 address, or the /64 of an IPv6 address.
 * The other 64 bits tell the hosts of one network apart (RFC 4291 §2.5.4), and a host takes new ones
 * as it likes (RFC 8981).
 */
import { isIPv4, isIPv6 } from 'node:net'

/** A peer that hung up before it was asked for its address: they share a budget. */
const UNKNOWN = 'unknown'

/** Room for the longest address with zone, brackets, port and space; more is not worth reading. */
const MAX_ENTRY_CHARACTERS = 100

/**
 * The caller's key. Each proxy adds to the right of `X-Forwarded-For` whom it heard from, so the
 * entry that the outermost of our proxies wrote stands as many places from the right as we have
 * proxies; whatever stands left of it is the caller's invention. With fewer entries, or one that is
 * no address, the request did not come the way we were told, and none of them can be believed: the
 * peer is the caller then. At worst that is a proxy, whose callers share a budget.
 */
export function callerKey(
  peerAddress: string | undefined,
  forwardedFor: string | undefined,
  trustProxyHops: number,
): string {
  const entry = trustProxyHops > 0 ? fromRight(forwardedFor ?? '', trustProxyHops) : ''
  return networkOf(addressIn(entry)) ?? networkOf(peerAddress ?? '') ?? UNKNOWN
}

/** Looks no further left than it must: that part is the caller's, and may be long. */
function fromRight(list: string, place: number): string {
  let end = list.length
  for (let passed = 1; passed < place; passed++) {
    end = list.lastIndexOf(',', end - 1)
    if (end <= 0) return ''
  }
  return list.slice(list.lastIndexOf(',', end - 1) + 1, end)
}

/** Without what some proxies write around it: `192.0.2.1:443`, `[2001:db8::1]`, `[2001:db8::1]:443`. */
function addressIn(entry: string): string {
  if (entry.length > MAX_ENTRY_CHARACTERS) return ''
  const text = entry.trim()
  const match = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text)
  return match?.[1] ?? match?.[2] ?? text
}

/** In one spelling, made of numbers alone: nothing that a caller wrote becomes part of a key. */
function networkOf(address: string): string | null {
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return null
  const [a = 0, b = 0, c = 0, d = 0, e, f, g = 0, h = 0] = groupsOf(address.replace(/%.*/, ''))
  // RFC 4291 §2.5.5.2: how a socket that listens for both kinds shows an IPv4 peer.
  const isMappedIPv4 = a + b + c + d === 0 && e === 0 && f === 0xffff
  if (isMappedIPv4) return `${g >> 8}.${g & 0xff}.${h >> 8}.${h & 0xff}`
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}::/64`
}

/** The eight numbers of an address, however it is written (RFC 4291 §2.2). */
function groupsOf(address: string): number[] {
  const groups: number[] = []
  let gapAt = 0
  for (const part of address.split(':')) {
    if (part.includes('.')) {
      const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
      groups.push(a * 256 + b, c * 256 + d)
    } else if (part !== '') groups.push(Number.parseInt(part, 16))
    else gapAt = groups.length
  }
  while (groups.length < 8) groups.splice(gapAt, 0, 0)
  return groups
}
