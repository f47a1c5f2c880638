/** Who sent a request, and until when they wait. */
import { isIPv4, isIPv6 } from 'node:net'
import type { Context } from 'hono'
import type { PaidRequestContext } from '../payments/handle-paid-request.js'
import type { HttpEnv } from './respond.js'

export type ReadRequestContext = (c: Context<HttpEnv>) => PaidRequestContext

export type ReadCaller = (c: Context<HttpEnv>) => string

/** `trustProxyHops` is the number of our own proxies in front of the service. */
export function createReadCaller(trustProxyHops: number): ReadCaller {
  return (c) => {
    const peerAddress = c.env.incoming?.socket.remoteAddress
    return callerKey(peerAddress, c.req.header('x-forwarded-for'), trustProxyHops)
  }
}

export function createReadRequestContext(readCaller: ReadCaller): ReadRequestContext {
  return (c) => ({
    requestId: c.get('requestId'),
    // Functions: a short response needs neither, and a signal costs as much as the whole response.
    // Not getters: V8 gives each object with its own getters a hidden class, which outlives the
    // request and halves the rate of 402 responses.
    caller: () => readCaller(c),
    signal: () => c.req.raw.signal,
    onSent(act) {
      const { outgoing } = c.env
      if (!outgoing) return act()
      const { socket } = outgoing
      // Node also emits it for a response that was discarded with its connection.
      outgoing.once('finish', () => socket?.destroyed === false && act())
    },
  })
}

/** Peers that hung up before we read their address share one budget. */
const UNKNOWN = 'unknown'

/** Enough for the longest address with zone, brackets, port and spaces. */
const MAX_ENTRY_CHARACTERS = 100

/**
 * The key that rate limits count a caller by: an IPv4 address, or the /64 of an IPv6 address. The
 * other 64 bits identify a host in its network (RFC 4291 §2.5.4), and hosts change them at will
 * (RFC 8981).
 *
 * Each proxy appends the address of its peer to `X-Forwarded-For`. With n trusted proxies, the nth
 * entry from the right comes from our outermost proxy; the caller can forge everything left of it.
 * If that entry is missing or not an address, the peer itself is the caller. At worst that is a
 * proxy, whose callers then share a budget.
 */
export function callerKey(
  peerAddress: string | undefined,
  forwardedFor: string | undefined,
  trustProxyHops: number,
): string {
  const entry = trustProxyHops > 0 ? entryFromRight(forwardedFor ?? '', trustProxyHops) : ''
  return toNetworkKey(parseEntry(entry)) ?? toNetworkKey(peerAddress ?? '') ?? UNKNOWN
}

/** Reads no further left than needed: the caller controls that part, and it may be long. */
function entryFromRight(list: string, position: number): string {
  let end = list.length
  for (let passed = 1; passed < position; passed++) {
    end = list.lastIndexOf(',', end - 1)
    if (end <= 0) return ''
  }
  return list.slice(list.lastIndexOf(',', end - 1) + 1, end)
}

/** Some proxies add a port or brackets: `192.0.2.1:443`, `[2001:db8::1]`, `[2001:db8::1]:443`. */
function parseEntry(entry: string): string {
  if (entry.length > MAX_ENTRY_CHARACTERS) return ''
  const text = entry.trim()
  const match = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text)
  return match?.[1] ?? match?.[2] ?? text
}

/** Normalized and rebuilt from numbers, so a caller's text never becomes part of a key. */
function toNetworkKey(address: string): string | null {
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return null
  const [a = 0, b = 0, c = 0, d = 0, e, f, g = 0, h = 0] = parseGroups(address.replace(/%.*/, ''))
  // RFC 4291 §2.5.5.2: how a dual-stack socket shows an IPv4 peer.
  const isMappedIPv4 = a + b + c + d === 0 && e === 0 && f === 0xffff
  if (isMappedIPv4) return `${g >> 8}.${g & 0xff}.${h >> 8}.${h & 0xff}`
  return `${a.toString(16)}:${b.toString(16)}:${c.toString(16)}:${d.toString(16)}::/64`
}

/** The eight groups of an IPv6 address in any notation (RFC 4291 §2.2). */
function parseGroups(address: string): number[] {
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
